#include "tlm/lm/safetensors.h"

#include <cstring>
#include <nlohmann/json.hpp>
#include <optional>

#include "tlm/core/error.h"

namespace tlm::lm {
namespace {

constexpr uint64_t kLargestHeader = 100u << 20;

const std::pair<const char*, DType> kTypes[] = {
    {"F32", DType::kF32}, {"F64", DType::kF64}, {"F16", DType::kF16},  {"BF16", DType::kBF16}, {"I8", DType::kI8},
    {"I16", DType::kI16}, {"I32", DType::kI32}, {"I64", DType::kI64},  {"U8", DType::kU8},     {"U16", DType::kU16},
    {"U32", DType::kU32}, {"U64", DType::kU64}, {"BOOL", DType::kBool}};

std::optional<DType> type_of(const nlohmann::json& name) {
  for (const auto& [text, type] : kTypes)
    if (name.is_string() && name.get_ref<const std::string&>() == text) return type;
  return std::nullopt;
}

std::optional<uint64_t> size_of(const nlohmann::json& value) {
  if (!value.is_number_unsigned()) return std::nullopt;
  return value.get<uint64_t>();
}

template <typename T>
T read(const std::byte* from) {
  T value;
  std::memcpy(&value, from, sizeof(value));
  return value;
}

double number_at(DType type, const std::byte* from) {
  switch (type) {
    case DType::kF32: return read<float>(from);
    case DType::kF64: return read<double>(from);
    case DType::kF16: return f16_to_f32(read<uint16_t>(from));
    case DType::kBF16: return bf16_to_f32(read<uint16_t>(from));
    case DType::kI32: return read<int32_t>(from);
    case DType::kI64: return static_cast<double>(read<int64_t>(from));
    default: throw Error(ErrorCode::kUnsupported, "numbers of type " + std::string(dtype_name(type)));
  }
}

}  // namespace

SafetensorsFile::SafetensorsFile(const std::filesystem::path& path) : file_(MappedFile::open(path)), where_(path.string()) {
  parse(file_->bytes());
}

SafetensorsFile::SafetensorsFile(std::span<const std::byte> bytes, std::string where) : where_(std::move(where)) { parse(bytes); }

void SafetensorsFile::parse(std::span<const std::byte> file) {
  const auto fail = [&](const std::string& what) { throw Error(ErrorCode::kBadModel, what, where_); };
  if (file.size() < 8) fail("a safetensors file has at least 8 bytes");
  uint64_t header_bytes = 0;
  for (int i = 7; i >= 0; --i) header_bytes = header_bytes << 8 | static_cast<uint64_t>(file.data()[i]);
  if (header_bytes > kLargestHeader || header_bytes > file.size() - 8) fail("the header does not fit into the file");
  const char* text = reinterpret_cast<const char*>(file.data() + 8);
  const nlohmann::json header = nlohmann::json::parse(text, text + header_bytes, nullptr, false);
  if (!header.is_object()) fail("the header is not a JSON object");
  const std::byte* data = file.data() + 8 + header_bytes;
  const uint64_t data_bytes = file.size() - 8 - header_bytes;
  for (const auto& [name, entry] : header.items()) {
    if (!entry.is_object()) fail("header of '" + name + "' is not an object");
    if (name == "__metadata__") {
      for (const auto& [key, value] : entry.items()) {
        if (!value.is_string()) fail("metadata '" + key + "' is not a string");
        metadata_[key] = value.get<std::string>();
      }
      continue;
    }
    const auto type = type_of(entry.value("dtype", nlohmann::json()));
    if (!type) fail("tensor '" + name + "' has no type that is known");
    const nlohmann::json shape = entry.value("shape", nlohmann::json()), offsets = entry.value("data_offsets", nlohmann::json());
    if (!shape.is_array() || !offsets.is_array() || offsets.size() != 2)
      fail("tensor '" + name + "' lacks shape or data_offsets");
    SafeTensor tensor{*type, {}, {}};
    uint64_t bytes = dtype_size(*type);
    for (const nlohmann::json& extent : shape) {
      const auto value = size_of(extent);
      uint64_t product = 0;
      if (!value || __builtin_mul_overflow(bytes, *value, &product) || *value > INT64_MAX)
        fail("tensor '" + name + "' has a bad shape");
      bytes = product;
      tensor.shape.push_back(static_cast<int64_t>(*value));
    }
    const auto begin = size_of(offsets[0]), end = size_of(offsets[1]);
    if (!begin || !end || *begin > *end || *end > data_bytes) fail("tensor '" + name + "' lies outside the file");
    if (*end - *begin != bytes)
      fail("tensor '" + name + "' has " + std::to_string(*end - *begin) + " bytes, its shape needs " + std::to_string(bytes));
    tensor.bytes = {data + *begin, static_cast<size_t>(bytes)};
    tensors_[name] = std::move(tensor);
  }
}

const SafeTensor* SafetensorsFile::find(const std::string& name) const {
  const auto it = tensors_.find(name);
  return it == tensors_.end() ? nullptr : &it->second;
}

std::vector<double> SafetensorsFile::numbers(const std::string& name) const {
  const SafeTensor* tensor = find(name);
  if (!tensor) throw Error(ErrorCode::kBadModel, "no tensor '" + name + "'", where_);
  std::vector<double> out(tensor->count());
  const size_t size = dtype_size(tensor->type);
  for (size_t i = 0; i < out.size(); ++i) out[i] = number_at(tensor->type, tensor->bytes.data() + i * size);
  return out;
}

void write_safetensors(const std::filesystem::path& path, const std::vector<NamedTensor>& tensors,
                       const std::map<std::string, std::string>& metadata) {
  nlohmann::ordered_json header = nlohmann::ordered_json::object();
  if (!metadata.empty()) header["__metadata__"] = metadata;
  uint64_t offset = 0;
  for (const NamedTensor& t : tensors) {
    const char* type = nullptr;
    for (const auto& [text, value] : kTypes)
      if (value == t.tensor.type) type = text;
    TLM_CHECK(type) << dtype_name(t.tensor.type);
    header[t.name] = {{"dtype", type}, {"shape", t.tensor.shape}, {"data_offsets", {offset, offset + t.tensor.bytes.size()}}};
    offset += t.tensor.bytes.size();
  }
  std::string text = header.dump();
  text.append((8 - text.size() % 8) % 8, ' ');  // so that the tensors begin aligned
  char length[8];
  for (int i = 0; i < 8; ++i) length[i] = static_cast<char>(text.size() >> (8 * i));
  AtomicFile file(path);
  file.write(length, sizeof(length));
  file.write(text);
  for (const NamedTensor& t : tensors) file.write(t.tensor.bytes.data(), t.tensor.bytes.size());
  file.commit();
}

}  // namespace tlm::lm
