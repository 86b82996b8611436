#include "tlm/ir/graph/op_kind.h"

#include <algorithm>
#include <array>

namespace tlm::ir {

namespace {

constexpr std::string_view kNames[] = {
#define X(name) #name,
    TLM_OPERATORS(X)
#undef X
};

}  // namespace

std::string_view op_kind_name(OpKind op) {
  const auto i = static_cast<size_t>(op);
  return i < std::size(kNames) ? kNames[i] : "Removed";
}

std::optional<OpKind> parse_op_kind(std::string_view onnx_name) {
  for (size_t i = 0; i < std::size(kNames); ++i)
    if (kNames[i] == onnx_name) return static_cast<OpKind>(i);
  return std::nullopt;
}

}  // namespace tlm::ir
