#include "tlm/ir/graph/onnx_dtype.h"

#include <iterator>

namespace tlm::ir {

namespace {

struct Row {
  int64_t number;
  const char* name;
  std::optional<DType> dtype;
};

constexpr Row kRows[] = {
    {0, "UNDEFINED", {}},
    {1, "FLOAT", DType::kF32},
    {2, "UINT8", DType::kU8},
    {3, "INT8", DType::kI8},
    {4, "UINT16", DType::kU16},
    {5, "INT16", DType::kI16},
    {6, "INT32", DType::kI32},
    {7, "INT64", DType::kI64},
    {8, "STRING", {}},
    {9, "BOOL", DType::kBool},
    {10, "FLOAT16", DType::kF16},
    {11, "DOUBLE", DType::kF64},
    {12, "UINT32", DType::kU32},
    {13, "UINT64", DType::kU64},
    {14, "COMPLEX64", {}},
    {15, "COMPLEX128", {}},
    {16, "BFLOAT16", DType::kBF16},
    {17, "FLOAT8E4M3FN", {}},
    {18, "FLOAT8E4M3FNUZ", {}},
    {19, "FLOAT8E5M2", {}},
    {20, "FLOAT8E5M2FNUZ", {}},
    {21, "UINT4", {}},
    {22, "INT4", {}},
    {23, "FLOAT4E2M1", {}},
};

}  // namespace

std::optional<DType> dtype_of_onnx(int64_t number) {
  if (number < 0 || number >= static_cast<int64_t>(std::size(kRows))) return std::nullopt;
  return kRows[number].dtype;
}

int64_t onnx_of_dtype(DType t) {
  for (const Row& r : kRows)
    if (r.dtype == t) return r.number;
  return 0;
}

std::string onnx_dtype_name(int64_t number) {
  if (number < 0 || number >= static_cast<int64_t>(std::size(kRows))) return "type " + std::to_string(number);
  return kRows[number].name;
}

}  // namespace tlm::ir
