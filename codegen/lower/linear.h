// Index expressions as sums: constant + Σ coefficient · atom, an atom being a variable or anything that is not a sum.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "tlm/ir/tensor/expr.h"

namespace tlm::codegen {

struct Linear {
  int64_t constant = 0;
  std::vector<std::pair<ir::Expr, int64_t>> terms;  // sorted by ir::compare, coefficients not 0

  int64_t coefficient(int var) const;  // of the atom that is the variable itself
  bool hidden(int var) const;          // the variable occurs inside another atom
};

Linear linearize(const ir::Expr& e);  // e: a scalar i64
ir::Expr to_expr(const Linear& l);
ir::Expr terms_expr(const Linear& l);  // without the constant; literal 0 when there are no terms
Linear operator+(const Linear& a, const Linear& b);
Linear operator*(const Linear& a, int64_t factor);

}  // namespace tlm::codegen
