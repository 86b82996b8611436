// Small linear maps as expressions: the transforms of fast algorithms.
#pragma once

#include <vector>

#include "tlm/ir/tensor/expr.h"

namespace tlm::space {

using Matrix = std::vector<std::vector<double>>;  // rows

// matrix · values in type t. Zeros are dropped, ±1 become additions and subtractions; sums that two rows (or differences that two
// columns) have in common are computed once: shared nodes.
std::vector<ir::Expr> apply_matrix(const Matrix& matrix, const std::vector<ir::Expr>& values, DType t);
// matrix · grid · matrixᵀ, row by row. grid[i][j]; `rows` and `columns`: how many rows of the matrix are wanted on each side.
std::vector<std::vector<ir::Expr>> apply_both_sides(const Matrix& matrix, const std::vector<std::vector<ir::Expr>>& grid,
                                                    int rows, int columns, DType t);

}  // namespace tlm::space
