#include "tlm/core/runtime/manifest.h"

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <utility>

#include "tlm/core/error.h"
#include "tlm/core/hash.h"

namespace tlm::runtime {
namespace {

// Objects of nlohmann::json are ordered by key, so the text depends on nothing but the values.
using Json = nlohmann::json;

constexpr const char* kSpaceNames[] = {"input", "output", "arena", "weights"};

// ---- writing

// JSON has no infinities: they are written as text.
Json number_json(double v) {
  if (std::isnan(v)) return "nan";
  if (std::isinf(v)) return v > 0 ? "inf" : "-inf";
  return v;
}

Json buffer_json(const BufferRef& b) {
  return {{"space", kSpaceNames[static_cast<int>(b.space)]}, {"index", b.index}, {"offset", b.offset}, {"bytes", b.bytes}};
}

Json phase_json(const PhaseDesc& p) { return {{"entry", p.entry}, {"extent", p.extent}, {"grain", p.grain}}; }

Json tensor_json(const TensorDesc& t) {
  return {{"dtype", std::string(dtype_name(t.dtype))}, {"shape", t.shape}, {"present", t.present}};
}

Json port_json(const PortDesc& p) { return {{"name", p.name}, {"dtype", std::string(dtype_name(p.dtype))}, {"shape", p.shape}}; }

template <typename T, typename F>
Json array_json(const std::vector<T>& items, F&& one) {
  Json array = Json::array();
  for (const T& item : items) array.push_back(one(item));
  return array;
}

Json step_json(const StepDesc& s) {
  Json json = {{"name", s.name},
               {"workload", to_hex(s.workload)},
               {"flops", number_json(s.flops)},
               {"bytes", number_json(s.bytes)},
               {"args", array_json(s.args, buffer_json)},
               {"workspace_offset", s.workspace_offset},
               {"workspace_bytes", s.workspace_bytes},
               {"worker_bytes", s.worker_bytes}};
  if (s.call.empty()) {
    json["phases"] = array_json(s.phases, phase_json);
    json["ints"] = s.ints;
    return json;
  }
  json["call"] = s.call;
  json["call_inputs"] = s.call_inputs;
  json["tensors"] = array_json(s.tensors, tensor_json);
  json["numbers"] = Json::object();
  for (const auto& [name, values] : s.numbers) json["numbers"][name] = array_json(values, number_json);
  json["strings"] = s.strings;
  return json;
}

Json variant_json(const VariantDesc& v) {
  return {{"target_json", v.target_json},
          {"arch", v.arch},
          {"features", v.features},
          {"code_section", v.code_section},
          {"weights_section", v.weights_section},
          {"arena_bytes", v.arena_bytes},
          {"steps", array_json(v.steps, step_json)}};
}

// ---- reading

// A JSON value and the path that leads to it ("variants[0].steps[3].args"), for messages.
class Reader {
 public:
  Reader(const Json& json, std::string path) : json_(json), path_(std::move(path)) {}

  [[noreturn]] void fail(const std::string& what) const {
    throw Error(ErrorCode::kBadModel, "package manifest: " + what, path_.empty() ? "(top)" : path_);
  }

  Reader member(const char* name) const {
    auto found = object().find(name);
    if (found == json_.end()) fail(std::string("member '") + name + "' is missing");
    return {*found, path_.empty() ? name : path_ + "." + name};
  }
  bool has(const char* name) const { return object().contains(name); }

  std::string text() const {
    if (!json_.is_string()) fail(std::string("expected a string, found ") + json_.type_name());
    return json_.get<std::string>();
  }
  bool boolean() const {
    if (!json_.is_boolean()) fail(std::string("expected true or false, found ") + json_.type_name());
    return json_.get<bool>();
  }
  template <typename T>
  T integer(T low = std::numeric_limits<T>::min(), T high = std::numeric_limits<T>::max()) const {
    if (!json_.is_number_integer()) fail(std::string("expected an integer, found ") + json_.type_name());
    const bool is_unsigned = json_.is_number_unsigned();
    const uint64_t u = is_unsigned ? json_.get<uint64_t>() : 0;
    const int64_t i = is_unsigned ? 0 : json_.get<int64_t>();
    const bool inside = is_unsigned ? std::cmp_less_equal(low, u) && std::cmp_greater_equal(high, u)
                                    : std::cmp_less_equal(low, i) && std::cmp_greater_equal(high, i);
    if (!inside) fail("number " + json_.dump() + " is not between " + std::to_string(low) + " and " + std::to_string(high));
    return is_unsigned ? static_cast<T>(u) : static_cast<T>(i);
  }
  double number() const {
    if (json_.is_number()) return json_.get<double>();
    const std::string t = json_.is_string() ? json_.get<std::string>() : "";
    if (t == "nan") return std::numeric_limits<double>::quiet_NaN();
    if (t == "inf") return std::numeric_limits<double>::infinity();
    if (t == "-inf") return -std::numeric_limits<double>::infinity();
    fail(std::string("expected a number, found ") + json_.type_name());
  }
  template <typename F>
  auto list(F&& one) const {
    if (!json_.is_array()) fail(std::string("expected an array, found ") + json_.type_name());
    std::vector<decltype(one(std::declval<const Reader&>()))> items;
    items.reserve(json_.size());
    for (size_t i = 0; i < json_.size(); ++i) items.push_back(one(Reader(json_[i], path_ + "[" + std::to_string(i) + "]")));
    return items;
  }
  template <typename F>
  auto table(F&& one) const {
    std::map<std::string, decltype(one(std::declval<const Reader&>()))> items;
    for (const auto& [key, value] : object().items()) items.emplace(key, one(Reader(value, path_ + "." + key)));
    return items;
  }

