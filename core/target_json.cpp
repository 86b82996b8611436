// Targets as JSON.
#include <algorithm>
#include <nlohmann/json.hpp>

#include "tlm/core/error.h"
#include "tlm/core/target.h"

namespace tlm {
namespace {

using Json = nlohmann::ordered_json;

// The numbers of a target under their JSON names: one list for writing and for reading.
template <typename T, typename F>
void for_each_number(T& target, F f) {
  f("vector_bits", target.vector_bits);
  f("vector_registers", target.vector_registers);
  f("l1_kb", target.l1_kb);
  f("l2_kb", target.l2_kb);
  f("l3_kb", target.l3_kb);
  f("cores", target.cores);
  if (target.device == DeviceKind::kCuda) {
    f("sm", target.sm);
    f("multiprocessors", target.multiprocessors);
    f("shared_kb", target.shared_kb);
    f("registers", target.registers);
  }
}

[[noreturn]] void fail(const std::string& reason, const std::string& where) {
  throw Error(ErrorCode::kUsage, "bad target: " + reason, where, "start from the output of `tlm target NAME`");
}

// One of two words.
template <typename T>
T choice(const Json& value, const char* key, const char* first, T if_first, const char* second, T if_second,
         const std::string& where) {
  if (value == first) return if_first;
  if (value == second) return if_second;
  fail(std::string(key) + " must be \"" + first + "\" or \"" + second + "\"", where);
}

}  // namespace

std::string target_json(const Target& target) {
  Json json;
  json["name"] = target.name;
  json["device"] = target.device == DeviceKind::kCuda ? "cuda" : "cpu";
  json["arch"] = target.arch;
  json["features"] = target.features;
  json["fma"] = target.fma;
  json["numerics"] = target.numerics == Numerics::kStrict ? "strict" : "fast";
  for_each_number(target, [&json](const char* key, int value) { json[key] = value; });
  // Names come from files and may hold bytes that are not UTF-8: those are replaced, never a reason to throw.
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

Target parse_target_json(std::string_view text, const std::string& where) {
  const Json json = Json::parse(text, nullptr, false);
  if (json.is_discarded() || !json.is_object()) fail("not a JSON object", where);
  Target target;
  if (json.contains("device"))
    target.device = choice(json["device"], "device", "cpu", DeviceKind::kCpu, "cuda", DeviceKind::kCuda, where);
  for (const auto& [key, value] : json.items()) {
    bool known = key == "device";
    if (key == "name" || key == "arch") {
      known = true;
      if (!value.is_string()) fail(key + " must be a string", where);
      (key == "name" ? target.name : target.arch) = value.get<std::string>();
    } else if (key == "features") {
      known = true;
      if (!value.is_array()) fail("features must be an array of strings", where);
      for (const Json& feature : value) {
        if (!feature.is_string()) fail("features must be an array of strings", where);
        target.features.push_back(feature.get<std::string>());
      }
      std::sort(target.features.begin(), target.features.end());
      target.features.erase(std::unique(target.features.begin(), target.features.end()), target.features.end());
    } else if (key == "fma") {
      known = true;
      if (!value.is_boolean()) fail("fma must be true or false", where);
      target.fma = value.get<bool>();
    } else if (key == "numerics") {
      known = true;
      target.numerics = choice(value, "numerics", "fast", Numerics::kFast, "strict", Numerics::kStrict, where);
    }
    for_each_number(target, [&, &key = key, &value = value](const char* name, int& number) {
      if (key != name) return;
      known = true;
      if (!value.is_number_integer() || value < 0 || value > 1 << 30) fail(key + " must be a whole number from 0 to 2^30", where);
      number = value.get<int>();
    });
    if (!known) fail("unknown key '" + key + "'", where);
  }
  if (const std::string defect = target_defect(target); !defect.empty()) fail(defect, where);
  return target;
}

}  // namespace tlm
