#include "tlm/space/rules/bilinear.h"

#include <cmath>

#include "tlm/core/error.h"

namespace tlm::space {
namespace {

using ir::Expr;

Expr weighted_sum(const std::vector<double>& row, const std::vector<Expr>& values, DType t) {
  auto term = [&](size_t k) { return std::abs(row[k]) == 1 ? values[k] : values[k] * ir::make_const(std::abs(row[k]), t); };
  size_t first = row.size();  // a sum begins with a positive term where there is one
  for (size_t k = row.size(); k-- > 0;) {
    if (row[k] != 0 && (first == row.size() || row[k] > 0 || row[first] < 0)) first = k;
  }
  if (first == row.size()) return ir::make_const(0, t);
  Expr sum = row[first] > 0 ? term(first) : ir::make_op(ir::Op::kNeg, {term(first)});
  for (size_t k = 0; k < row.size(); ++k) {
    if (k == first || row[k] == 0) continue;
    sum = row[k] > 0 ? sum + term(k) : sum - term(k);
  }
  return sum;
}

// Columns k and l with equal coefficients up to sign in every row: their values' sum and difference take their place.
void pair_columns(Matrix& m, std::vector<Expr>& values) {
  std::vector<bool> paired(values.size(), false);
  for (size_t k = 0; k < values.size(); ++k) {
    for (size_t l = k + 1; l < values.size() && !paired[k]; ++l) {
      bool same = false, opposite = false, pair = !paired[l];
      for (const std::vector<double>& row : m) {
        pair = pair && std::abs(row[k]) == std::abs(row[l]);
        same = same || (row[k] != 0 && row[k] == row[l]);
        opposite = opposite || (row[k] != 0 && row[k] == -row[l]);
      }
      if (!pair || !same || !opposite) continue;
      paired[k] = paired[l] = true;
      const Expr a = values[k], b = values[l];
      values[k] = a + b;
      values[l] = a - b;
      for (std::vector<double>& row : m) {
        const double c = row[k];
        const bool equal = row[k] == row[l];
        row[k] = equal ? c : 0;
        row[l] = equal ? 0 : c;
      }
    }
  }
}

}  // namespace

std::vector<Expr> apply_matrix(const Matrix& matrix, const std::vector<Expr>& given, DType t) {
  Matrix m = matrix;
  std::vector<Expr> values = given, out(m.size());
  for (const std::vector<double>& row : m) TLM_CHECK(row.size() == values.size()) << row.size() << " columns";
  pair_columns(m, values);
  for (size_t i = 0; i < m.size(); ++i) {
    for (size_t j = i + 1; j < m.size() && !out[i]; ++j) {
      // Rows that differ in signs only: one is even + odd, the other even - odd.
      std::vector<double> even(values.size(), 0), odd(values.size(), 0);
      int evens = 0, odds = 0;
      bool pair = !out[j];
      for (size_t k = 0; k < values.size(); ++k) {
        if (m[i][k] == 0 && m[j][k] == 0) continue;
        pair = pair && std::abs(m[i][k]) == std::abs(m[j][k]);
        (m[i][k] == m[j][k] ? even : odd)[k] = m[i][k];
        ++(m[i][k] == m[j][k] ? evens : odds);
      }
      if (!pair || evens == 0 || odds == 0) continue;
      const Expr a = weighted_sum(even, values, t), b = weighted_sum(odd, values, t);
      out[i] = a + b;
      out[j] = a - b;
    }
    if (!out[i]) out[i] = weighted_sum(m[i], values, t);
  }
  return out;
}

std::vector<std::vector<Expr>> apply_both_sides(const Matrix& matrix, const std::vector<std::vector<Expr>>& grid, int rows,
                                                int columns, DType t) {
  const Matrix left(matrix.begin(), matrix.begin() + rows), right(matrix.begin(), matrix.begin() + columns);
  std::vector<std::vector<Expr>> half(static_cast<size_t>(rows));  // left · grid
  for (size_t j = 0; j < grid.at(0).size(); ++j) {
    std::vector<Expr> column;
    for (const std::vector<Expr>& row : grid) column.push_back(row[j]);
    const std::vector<Expr> moved = apply_matrix(left, column, t);
    for (size_t i = 0; i < half.size(); ++i) half[i].push_back(moved[i]);
  }
  for (std::vector<Expr>& row : half) row = apply_matrix(right, row, t);
  return half;
}

}  // namespace tlm::space
