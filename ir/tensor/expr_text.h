// The text of expressions: infix for + - * / // % and comparisons, op names as functions for the rest.
//   X[n, ci, h*2 + r] * W[co, ci, r]      select(h < 3 && 0 <= w, acc0, 0.0)      i32(max(x, y))      exp(2.5:f64)
// `//` and `%` floor. Literals of i64 and f32 are plain (floats have a point), others carry their type: 3:u8, 0.5:f16.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "tlm/ir/tensor/expr.h"

namespace tlm::ir {

struct ExprNames {
  std::function<std::string(int)> var, tensor, local;
};
std::string print(const Expr& e, const ExprNames& names);

// Could `name` be printed bare, without being taken for something else (an op, a type, acc0, a literal)?
bool is_plain_name(std::string_view name);
std::string quote(std::string_view text);

}  // namespace tlm::ir
