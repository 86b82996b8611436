#include "tlm/space/schedule.h"

#include "tlm/core/error.h"
#include "tlm/core/hash.h"

namespace tlm::space {
namespace {

std::string trim(const std::string& s) {
  size_t a = s.find_first_not_of(" \t\r\n");
  if (a == std::string::npos) return {};
  return s.substr(a, s.find_last_not_of(" \t\r\n") - a + 1);
}

}  // namespace

const std::string* Schedule::find(const std::string& decision) const {
  for (const auto& [name, text] : choices) {
    if (name == decision) return &text;
  }
  return nullptr;
}

std::string print(const Schedule& s) {
  std::string out;
  for (const auto& [name, text] : s.choices) out += (out.empty() ? "" : "; ") + name + "=" + text;
  return out;
}

Schedule parse_schedule(const std::string& text) {
  Schedule s;
  for (size_t at = 0; at <= text.size();) {
    size_t end = std::min(text.find(';', at), text.size());
    std::string item = trim(text.substr(at, end - at));
    at = end + 1;
    if (item.empty()) continue;  // an empty schedule, a trailing semicolon
    size_t eq = item.find('=');
    std::string name = trim(item.substr(0, eq));
    std::string choice = eq == std::string::npos ? std::string() : trim(item.substr(eq + 1));
    if (name.empty() || choice.empty()) {
      throw Error(ErrorCode::kUsage, "a schedule is a list of decision=choice, not '" + item + "'", "schedule '" + text + "'",
                  "write for example: micro.s0=co:2x8 ow:6; parallel.s0=serial");
    }
    if (s.find(name)) {
      throw Error(ErrorCode::kUsage, "decision '" + name + "' is given twice", "schedule '" + text + "'", "keep one of the two");
    }
    s.choices.emplace_back(std::move(name), std::move(choice));
  }
  return s;
}

uint64_t hash(const Schedule& s) {
  Hasher h;
  for (const auto& [name, text] : s.choices) h.text(name).text(text);
  return h.value();
}

}  // namespace tlm::space
