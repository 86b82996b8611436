// NumPy's .npy files (format: numpy.lib.format, versions 1.0 to 3.0).
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>

#include "tlm/core/tensor.h"

namespace tlm {

// Reads little-endian arrays of every DType, C or Fortran order (the tensor is row-major). NumPy has no bfloat16: two-byte
// voids ("V2", as ml_dtypes writes them) are read as bf16. Throws Error(kBadModel) that names `where`, Error(kEnvironment).
Tensor parse_npy(std::span<const std::byte> file, const std::string& where);
Tensor read_npy(const std::filesystem::path& path);

// Version 1.0 (2.0 where the header is too long), C order; the data starts at a multiple of 64.
std::string npy_header(DType dtype, const Shape& shape);
void write_npy(const std::filesystem::path& path, const Tensor& tensor);

}  // namespace tlm
