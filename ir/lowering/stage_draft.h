// Writing stages: axes, combiners, outputs, and the index arithmetic that many operators share.
#pragma once

#include <string>
#include <vector>

#include "tlm/ir/lowering/node_lowering.h"

namespace tlm::ir {

// A stage under construction. Axes of extent 1 are left out: their index is the literal 0.
class StageDraft {
 public:
  StageDraft(SubgraphBuilder& b, std::string name);

  // Axes in this order: spatial, reduce, scan.
  Expr spatial(const std::string& name, int64_t extent) { return add(name, extent, AxisKind::kSpatial); }
  Expr reduce(const std::string& name, int64_t extent) { return add(name, extent, AxisKind::kReduce); }
  Expr scan(const std::string& name, int64_t extent) { return add(name, extent, AxisKind::kScan); }
  Indices spatial(const Shape& shape);  // named i, j, k, …

  void body(Expr value);                               // no reduction
  void combine(CombinerKind kind, Expr value);         // one accumulator
  void combine(Combiner c, std::vector<Expr> values);  // a tuple
  void exclusive() { stage_.exclusive = true; }
  Expr acc(int j = 0) const;
  // tensor[indices] = result, cast to the tensor's type.
  void output(int tensor, Indices indices, Expr result);
  // Hands the stage to the builder. Nothing is added when there is no point to compute; a reduction over nothing is its identity.
  void emit();

 private:
  Expr add(const std::string& name, int64_t extent, AxisKind kind);

  SubgraphBuilder& b_;
  Stage stage_;
  bool no_points_ = false, empty_reduction_ = false, unit_scan_ = false;
};

using PointValue = std::function<Expr(const Indices&)>;

// tensor[i…] = value(i…). `value` is not asked when the tensor is empty.
void map_stage(SubgraphBuilder& b, const std::string& name, int tensor, const PointValue& value);
// Combines `body` (given indices of all dimensions of `shape`) over the dimensions marked in `reduced`; `result` finishes the
// accumulator. The reduced dimensions have extent 1 in the tensor if it has the rank of `shape`, else it lacks them.
void reduce_stage(SubgraphBuilder& b, const std::string& name, int tensor, const Shape& shape, const std::vector<bool>& reduced,
                  CombinerKind kind, const PointValue& body, const std::function<Expr(Expr)>& result = {});

// Indices of an operand of shape `from` when it is broadcast (aligned right) to a tensor read at `at`.
Indices broadcast(const Shape& from, const Indices& at);
Expr read_broadcast(const Operand& x, const Indices& at);

// Small expression builders.
Expr less(const Expr& a, const Expr& b);
Expr less_equal(const Expr& a, const Expr& b);
Expr equals(const Expr& a, const Expr& b);
Expr both(const Expr& a, const Expr& b);  // an empty `a` is true
Expr minimum(const Expr& a, const Expr& b);
Expr maximum(const Expr& a, const Expr& b);
Expr divide(const Expr& a, const Expr& b);  // in the operands' type
Expr unary(Op op, const Expr& a);
Expr like(double v, const Expr& e);  // literal of e's type
Expr lowest(DType t);                // literal: identity of max
// An index loaded from a tensor: i64, negatives counted from the end, clamped into [0, extent).
Expr safe_index(const Expr& loaded, int64_t extent);
// Clamped only.
Expr clamp_index(const Expr& e, int64_t extent);
// Position in the row-major order of `shape`, and back.
Expr flat_index(const Indices& at, const Shape& shape);
Indices unflatten(const Expr& flat, const Shape& shape);

}  // namespace tlm::ir
