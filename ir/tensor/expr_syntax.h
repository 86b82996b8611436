// What the printer and the reader of expressions agree on.
#pragma once

#include <string_view>

#include "tlm/ir/tensor/expr.h"

namespace tlm::ir {

struct Infix {
  Op op;
  std::string_view text;
  int precedence;  // 1 … 5: binds tighter
};
// Longer symbols first: the reader takes the first that fits.
inline constexpr Infix kInfix[] = {
    {Op::kOr, "||", 1},       {Op::kAnd, "&&", 2}, {Op::kEq, "==", 3}, {Op::kNe, "!=", 3},
    {Op::kLe, "<=", 3},       {Op::kLt, "<", 3},   {Op::kAdd, "+", 4}, {Op::kSub, "-", 4},
    {Op::kFloorDiv, "//", 5}, {Op::kMul, "*", 5},  {Op::kDiv, "/", 5}, {Op::kFloorMod, "%", 5},
};

inline const Infix* find_infix(Op op) {
  for (const Infix& i : kInfix)
    if (i.op == op) return &i;
  return nullptr;
}

inline bool is_digit(char c) { return c >= '0' && c <= '9'; }
inline bool is_word_char(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || is_digit(c) || c == '_' || c == '.';
}

// "acc12" → 12, else -1.
inline int acc_number(std::string_view w) {
  if (!w.starts_with("acc") || w.size() < 4 || w.size() > 9) return -1;
  int n = 0;
  for (char c : w.substr(3)) {
    if (!is_digit(c)) return -1;
    n = n * 10 + (c - '0');
  }
  return n;
}

}  // namespace tlm::ir
