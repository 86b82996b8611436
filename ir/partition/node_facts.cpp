#include "tlm/ir/partition/node_facts.h"

#include <algorithm>

#include "tlm/core/error.h"

namespace tlm::ir {
namespace {

bool is_cheap(Op op) {
  switch (op) {
    case Op::kPow:
    case Op::kExp:
    case Op::kLog:
    case Op::kSin:
    case Op::kCos:
    case Op::kTan:
    case Op::kAsin:
    case Op::kAcos:
    case Op::kAtan:
    case Op::kSinh:
    case Op::kCosh:
    case Op::kTanh:
    case Op::kAsinh:
    case Op::kAcosh:
    case Op::kAtanh:
    case Op::kErf: return false;
    default: return true;
  }
}

template <typename F>
void visit_stage(const Stage& s, const F& f) {
  for (const Expr& e : s.body) visit(e, f);
  for (const Expr& e : s.result) visit(e, f);
}

std::optional<std::vector<Affine>> affine_all(const std::vector<Expr>& indices, int vars) {
  std::vector<Affine> result;
  for (const Expr& e : indices) {
    std::optional<Affine> a = as_affine(e, vars);
    if (!a) return std::nullopt;
    result.push_back(std::move(*a));
  }
  return result;
}

std::optional<CopyMap> copy_map(const SubgraphBuilder& b, const Stage& s) {
  if (s.combiner.kind != CombinerKind::kNone || s.body.size() != 1 || s.outputs.size() != 1) return std::nullopt;
  if (s.body[0]->op != Op::kLoad || s.result[0]->op != Op::kAcc) return std::nullopt;
  const int from = s.body[0]->id, to = s.outputs[0].tensor;
  if (b.subgraph.tensors[static_cast<size_t>(from)].dtype != b.subgraph.tensors[static_cast<size_t>(to)].dtype)
    return std::nullopt;
  const ValueId from_value = b.binding[static_cast<size_t>(from)], to_value = b.binding[static_cast<size_t>(to)];
  if (!from_value.valid() || !to_value.valid()) return std::nullopt;
  const int vars = static_cast<int>(s.axes.size());
  auto from_at = affine_all(s.body[0]->args, vars), to_at = affine_all(s.outputs[0].indices, vars);
  if (!from_at || !to_at) return std::nullopt;
  return CopyMap{from_value, to_value, s.extents(), std::move(*from_at), std::move(*to_at)};
}

bool same_indices(const std::vector<Expr>& a, const std::vector<Expr>& b) {
  return a.size() == b.size() &&
         std::equal(a.begin(), a.end(), b.begin(), [](const Expr& x, const Expr& y) { return equal(x, y); });
}

// An axis occurs outside of the indices of loads.
bool uses_axes(const Expr& e) {
  if (e->op == Op::kVar) return true;
  return e->op != Op::kLoad && std::any_of(e->args.begin(), e->args.end(), uses_axes);
}

// Sets aligned, point_free and aligned_inputs: all stages write tensors of one shape, each point from the same point of internal
// tensors.
void find_alignment(const Graph& g, const Node& n, const SubgraphBuilder& b, NodeFacts& facts) {
  size_t present = 0;
  for (ValueId v : n.outputs) present += v.valid() ? 1 : 0;
  if (present != 1 || !n.outputs[0].valid()) return;
  const Shape& shape = g.value(n.outputs[0]).shape;
  std::vector<char> misread(b.subgraph.tensors.size(), 0), read(b.subgraph.tensors.size(), 0);
  for (const Stage& s : b.subgraph.stages) {
    const std::vector<Expr>& at = s.outputs[0].indices;
    for (const StageOutput& out : s.outputs) {
      if (b.subgraph.tensors[static_cast<size_t>(out.tensor)].shape != shape || !same_indices(out.indices, at)) return;
    }
    const auto affine = affine_all(at, static_cast<int>(s.axes.size()));
    if (!affine || !full_walk(shape, *affine, s.extents())) return;
    visit_stage(s, [&](const Expr& e) {
      if (e->op != Op::kLoad) return;
      const auto t = static_cast<size_t>(e->id);
      read[t] = 1;
      if (b.subgraph.tensors[t].shape != shape || !same_indices(e->args, at)) misread[t] = 1;
    });
  }
  for (size_t t = 0; t < read.size(); ++t) {
    const bool internal = !b.binding[t].valid() && !b.made_up[t];
    if (internal && misread[t]) return;
    if (b.binding[t].valid() && read[t] && !misread[t]) facts.aligned_inputs.push_back(b.binding[t]);
  }
  facts.aligned = true;
  facts.point_free = std::none_of(b.subgraph.stages.begin(), b.subgraph.stages.end(), [](const Stage& s) {
    return std::any_of(s.body.begin(), s.body.end(), uses_axes) || std::any_of(s.result.begin(), s.result.end(), uses_axes);
  });
}

}  // namespace

std::optional<std::vector<int>> full_walk(const Shape& shape, const std::vector<Affine>& at,
                                          const std::vector<int64_t>& extents) {
  std::vector<int> axes(shape.size(), -1);
  std::vector<char> taken(extents.size(), 0);
  if (at.size() != shape.size()) return std::nullopt;
  for (size_t d = 0; d < shape.size(); ++d) {
    if (at[d].constant != 0) return std::nullopt;
    for (size_t a = 0; a < extents.size(); ++a) {
      if (at[d].coef[a] == 0 || extents[a] == 1) continue;
      if (at[d].coef[a] != 1 || taken[a] || axes[d] >= 0 || extents[a] != shape[d]) return std::nullopt;
      axes[d] = static_cast<int>(a);
      taken[a] = 1;
    }
    if (shape[d] != 1 && axes[d] < 0) return std::nullopt;
  }
  for (size_t a = 0; a < extents.size(); ++a) {
    if (extents[a] != 1 && !taken[a]) return std::nullopt;
  }
  return axes;
}

NodeFacts node_facts(const Graph& g, const Node& n) {
  NodeFacts facts;
  facts.route = route(n.op);
  if (facts.route == Route::kRuntimeCall) return facts;
  if (facts.route == Route::kView) {
    if (std::count_if(n.outputs.begin(), n.outputs.end(), [](ValueId v) { return v.valid(); }) <= 1) return facts;
  }
  facts.route = Route::kStages;
  SubgraphBuilder b(g);
  lower_node(n, b);
  const std::vector<Stage>& stages = b.subgraph.stages;
  facts.stages = static_cast<int>(stages.size());
  facts.pointwise = !stages.empty();
  facts.cheap = true;
  facts.single_writers = true;
  std::vector<char> written(b.subgraph.tensors.size(), 0);
  bool all_copy = true;
  for (const Stage& s : stages) {
    facts.pointwise &= !s.has_reduction() && !s.has_scan();
    visit_stage(s, [&](const Expr& e) { facts.cheap &= is_cheap(e->op); });
    for (const StageOutput& out : s.outputs) {
      char& w = written[static_cast<size_t>(out.tensor)];
      facts.single_writers &= w == 0;
      w = 1;
    }
    if (!all_copy) continue;
    if (std::optional<CopyMap> copy = copy_map(b, s)) {
      facts.copies.push_back(std::move(*copy));
    } else {
      all_copy = false;
      facts.copies.clear();
    }
  }
  facts.cheap &= facts.pointwise;
  if (facts.pointwise) find_alignment(g, n, b, facts);
  return facts;
}

}  // namespace tlm::ir
