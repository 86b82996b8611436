#include "tlm/lm/config.h"

#include <nlohmann/json.hpp>

#include "tlm/core/error.h"

namespace tlm::lm {
namespace {

constexpr int64_t kLargest = int64_t{1} << 24;  // of any size: products of two stay far from overflow

int64_t size_of(const nlohmann::json& json, const char* key, const std::string& where) {
  const auto it = json.find(key);
  if (it == json.end() || !it->is_number_integer())
    throw Error(ErrorCode::kBadModel, std::string("no integer '") + key + "'", where);
  return it->get<int64_t>();
}

std::string text_of(const nlohmann::json& json, const char* key, const std::string& otherwise) {
  const auto it = json.find(key);
  return it != json.end() && it->is_string() ? it->get<std::string>() : otherwise;
}

}  // namespace

void check(const Config& config, const std::string& where) {
  const std::pair<const char*, int64_t> sizes[] = {{"layers", config.layers},   {"heads", config.heads},
                                                   {"width", config.width},     {"inner width", config.inner},
                                                   {"context", config.context}, {"vocabulary", config.vocabulary}};
  for (const auto& [name, value] : sizes)
    if (value < 1 || value > kLargest)
      throw Error(ErrorCode::kBadModel, std::string(name) + " is " + std::to_string(value), where,
                  "1 to " + std::to_string(kLargest));
  if (config.width % config.heads != 0)
    throw Error(ErrorCode::kBadModel,
                "width " + std::to_string(config.width) + " is no multiple of " + std::to_string(config.heads) + " heads", where);
  if (!(config.epsilon > 0 && config.epsilon < 1))
    throw Error(ErrorCode::kBadModel, "layer_norm_epsilon is outside (0, 1)", where);
}

Config parse_config(std::string_view text, const std::string& where) {
  const nlohmann::json json = nlohmann::json::parse(text, nullptr, false);
  if (!json.is_object()) throw Error(ErrorCode::kBadModel, "not a JSON object", where);
  if (const std::string type = text_of(json, "model_type", "gpt2"); type != "gpt2")
    throw Error(ErrorCode::kUnsupported, "model type '" + type + "'", where, "gpt2");
  if (const std::string gelu = text_of(json, "activation_function", "gelu_new");
      gelu != "gelu_new" && gelu != "gelu_pytorch_tanh")
    throw Error(ErrorCode::kUnsupported, "activation function '" + gelu + "'", where, "gelu_new");
  Config c;
  c.vocabulary = size_of(json, "vocab_size", where);
  c.context = size_of(json, "n_positions", where);
  c.width = size_of(json, "n_embd", where);
  c.layers = size_of(json, "n_layer", where);
  c.heads = size_of(json, "n_head", where);
  const auto inner = json.find("n_inner");
  c.inner = inner == json.end() || inner->is_null() ? 4 * std::min(c.width, kLargest) : size_of(json, "n_inner", where);
  if (const auto it = json.find("layer_norm_epsilon"); it != json.end() && it->is_number()) c.epsilon = it->get<float>();
  check(c, where);
  return c;
}

std::string print_config(const Config& c) {
  nlohmann::ordered_json json;
  json["model_type"] = "gpt2";
  json["vocab_size"] = c.vocabulary;
  json["n_positions"] = c.context;
  json["n_ctx"] = c.context;
  json["n_embd"] = c.width;
  json["n_layer"] = c.layers;
  json["n_head"] = c.heads;
  json["n_inner"] = c.inner;
  json["layer_norm_epsilon"] = c.epsilon;
  json["activation_function"] = "gelu_new";
  return json.dump(1) + "\n";
}

}  // namespace tlm::lm
