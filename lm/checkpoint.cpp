#include "tlm/lm/checkpoint.h"

#include <span>
#include <system_error>

#include "tlm/core/error.h"
#include "tlm/core/file.h"
#include "tlm/lm/safetensors.h"

namespace tlm::lm {
namespace {

constexpr size_t kLargestConfig = 1 << 20;

std::string shape_text(const std::vector<int64_t>& shape) {
  std::string out = "[";
  for (size_t i = 0; i < shape.size(); ++i) out += (i ? ", " : "") + std::to_string(shape[i]);
  return out + "]";
}

Weights read_weights(const SafetensorsFile& file, const Config& sizes, const std::string& where) {
  // The file decides how much is allocated: a configuration alone may claim anything.
  const SafeTensor* first = file.find("wte.weight");
  const std::string prefix = first ? "" : "transformer.";
  double needed = static_cast<double>(sizes.layers) * static_cast<double>(sizes.width) *
                  static_cast<double>(4 * sizes.width + 2 * sizes.inner);
  needed += static_cast<double>(sizes.vocabulary + sizes.context) * static_cast<double>(sizes.width);
  size_t present = 0;
  for (const auto& [name, tensor] : file.tensors()) present += tensor.count();
  if (needed > static_cast<double>(present)) throw Error(ErrorCode::kBadModel, "fewer weights than config.json asks for", where);
  Weights weights(sizes);
  for (const WeightInfo& info : weights.table()) {
    const std::string name = prefix + info.name;
    const SafeTensor* tensor = file.find(name);
    if (!tensor) throw Error(ErrorCode::kBadModel, "no tensor '" + name + "'", where);
    if (tensor->shape != info.shape)
      throw Error(ErrorCode::kBadModel, "'" + name + "' is " + shape_text(tensor->shape) + ", expected " + shape_text(info.shape),
                  where);
    if (!is_float(tensor->type))
      throw Error(ErrorCode::kBadModel, "'" + name + "' is " + std::string(dtype_name(tensor->type)), where,
                  "f32, f16, bf16 or f64");
    const std::vector<double> values = file.numbers(name);
    for (size_t i = 0; i < values.size(); ++i) weights.data()[info.offset + i] = static_cast<float>(values[i]);
  }
  return weights;
}

}  // namespace

Weights load_checkpoint(const std::filesystem::path& folder) {
  const std::filesystem::path config = folder / "config.json", model = folder / "model.safetensors";
  const Config sizes = parse_config(read_file(config, kLargestConfig), config.string());
  return read_weights(SafetensorsFile(model), sizes, model.string());
}

Weights read_checkpoint(std::string_view config_json, std::span<const std::byte> safetensors, const std::string& where) {
  return read_weights(SafetensorsFile(safetensors, where), parse_config(config_json, where), where);
}

void save_checkpoint(const std::filesystem::path& folder, const Weights& weights, DType storage) {
  TLM_CHECK(storage == DType::kF32 || storage == DType::kF16);
  std::error_code failure;
  std::filesystem::create_directories(folder, failure);
  if (failure) throw Error(ErrorCode::kEnvironment, "cannot make the folder: " + failure.message(), folder.string());
  const std::span<const float> values(weights.data());
  std::vector<uint16_t> halves;
  if (storage == DType::kF16)
    for (const float v : values) halves.push_back(f32_to_f16(v));
  std::vector<NamedTensor> tensors;
  for (const WeightInfo& info : weights.table()) {
    const auto bytes = storage == DType::kF16 ? std::as_bytes(std::span<const uint16_t>(halves).subspan(info.offset, info.count))
                                              : std::as_bytes(values.subspan(info.offset, info.count));
    tensors.push_back({info.name, {storage, info.shape, bytes}});
  }
  write_safetensors(folder / "model.safetensors", tensors, {{"format", "pt"}});
  write_file_atomic(folder / "config.json", print_config(weights.config()));
}

}  // namespace tlm::lm
