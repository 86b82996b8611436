// ONNX's numbers of element types (TensorProto.DataType), as the attributes `to` and `dtype` carry them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "tlm/core/dtype.h"

namespace tlm::ir {

std::optional<DType> dtype_of_onnx(int64_t number);  // nothing for strings, complex numbers and unknown types
int64_t onnx_of_dtype(DType t);
std::string onnx_dtype_name(int64_t number);  // "STRING", "COMPLEX64", …: for messages

}  // namespace tlm::ir
