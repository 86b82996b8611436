// Matrix products.
#include "tlm/ir/lowering/families.h"
#include "tlm/ir/lowering/quantization.h"

namespace tlm::ir {
namespace {

using Product = std::function<Expr(const Expr& a, const Expr& b, const Expr& row, const Expr& column)>;
using Finish = std::function<Expr(const Expr& sum, const Expr& row, const Expr& column)>;

// out[batch…, i, j] = finish(Σ_k product(a[batch…, i, k], b[batch…, k, j])) by numpy's matmul rules: vectors lose their axis,
// batch dimensions broadcast.
void multiply(NodeLowering& l, const Operand& a, const Operand& b, const Product& product, const Finish& finish) {
  bool row_vector = a.rank() == 1, column_vector = b.rank() == 1;
  if (a.rank() == 0 || b.rank() == 0) l.bad_model("a scalar operand");
  int64_t rows = row_vector ? 1 : a.shape[a.shape.size() - 2], inner = a.shape.back();
  int64_t columns = column_vector ? 1 : b.shape.back();
  Shape a_batch(a.shape.begin(), a.shape.end() - (row_vector ? 1 : 2)),
      b_batch(b.shape.begin(), b.shape.end() - (column_vector ? 1 : 2));
  const Shape& out = l.out().shape;
  size_t batch_rank = std::max(a_batch.size(), b_batch.size());

  StageDraft s(l.b, l.name());
  Indices batch;
  for (size_t d = 0; d < batch_rank; ++d) batch.push_back(s.spatial("b" + std::to_string(d), out[d]));
  Expr i = s.spatial("i", rows), j = s.spatial("j", columns), k = s.reduce("k", inner);
  Indices a_at = broadcast(a_batch, batch), b_at = broadcast(b_batch, batch), to = batch;
  if (!row_vector) {
    a_at.push_back(i);
    to.push_back(i);
  }
  a_at.push_back(k);
  b_at.push_back(k);
  if (!column_vector) {
    b_at.push_back(j);
    to.push_back(j);
  }
  s.combine(CombinerKind::kSum, product(a.at(a_at), b.at(b_at), i, j));
  s.output(l.out_tensor(), to, finish ? finish(s.acc(), i, j) : s.acc());
  s.emit();
}

// A zero point or scale given for each row of a (or column of b): its last dimension of extent > 1 follows `index`.
Expr row_parameter(const NodeLowering& l, const Operand& p, const Expr& index) {
  Indices at(p.shape.size(), make_int(0));
  bool used = false;
  for (size_t d = 0; d < p.shape.size(); ++d) {
    if (p.shape[d] == 1) continue;
    if (used) l.unsupported("a scale or zero point of shape " + to_string(p.shape));
    used = true;
    at[d] = index;
  }
  return p.at(at);
}

Expr minus_zero(const NodeLowering& l, const Expr& x, int input, const Expr& index) {
  Expr wide = make_cast(x, DType::kI32);
  return l.has_input(input) ? wide - make_cast(row_parameter(l, l.operand(input), index), DType::kI32) : wide;
}

}  // namespace

void lower_matmul(NodeLowering& l) {
  multiply(l, l.operand(0), l.operand(1), [](const Expr& a, const Expr& b, const Expr&, const Expr&) { return a * b; }, {});
}

void lower_matmul_integer(NodeLowering& l) {
  multiply(l, l.operand(0), l.operand(1),
           [&](const Expr& a, const Expr& b, const Expr& row, const Expr& column) {
             return minus_zero(l, a, 2, row) * minus_zero(l, b, 3, column);
           },
           {});
}

void lower_qlinear_matmul(NodeLowering& l) {
  // a, a_scale, a_zero, b, b_scale, b_zero, y_scale, y_zero
  multiply(
      l, l.operand(0), l.operand(3),
      [&](const Expr& a, const Expr& b, const Expr& row, const Expr& column) {
        return minus_zero(l, a, 2, row) * minus_zero(l, b, 5, column);
      },
      [&](const Expr& sum, const Expr& row, const Expr& column) {
        Expr scale = divide(row_parameter(l, l.operand(1), row) * row_parameter(l, l.operand(4), column),
                            row_parameter(l, l.operand(6), row));
        Expr zero = l.has_input(7) ? row_parameter(l, l.operand(7), row) : Expr();
        return quantized(make_cast(sum, scale->dtype) * scale, zero, l.out().dtype);
      });
}

void lower_gemm(NodeLowering& l) {
  Operand a = l.operand(0), b = l.operand(1);
  bool trans_a = l.integer("transA") != 0, trans_b = l.integer("transB") != 0;
  double alpha = l.node.attr_float("alpha", 1), beta = l.node.attr_float("beta", 1);
  const Shape& out = l.out().shape;
  StageDraft s(l.b, l.name());
  Expr i = s.spatial("i", out[0]), j = s.spatial("j", out[1]), k = s.reduce("k", trans_a ? a.shape[0] : a.shape[1]);
  s.combine(CombinerKind::kSum, a.at(trans_a ? Indices{k, i} : Indices{i, k}) * b.at(trans_b ? Indices{j, k} : Indices{k, j}));
  Expr y = s.acc();
  bool integer = !is_float(a.dtype);
  auto scaled = [&](const Expr& e, double factor) {
    if (factor == 1) return e;
    if (!integer) return e * like(factor, e);
    return make_cast(make_cast(e, DType::kF64) * make_float(factor, DType::kF64), e->dtype);
  };
  y = scaled(y, alpha);
  if (l.has_input(2) && beta != 0) y = y + scaled(read_broadcast(l.operand(2), {i, j}), beta);
  s.output(l.out_tensor(), {i, j}, y);
  s.emit();
}

}  // namespace tlm::ir
