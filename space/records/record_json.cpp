#include "tlm/space/records/record_json.h"

#include <charconv>
#include <nlohmann/json.hpp>
#include <set>

#include "tlm/core/error.h"
#include "tlm/core/hash.h"
#include "tlm/space/records/batch_fields.h"
#include "tlm/space/records/split_key.h"

namespace tlm::space {
namespace {

using Json = nlohmann::ordered_json;

// The fields of a record under their JSON names: one list for writing and for reading.
template <typename R, typename F>
void for_each_field(R& r, F&& f) {
  f("workload", r.workload);
  f("workload_hash", r.workload_hash, true);
  f("split_key", r.split_key, true);
  f("target", r.target);
  f("target_hash", r.target_hash, true);
  f("schedule", r.schedule);
  f("schedule_hash", r.schedule_hash, true);
  f("source_hash", r.source_hash, true);
  f("status", r.status);
  f("reason", r.reason);
  f("samples_ms", r.samples_ms);
  f("median_ms", r.median_ms);
  f("ratio", r.ratio);
  f("origin", r.origin);
  f("seed", r.seed, false);
  f("batch", r.batch);
  for_each_batch_field(r, f);
}

struct Writer {
  Json& json;
  template <typename T>
  void operator()(const char* key, const T& value) const {
    json[key] = value;
  }
  void operator()(const char* key, MeasureStatus value) const { json[key] = measure_status_name(value); }
  void operator()(const char* key, uint64_t value, bool hex) const {
    if (hex) {
      json[key] = to_hex(value);
    } else {
      json[key] = value;
    }
  }
};

class Reader {
 public:
  Reader(const Json& json, const std::string& where) : json_(json), where_(where) {}

  void operator()(const char* key, std::string& value) { value = text(key); }
  void operator()(const char* key, double& value) { value = real(at(key), key); }
  void operator()(const char* key, int& value) {
    const Json& j = at(key);
    if (!j.is_number_integer() || j < 0 || j > INT32_MAX) fail(std::string(key) + " must be a whole number");
    value = j.get<int>();
  }
  void operator()(const char* key, bool& value) {
    if (!at(key).is_boolean()) fail(std::string(key) + " must be true or false");
    value = at(key).get<bool>();
  }
  void operator()(const char* key, std::vector<double>& value) {
    if (!at(key).is_array()) fail(std::string(key) + " must be an array of numbers");
    value.clear();
    for (const Json& j : at(key)) value.push_back(real(j, key));
  }
  void operator()(const char* key, MeasureStatus& value) {
    const auto status = parse_measure_status(text(key));
    if (!status) fail("no status is called '" + text(key) + "'");
    value = *status;
  }
  void operator()(const char* key, uint64_t& value, bool hex) {
    if (!hex) {
      if (!at(key).is_number_unsigned()) fail(std::string(key) + " must be a whole number");
      value = at(key).get<uint64_t>();
      return;
    }
    const std::string digits = text(key);
    const auto [stop, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value, 16);
    if (digits.size() != 16 || error != std::errc() || stop != digits.data() + 16)
      fail(std::string(key) + " must be 16 hexadecimal digits");
  }

  void refuse_unknown_keys() const {
    for (const auto& [key, value] : json_.items())
      if (!seen_.contains(key)) fail("unknown key '" + key + "'");
  }
  [[noreturn]] void fail(const std::string& reason) const { throw Error(ErrorCode::kBadModel, "bad record: " + reason, where_); }

 private:
  const Json& at(const char* key) {
    seen_.insert(key);
    const auto it = json_.find(key);
    if (it == json_.end()) fail(std::string(key) + " is missing");
    return *it;
  }
  std::string text(const char* key) {
    if (!at(key).is_string()) fail(std::string(key) + " must be a string");
    return at(key).get<std::string>();
  }
  double real(const Json& j, const char* key) const {
    if (!j.is_number() || j < 0) fail(std::string(key) + " must hold numbers that are not negative");
    return j.get<double>();
  }

  const Json& json_;
  const std::string& where_;
  std::set<std::string> seen_;
};

void check_hashes(const Record& r, const Reader& reader, const std::string& where) {
  try {
    const ir::Subgraph g = ir::parse_subgraph(r.workload);
    if (ir::workload_hash(g) != r.workload_hash) reader.fail("workload_hash does not belong to the workload");
    if (split_key(g) != r.split_key) reader.fail("split_key does not belong to the workload");
    if (target_hash(parse_target_json(r.target, where)) != r.target_hash)
      reader.fail("target_hash does not belong to the target");
    if (hash(parse_schedule(r.schedule)) != r.schedule_hash) reader.fail("schedule_hash does not belong to the schedule");
  } catch (const Error& e) {
    if (e.where() == where && e.code() == ErrorCode::kBadModel) throw;
    reader.fail(e.message());
  }
}

}  // namespace

std::string record_line(const Record& r) {
  Json json;
  for_each_field(r, Writer{json});
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

Record parse_record_line(const std::string& line, const std::string& where) {
  const Json json = Json::parse(line, nullptr, false);
  if (json.is_discarded() || !json.is_object()) throw Error(ErrorCode::kBadModel, "bad record: not a JSON object", where);
  Record r;
  Reader reader(json, where);
  for_each_field(r, reader);
  reader.refuse_unknown_keys();
  if (r.batch.empty()) reader.fail("batch must not be empty");
  check_hashes(r, reader, where);
  return r;
}

}  // namespace tlm::space