 private:
  const Json& object() const {
    if (!json_.is_object()) fail(std::string("expected an object, found ") + json_.type_name());
    return json_;
  }

  const Json& json_;
  std::string path_;
};

std::string read_text(const Reader& r) { return r.text(); }
double read_number(const Reader& r) { return r.number(); }
int64_t read_int64(const Reader& r) { return r.integer<int64_t>(); }

DType read_dtype(const Reader& r) {
  const std::string name = r.text();
  const auto dtype = parse_dtype(name);
  if (!dtype) r.fail("unknown element type '" + name + "'");
  return *dtype;
}

Shape read_shape(const Reader& r) {
  constexpr size_t kMaxRank = 64;
  Shape shape = r.list([](const Reader& e) { return e.integer<int64_t>(0); });
  if (shape.size() > kMaxRank) r.fail("rank " + std::to_string(shape.size()) + " exceeds " + std::to_string(kMaxRank));
  try {
    element_count(shape);
  } catch (const Error& e) {
    r.fail(e.message());
  }
  return shape;
}

uint64_t read_hex(const Reader& r) {
  const std::string text = r.text();
  if (text.size() != 16) r.fail("expected 16 hexadecimal digits");
  uint64_t value = 0;
  for (char c : text) {
    const bool digit = c >= '0' && c <= '9', letter = c >= 'a' && c <= 'f';
    if (!digit && !letter) r.fail("expected 16 hexadecimal digits");
    value = value << 4 | static_cast<uint64_t>(digit ? c - '0' : c - 'a' + 10);
  }
  return value;
}

BufferRef read_buffer(const Reader& r) {
  BufferRef b;
  const std::string space = r.member("space").text();
  int number = 0;
  while (number < 4 && space != kSpaceNames[number]) ++number;
  if (number == 4) r.member("space").fail("unknown space '" + space + "'");
  b.space = static_cast<BufferSpace>(number);
  b.index = r.member("index").integer<int>(0);
  b.offset = r.member("offset").integer<uint64_t>();
  b.bytes = r.member("bytes").integer<uint64_t>();
  return b;
}

PhaseDesc read_phase(const Reader& r) {
  return {r.member("entry").integer<uint32_t>(), r.member("extent").integer<int64_t>(1), r.member("grain").integer<int64_t>(1)};
}

TensorDesc read_tensor(const Reader& r) {
  return {read_dtype(r.member("dtype")), read_shape(r.member("shape")), r.member("present").boolean()};
}

PortDesc read_port(const Reader& r) {
  return {r.member("name").text(), read_dtype(r.member("dtype")), read_shape(r.member("shape"))};
}

StepDesc read_step(const Reader& r) {
  StepDesc s;
  s.name = r.member("name").text();
  s.workload = read_hex(r.member("workload"));
  s.flops = r.member("flops").number();
  if (r.has("bytes")) s.bytes = r.member("bytes").number();
  s.args = r.member("args").list(read_buffer);
  s.workspace_offset = r.member("workspace_offset").integer<uint64_t>();
  s.workspace_bytes = r.member("workspace_bytes").integer<uint64_t>();
  s.worker_bytes = r.member("worker_bytes").integer<uint64_t>();
  if (!r.has("call")) {
    s.phases = r.member("phases").list(read_phase);
    s.ints = r.member("ints").list(read_int64);
    return s;
  }
  s.call = r.member("call").text();
  if (s.call.empty()) r.member("call").fail("name is empty");
  s.call_inputs = r.member("call_inputs").integer<int>(0);
  s.tensors = r.member("tensors").list(read_tensor);
  s.numbers = r.member("numbers").table([](const Reader& e) { return e.list(read_number); });
  s.strings = r.member("strings").table(read_text);
  return s;
}

VariantDesc read_variant(const Reader& r) {
  VariantDesc v;
  v.target_json = r.member("target_json").text();
  v.arch = r.member("arch").text();
  v.features = r.member("features").list(read_text);
  v.code_section = r.member("code_section").integer<int>(-1);
  v.weights_section = r.member("weights_section").integer<int>(-1);
  v.arena_bytes = r.member("arena_bytes").integer<uint64_t>();
  v.steps = r.member("steps").list(read_step);
  return v;
}

}  // namespace

std::string manifest_json(const Manifest& m) {
  const Json json = {{"engine_version", m.engine_version},
                     {"compiler", m.compiler},
                     {"model_name", m.model_name},
                     {"metadata", m.metadata},
                     {"inputs", array_json(m.inputs, port_json)},
                     {"outputs", array_json(m.outputs, port_json)},
                     {"variants", array_json(m.variants, variant_json)}};
  // Bytes of a model's names that are no UTF-8 become U+FFFD.
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

Manifest parse_manifest(const std::string& text) {
  Json json;
  try {
    json = Json::parse(text);
  } catch (const Json::exception& e) {
    throw Error(ErrorCode::kBadModel, std::string("package manifest: ") + e.what());
  }
  const Reader top(json, "");
  Manifest m;
  m.engine_version = top.member("engine_version").text();
  m.compiler = top.member("compiler").text();
  m.model_name = top.member("model_name").text();
  m.metadata = top.member("metadata").table(read_text);
  m.inputs = top.member("inputs").list(read_port);
  m.outputs = top.member("outputs").list(read_port);
  m.variants = top.member("variants").list(read_variant);
  return m;
}

}  // namespace tlm::runtime
