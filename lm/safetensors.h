// Files of named tensors: eight bytes of header length (little endian), a JSON header, the tensors' bytes.
// Format: the safetensors specification.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "tlm/core/dtype.h"
#include "tlm/core/file.h"

namespace tlm::lm {

struct SafeTensor {
  DType type = DType::kF32;
  std::vector<int64_t> shape;
  std::span<const std::byte> bytes;  // little endian, row-major, any alignment

  size_t count() const { return bytes.size() / dtype_size(type); }
};

// Every offset and size is checked when the file is opened. Throws Error(kBadModel), and Error(kEnvironment) for the file.
class SafetensorsFile {
 public:
  explicit SafetensorsFile(const std::filesystem::path& path);
  SafetensorsFile(std::span<const std::byte> bytes, std::string where);  // borrowed: they outlive this object

  const std::map<std::string, SafeTensor>& tensors() const { return tensors_; }  // they live as long as this object
  const std::map<std::string, std::string>& metadata() const { return metadata_; }
  const SafeTensor* find(const std::string& name) const;       // null: not there
  std::vector<double> numbers(const std::string& name) const;  // of f16, bf16, f32, f64, i32, i64

 private:
  void parse(std::span<const std::byte> bytes);
  std::shared_ptr<const MappedFile> file_;
  std::string where_;
  std::map<std::string, SafeTensor> tensors_;
  std::map<std::string, std::string> metadata_;
};

struct NamedTensor {
  std::string name;
  SafeTensor tensor;
};

// Writes the tensors in the order given; the file appears whole or not at all.
void write_safetensors(const std::filesystem::path& path, const std::vector<NamedTensor>& tensors,
                       const std::map<std::string, std::string>& metadata = {});

}  // namespace tlm::lm
