#include "tlm/tools/engine/schedule_file.h"

#include <charconv>

#include "tlm/core/error.h"
#include "tlm/core/file.h"
#include "tlm/core/hash.h"

namespace tlm {

namespace {

// Names come from models: a line end in one must not begin a line of the file.
std::string one_line(std::string name) {
  for (char& c : name)
    if (static_cast<unsigned char>(c) < 0x20) c = ' ';
  return name;
}

}  // namespace

std::string schedule_file_text(const codegen::CompileReport& report) {
  std::string text = "# tlm schedules: workload hash, then the chosen candidate of each decision\n";
  for (const codegen::WorkloadReport& w : report.workloads)
    text += "# " + one_line(w.name) + "\n" + to_hex(w.hash) + " " + print(w.schedule) + "\n";
  return text;
}

std::map<uint64_t, space::Schedule> read_schedule_file(const std::filesystem::path& file) {
  constexpr size_t kMaxBytes = size_t{64} << 20;
  const std::string text = read_file(file, kMaxBytes);
  std::map<uint64_t, space::Schedule> schedules;
  int line_number = 0;
  for (size_t begin = 0; begin < text.size();) {
    const size_t end = std::min(text.find('\n', begin), text.size());
    std::string line = text.substr(begin, end - begin);
    if (line.ends_with('\r')) line.pop_back();
    begin = end + 1;
    ++line_number;
    if (line.empty() || line[0] == '#') continue;
    const std::string where = file.string() + ":" + std::to_string(line_number);
    uint64_t hash = 0;
    const auto [stop, error] = std::from_chars(line.data(), line.data() + line.size(), hash, 16);
    if (error != std::errc() || stop != line.data() + 16 || (line.size() > 16 && line[16] != ' '))
      throw Error(ErrorCode::kUsage, "a line begins with a workload hash of 16 hexadecimal digits and a space", where,
                  "write the file with `tlm compile --emit-schedules`");
    if (schedules.contains(hash))
      throw Error(ErrorCode::kUsage, "workload " + to_hex(hash) + " has a second schedule", where,
                  "keep one line for each workload");
    try {
      schedules[hash] = space::parse_schedule(line.size() > 17 ? line.substr(17) : "");
    } catch (const Error& e) {
      throw Error(ErrorCode::kUsage, e.message(), where, e.hint());
    }
  }
  return schedules;
}

}  // namespace tlm
