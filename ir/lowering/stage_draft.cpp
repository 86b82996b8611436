#include "tlm/ir/lowering/stage_draft.h"

#include <limits>

#include "tlm/core/error.h"

namespace tlm::ir {

namespace {

void mark_written(SubgraphBuilder& b, int tensor) {
  TensorDecl& d = b.subgraph.tensors[static_cast<size_t>(tensor)];
  if (d.role == TensorRole::kInput) d.role = TensorRole::kOutput;
}

}  // namespace

StageDraft::StageDraft(SubgraphBuilder& b, std::string name) : b_(b) { stage_.name = std::move(name); }

Expr StageDraft::add(const std::string& name, int64_t extent, AxisKind kind) {
  TLM_CHECK(stage_.axes.empty() || stage_.axes.back().kind <= kind)
      << "axis " << name << " of " << stage_.name << " is out of order";
  if (kind == AxisKind::kReduce) {
    if (extent == 0) empty_reduction_ = true;
  } else if (extent == 0) {
    no_points_ = true;
  }
  if (kind == AxisKind::kScan && extent == 1) unit_scan_ = true;
  if (extent == 1) return make_int(0);
  stage_.axes.push_back({name, extent, kind});
  return make_var(static_cast<int>(stage_.axes.size()) - 1);
}

Indices StageDraft::spatial(const Shape& shape) {
  static const char* const kNames[] = {"i", "j", "k", "l", "m", "n", "o", "p"};
  Indices at;
  for (size_t d = 0; d < shape.size(); ++d) at.push_back(spatial(d < 8 ? kNames[d] : "i" + std::to_string(d), shape[d]));
  return at;
}

void StageDraft::body(Expr value) { stage_.body = {std::move(value)}; }

void StageDraft::combine(CombinerKind kind, Expr value) {
  stage_.combiner = make_combiner(kind, value->dtype);
  stage_.body = {std::move(value)};
}

void StageDraft::combine(Combiner c, std::vector<Expr> values) {
  stage_.combiner = std::move(c);
  stage_.body = std::move(values);
}

Expr StageDraft::acc(int j) const { return make_acc(j, stage_.body[static_cast<size_t>(j)]->dtype); }

void StageDraft::output(int tensor, Indices indices, Expr result) {
  DType t = b_.subgraph.tensors[static_cast<size_t>(tensor)].dtype;
  stage_.result.push_back(make_cast(result, t));
  stage_.outputs.push_back({tensor, std::move(indices)});
}

void StageDraft::emit() {
  if (no_points_) {  // an empty tensor counts as written
    for (const StageOutput& o : stage_.outputs) mark_written(b_, o.tensor);
    return;
  }
  if (empty_reduction_ || (unit_scan_ && stage_.exclusive)) stage_.body = stage_.combiner.identity;
  if (empty_reduction_) {
    while (!stage_.axes.empty() && stage_.axes.back().kind == AxisKind::kReduce) stage_.axes.pop_back();
  }
  if (!stage_.has_reduction() && !stage_.has_scan()) stage_.combiner = {};
  if (!stage_.has_scan()) stage_.exclusive = false;
  b_.add_stage(std::move(stage_));
}

void map_stage(SubgraphBuilder& b, const std::string& name, int tensor, const PointValue& value) {
  const Shape shape = b.subgraph.tensors[static_cast<size_t>(tensor)].shape;
  if (element_count(shape) == 0) return mark_written(b, tensor);
  StageDraft s(b, name);
  Indices at = s.spatial(shape);
  s.body(value(at));
  s.output(tensor, at, s.acc());
  s.emit();
}

void reduce_stage(SubgraphBuilder& b, const std::string& name, int tensor, const Shape& shape, const std::vector<bool>& reduced,
                  CombinerKind kind, const PointValue& body, const std::function<Expr(Expr)>& result) {
  static const char* const kNames[] = {"i", "j", "k", "l", "m", "n", "o", "p"};
  bool keep = b.subgraph.tensors[static_cast<size_t>(tensor)].shape.size() == shape.size();
  StageDraft s(b, name);
  Indices at(shape.size()), out;
  for (bool reduction : {false, true}) {
    for (size_t d = 0; d < shape.size(); ++d) {
      if (reduced[d] != reduction) continue;
      std::string axis = d < 8 ? kNames[d] : "i" + std::to_string(d);
      at[d] = reduction ? s.reduce("r" + axis, shape[d]) : s.spatial(axis, shape[d]);
    }
  }
  for (size_t d = 0; d < shape.size(); ++d) {
    if (!reduced[d])
      out.push_back(at[d]);
    else if (keep)
      out.push_back(make_int(0));
  }
  s.combine(kind, body(at));
  s.output(tensor, out, result ? result(s.acc()) : s.acc());
  s.emit();
}

Indices broadcast(const Shape& from, const Indices& at) {
  TLM_CHECK(from.size() <= at.size()) << "broadcast of " << to_string(from) << " to rank " << at.size();
  Indices out;
  size_t skip = at.size() - from.size();
  for (size_t d = 0; d < from.size(); ++d) out.push_back(from[d] == 1 ? make_int(0) : at[d + skip]);
  return out;
}

Expr read_broadcast(const Operand& x, const Indices& at) { return x.at(broadcast(x.shape, at)); }

Expr less(const Expr& a, const Expr& b) { return make_op(Op::kLt, {a, b}); }
Expr less_equal(const Expr& a, const Expr& b) { return make_op(Op::kLe, {a, b}); }
Expr equals(const Expr& a, const Expr& b) { return make_op(Op::kEq, {a, b}); }
Expr both(const Expr& a, const Expr& b) { return a ? make_op(Op::kAnd, {a, b}) : b; }
Expr minimum(const Expr& a, const Expr& b) { return make_op(Op::kMin, {a, b}); }
Expr maximum(const Expr& a, const Expr& b) { return make_op(Op::kMax, {a, b}); }
Expr divide(const Expr& a, const Expr& b) { return make_op(Op::kDiv, {a, b}); }
Expr unary(Op op, const Expr& a) { return make_op(op, {a}); }
Expr like(double v, const Expr& e) { return make_const(v, e->dtype); }

Expr lowest(DType t) { return make_combiner(CombinerKind::kMax, t).identity.front(); }

Expr clamp_index(const Expr& e, int64_t extent) { return maximum(minimum(e, make_int(extent - 1)), make_int(0)); }

Expr safe_index(const Expr& loaded, int64_t extent) {
  if (loaded->op == Op::kInt) {
    int64_t i = loaded->ival < 0 ? loaded->ival + extent : loaded->ival;
    return make_int(std::max<int64_t>(0, std::min(i, extent - 1)));
  }
  Expr i = make_cast(loaded, DType::kI64);
  return clamp_index(make_select(less(i, make_int(0)), i + extent, i), extent);
}

Expr flat_index(const Indices& at, const Shape& shape) {
  std::vector<int64_t> strides = row_major_strides(shape);
  Expr flat = make_int(0);
  for (size_t d = 0; d < shape.size(); ++d) flat = flat + at[d] * strides[d];
  return flat;
}

Indices unflatten(const Expr& flat, const Shape& shape) {
  std::vector<int64_t> strides = row_major_strides(shape);
  Indices at;
  bool outermost = true;  // the first dimension needs no mod
  for (size_t d = 0; d < shape.size(); ++d) {
    if (shape[d] == 1) {
      at.push_back(make_int(0));
      continue;
    }
    Expr i = strides[d] == 1 ? flat : floor_div(flat, strides[d]);
    at.push_back(outermost ? i : floor_mod(i, shape[d]));
    outermost = false;
  }
  return at;
}

}  // namespace tlm::ir
