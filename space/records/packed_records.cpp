#include "tlm/space/records/packed_records.h"

#include <charconv>
#include <fstream>
#include <nlohmann/json.hpp>
#include <vector>

#include "tlm/core/error.h"
#include "tlm/core/hash.h"
#include "tlm/space/records/batch_fields.h"
#include "tlm/space/records/record_json.h"
#include "tlm/space/records/record_store.h"
#include "tlm/space/records/split_key.h"

namespace tlm::space {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kFormat = 1;

std::string text_of(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n"; }

// What is read line by line.
class PackedLines {
 public:
  explicit PackedLines(std::string file) : file_(std::move(file)) {}

  // True: it was a record's.
  bool take(const std::string& line) {
    ++number_;
    const bool is_row = number_ > 1 && line.starts_with("[");
    const Json json = Json::parse(line, nullptr, false);
    if (json.is_discarded()) fail("not JSON");
    try {
      if (number_ == 1) {
        begin(json);
      } else if (is_row) {
        row(json);
      } else if (json.contains("batch")) {
        batch(json);
      } else if (json.contains("workload")) {
        workload(json);
      } else if (json.contains("target")) {
        target(json);
      } else {
        fail("neither a workload, a target, a batch nor a row");
      }
    } catch (const Json::exception& e) {
      fail(e.what());
    } catch (const Error& e) {
      if (e.where() == where()) throw;
      fail(e.message());
    }
    return is_row;
  }
  const Record& record() const { return record_; }

  void end() const {
    if (number_ == 0) fail("it is empty");
  }

 private:
  struct Workload {
    std::string text;
    uint64_t hash, key;
  };
  struct Hardware {
    std::string text;
    uint64_t hash;
  };

  std::string where() const { return file_ + ":" + std::to_string(number_); }
  [[noreturn]] void fail(const std::string& reason) const {
    throw Error(ErrorCode::kBadModel, "bad packed records: " + reason, where(), "`tlm records export -o NAME.xz` writes them");
  }

  void begin(const Json& json) const {
    if (!json.is_object() || !json.contains("tlm_records")) fail("these are no packed records");
    if (const int format = json.at("tlm_records").get<int>(); format != kFormat)
      fail("format " + std::to_string(format) + "; this version of tlm reads " + std::to_string(kFormat));
  }

  void workload(const Json& json) {
    const auto text = json.at("workload").get<std::string>();
    const ir::Subgraph g = ir::parse_subgraph(text);
    workloads_.push_back({text, ir::workload_hash(g), split_key(g)});
  }

  void target(const Json& json) {
    const auto text = json.at("target").get<std::string>();
    targets_.push_back({text, target_hash(parse_target_json(text, where()))});
  }

  template <typename T>
  const T& numbered(const std::vector<T>& all, const Json& number, const char* what) const {
    const auto n = number.get<int64_t>();
    if (n < 0 || n >= static_cast<int64_t>(all.size()))
      fail(std::string("there is no ") + what + " " + std::to_string(n) + " yet");
    return all[static_cast<size_t>(n)];
  }

  void batch(const Json& json) {
    record_ = {};
    record_.batch = json.at("batch").get<std::string>();
    if (record_.batch.empty()) fail("a batch without id");
    const Workload& w = numbered(workloads_, json.at("workload"), "workload");
    record_.workload = w.text;
    record_.workload_hash = w.hash;
    record_.split_key = w.key;
    const Hardware& t = numbered(targets_, json.at("target"), "target");
    record_.target = t.text;
    record_.target_hash = t.hash;
    for_each_batch_field(record_, [&]<typename T>(const char* key, T& value) { value = json.at(key).template get<T>(); });
  }

  void row(const Json& json) {
    if (record_.batch.empty()) fail("a row before the first batch");
    record_.schedule = json.at(0).get<std::string>();
    record_.schedule_hash = hash(parse_schedule(record_.schedule));
    const auto status = parse_measure_status(json.at(1).get<std::string>());
    if (!status) fail("no status is called '" + json.at(1).get<std::string>() + "'");
    record_.status = *status;
    record_.origin = json.at(2).get<std::string>();
    record_.seed = json.at(3).get<uint64_t>();
    const auto digits = json.at(4).get<std::string>();
    const auto [stop, error] = std::from_chars(digits.data(), digits.data() + digits.size(), record_.source_hash, 16);
    if (digits.size() != 16 || error != std::errc() || stop != digits.data() + 16)
      fail("a source hash has 16 hexadecimal digits");
    record_.median_ms = json.at(5).get<double>();
    record_.ratio = json.at(6).get<double>();
    record_.samples_ms = json.at(7).get<std::vector<double>>();
    record_.reason = json.size() > 8 ? json.at(8).get<std::string>() : "";
  }

  const std::string file_;
  int64_t number_ = 0;
  std::vector<Workload> workloads_;
  std::vector<Hardware> targets_;
  Record record_;  // with what belongs to the batch
};

void read_lines(const std::filesystem::path& file, const std::function<void(const Record&)>& visit) {
  std::ifstream in(file, std::ios::binary);
  if (!in || std::filesystem::is_directory(file)) throw Error(ErrorCode::kEnvironment, "cannot open the file", file.string());
  std::string line;
  for (int64_t number = 1; std::getline(in, line); ++number)
    if (line.find_first_not_of(" \t\r") != std::string::npos)
      visit(parse_record_line(line, file.string() + ":" + std::to_string(number)));
  if (in.bad()) throw Error(ErrorCode::kEnvironment, "cannot read", file.string());
}

bool is_store(const std::filesystem::path& file) {
  constexpr std::string_view kMagic = "SQLite format 3";
  std::string begin(kMagic.size(), '\0');
  std::ifstream in(file, std::ios::binary);
  in.read(begin.data(), static_cast<std::streamsize>(begin.size()));
  return in && begin == kMagic;
}

}  // namespace

PackedRecordWriter::PackedRecordWriter(std::function<void(std::string_view)> sink) : out_(std::move(sink)) {
  line(text_of({{"tlm_records", kFormat}}));
}

void PackedRecordWriter::line(const std::string& text) { out_.write(text); }

int PackedRecordWriter::number_of(std::map<std::string, int>& numbers, const char* key, const std::string& text) {
  const auto [at, fresh] = numbers.try_emplace(text, static_cast<int>(numbers.size()));
  if (fresh) line(text_of({{key, text}}));
  return at->second;
}

void PackedRecordWriter::add(const Record& r) {
  if (r.batch != batch_) {
    batch_ = r.batch;
    Json json = {{"batch", r.batch}};
    json["workload"] = number_of(workloads_, "workload", r.workload);
    json["target"] = number_of(targets_, "target", r.target);
    for_each_batch_field(r, [&](const char* key, const auto& value) { json[key] = value; });
    line(text_of(json));
  }
  Json row = {r.schedule,  measure_status_name(r.status), r.origin, r.seed, to_hex(r.source_hash), r.median_ms, r.ratio,
              r.samples_ms};
  if (!r.reason.empty()) row.push_back(r.reason);
  line(text_of(row));
}

void PackedRecordWriter::finish() { out_.finish(); }

struct PackedRecordReader::State {
  XzLines lines;
  PackedLines meaning;
  std::string line;
};

PackedRecordReader::PackedRecordReader(const std::filesystem::path& file)
    : state_(new State{XzLines(file), PackedLines(file.string()), {}}) {}

PackedRecordReader::~PackedRecordReader() = default;

bool PackedRecordReader::next(Record& record) {
  while (state_->lines.next(state_->line)) {
    if (!state_->meaning.take(state_->line)) continue;
    record = state_->meaning.record();
    return true;
  }
  state_->meaning.end();
  return false;
}

void read_record_file(const std::filesystem::path& file, const std::function<void(const Record&)>& visit) {
  if (is_xz(file)) {
    PackedRecordReader packed(file);
    for (Record r; packed.next(r);) visit(r);
    return;
  }
  if (is_store(file)) return RecordStore(file, StoreAccess::kRead).for_each(visit);
  read_lines(file, visit);
}

}  // namespace tlm::space
