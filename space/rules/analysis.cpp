#include "tlm/space/rules/analysis.h"

#include <algorithm>
#include <set>
#include <tuple>

#include "tlm/core/error.h"

namespace tlm::space {
namespace {

using ir::Expr;
using ir::Op;

bool mentions_only_axes(const Expr& e) {
  bool only = true;
  ir::visit(e, [&](const Expr& n) { only = only && n->op != Op::kLoad && n->op != Op::kAcc; });
  return only;
}

void mark_axes(const Expr& e, std::vector<bool>& seen) {
  ir::visit(e, [&](const Expr& n) {
    if (n->op == Op::kVar && n->id < static_cast<int>(seen.size())) seen[n->id] = true;
  });
}

int64_t computed_bytes(DType t) {
  if (t == DType::kF16 || t == DType::kBF16) return 4;
  return static_cast<int64_t>(dtype_size(t));
}

// Collects the loads and the arithmetic of value expressions.
class Collector {
 public:
  Collector(const ir::Subgraph& g, NestInfo& n, const std::vector<bool>& in_registers)
      : g_(g), n_(n), in_registers_(in_registers) {}

  // Returns the number of arithmetic nodes. What several values share is computed once.
  double value(const Expr& e, bool epilogue, bool index = false) {
    if (!e->args.empty() && !seen_.insert({e.get(), epilogue, index}).second) return 0;
    switch (e->op) {
      case Op::kInt:
      case Op::kFloat: return 0;
      case Op::kAcc: return 0;
      case Op::kVar:
        if (!index) widen(e->dtype);
        return 0;
      case Op::kLoad:
        for (const Expr& i : e->args) value(i, epilogue, true);
        if (!in_registers_[e->id]) add(n_.loads, access(e->id, e->args, epilogue, index));
        if (!index) widen(e->dtype);
        return 0;
      case Op::kSelect:
        if (mentions_only_axes(e->args[0])) {
          mark_axes(e->args[0], n_.guard_varies);
          return (index ? 0 : 1) + value(e->args[1], epilogue, index) + value(e->args[2], epilogue, index);
        }
        break;
      default: break;
    }
    double ops = index ? 0 : cost(e->op);
    for (const Expr& a : e->args) ops += value(a, epilogue, index);
    if (!index) widen(e->dtype);
    return ops;
  }

  Access access(int tensor, const std::vector<Expr>& indices, bool epilogue, bool index) {
    const ir::TensorDecl& t = g_.tensors.at(tensor);
    Access a;
    a.tensor = tensor;
    a.constant = t.role == ir::TensorRole::kConstant;
    a.epilogue = epilogue;
    a.index = index;
    a.element_bytes = static_cast<int64_t>(dtype_size(t.dtype));
    a.indices = indices;
    const int axes = static_cast<int>(n_.extent.size());
    a.shape = t.shape;
    a.stride.assign(axes, 0);
    const std::vector<int64_t> strides = physical_strides(t);
    for (size_t d = 0; d < indices.size() && !a.constant; ++d) {
      if (strides[d] == 1 && (a.contiguous < 0 || t.shape[d] > t.shape[a.contiguous])) a.contiguous = static_cast<int>(d);
    }
    for (size_t d = 0; d < indices.size(); ++d) {
      if (auto affine = ir::as_affine(indices[d], axes)) {
        for (int i = 0; i < axes; ++i) {
          if (n_.extent[i] > 1 && a.stride[i] != kIrregular) a.stride[i] += affine->coef[i] * strides[d];
        }
        a.reach.push_back(affine->coef);
      } else {
        std::vector<bool> seen(axes, false);
        mark_axes(indices[d], seen);
        for (int i = 0; i < axes; ++i) {
          if (seen[i] && n_.extent[i] > 1) a.stride[i] = kIrregular;
        }
        a.reach.emplace_back();
      }
    }
    return a;
  }

  static void add(std::vector<Access>& list, Access a) {
    for (Access& other : list) {
      if (other.tensor != a.tensor || other.epilogue != a.epilogue || other.indices.size() != a.indices.size()) continue;
      bool same = true;
      for (size_t d = 0; same && d < a.indices.size(); ++d) same = ir::equal(a.indices[d], other.indices[d]);
      if (!same) continue;
      other.index = other.index || a.index;
      return;
    }
    list.push_back(std::move(a));
  }

  void widen(DType t) {
    if (t == DType::kBool) return;  // a comparison yields a mask as wide as what is compared
    n_.value_bytes = std::max<int>(n_.value_bytes, static_cast<int>(computed_bytes(t)));
  }

 private:
  static double cost(Op op) {
    switch (op) {
      case Op::kExp:
      case Op::kLog:
      case Op::kTanh:
      case Op::kErf:
      case Op::kSin:
      case Op::kCos: return 12;
      case Op::kPow:
      case Op::kTan:
      case Op::kAsin:
      case Op::kAcos:
      case Op::kAtan:
      case Op::kSinh:
      case Op::kCosh:
      case Op::kAsinh:
      case Op::kAcosh:
      case Op::kAtanh:
      case Op::kMod: return 24;
      case Op::kDiv:
      case Op::kSqrt:
      case Op::kRsqrt:
      case Op::kFloorDiv:
      case Op::kFloorMod: return 4;
      default: return 1;
    }
  }

  const ir::Subgraph& g_;
  NestInfo& n_;
  const std::vector<bool>& in_registers_;
  std::set<std::tuple<const ir::ExprNode*, bool, bool>> seen_;
};

// The index without its constant, and the constant.
std::pair<Expr, int64_t> apart(const Expr& index, const std::vector<int64_t>& reach, int axes) {
  if (!reach.empty()) return {Expr(), ir::as_affine(index, axes)->constant};
  if (index->op == Op::kAdd && index->args[1]->op == Op::kInt) return {index->args[0], index->args[1]->ival};
  return {index, 0};
}

void group(std::vector<Access>& list, int axes) {
  for (size_t i = 0; i < list.size(); ++i) {
    Access& first = list[i];
    if (first.covered || first.index) continue;
    std::vector<int64_t> low(first.indices.size()), high;
    std::vector<Expr> rest;
    for (size_t d = 0; d < low.size(); ++d) {
      auto [e, c] = apart(first.indices[d], first.reach[d], axes);
      rest.push_back(e);
      low[d] = c;
    }
    high = low;
    bool others = false;
    for (size_t j = i + 1; j < list.size(); ++j) {
      Access& other = list[j];
      if (other.tensor != first.tensor || other.covered || other.index || other.epilogue != first.epilogue ||
          other.reach != first.reach)
        continue;
      std::vector<int64_t> constants;
      bool same = true;
      for (size_t d = 0; same && d < low.size(); ++d) {
        auto [e, c] = apart(other.indices[d], other.reach[d], axes);
        same = !e || ir::equal(e, rest[d]);
        constants.push_back(c);
      }
      if (!same) continue;
      for (size_t d = 0; d < low.size(); ++d) {
        low[d] = std::min(low[d], constants[d]);
        high[d] = std::max(high[d], constants[d]);
      }
      other.covered = others = true;
    }
    if (!others) continue;
    for (size_t d = 0; d < low.size(); ++d) first.spread.push_back(high[d] - low[d]);
  }
}

}  // namespace

int64_t stride_along(const ir::Subgraph& g, int tensor, const std::vector<Expr>& indices, const ir::Stage& s, int axis) {
  const std::vector<int64_t> strides = physical_strides(g.tensors[tensor]);
  int64_t stride = 0;
  for (size_t d = 0; d < indices.size(); ++d) {
    const auto affine = ir::as_affine(indices[d], static_cast<int>(s.axes.size()));
    if (!affine) return kIrregular;
    stride += affine->coef[axis] * strides[d];
  }
  return stride;
}

bool same_index(const Expr& a, const Expr& b, const std::vector<int64_t>& extents) {
  const int n = static_cast<int>(extents.size());
  auto x = ir::as_affine(a, n), y = ir::as_affine(b, n);
  if (!x || !y) return ir::equal(a, b);
  if (x->constant != y->constant) return false;
  for (int i = 0; i < n; ++i) {
    if (extents[i] > 1 && x->coef[i] != y->coef[i]) return false;
  }
  return true;
}

int plain_axis(const Expr& index, const std::vector<int64_t>& extents) {
  auto affine = ir::as_affine(index, static_cast<int>(extents.size()));
  if (!affine || affine->constant != 0) return -1;
  int axis = -1;
  for (size_t i = 0; i < extents.size(); ++i) {
    if (extents[i] == 1 || affine->coef[i] == 0) continue;
    if (affine->coef[i] != 1 || axis >= 0) return -1;
    axis = static_cast<int>(i);
  }
  return axis;
}

bool packable_along(const NestInfo& n, const Access& a, int axis) {
  if (!a.constant || a.index || a.epilogue) return false;
  int dims = 0;
  for (size_t d = 0; d < a.indices.size(); ++d) {
    bool loads = false, here = false;
    ir::visit(a.indices[d], [&](const Expr& e) {
      loads = loads || e->op == Op::kLoad;
      here = here || (e->op == Op::kVar && e->id == axis);
    });
    if (loads || (here && (a.reach[d].empty() || a.reach[d][axis] != 1))) return false;
    dims += here;
  }
  if (dims != 1) return false;
  int uses = 0;  // one layout must suit every reader
  for (const Access& other : n.loads) uses += other.tensor == a.tensor;
  return uses == 1;
}

bool streams_along(const NestInfo& n, const Access& a, int axis) {
  return a.stride[axis] == 0 || a.stride[axis] == 1 || packable_along(n, a, axis);
}

NestInfo analyse_nest(const ir::Subgraph& g, const std::vector<Attach>& attach, int root, const std::vector<int>& epilogue) {
  NestInfo n;
  n.stage = root;
  n.root = inlined_stage(g, attach, root);
  for (int e : epilogue) n.epilogue.push_back(inlined_stage(g, attach, e));
  n.extent = n.root.extents();
  n.spatial = n.root.spatial_count();
  for (size_t i = 0; i < n.root.axes.size(); ++i) {
    if (n.root.axes[i].kind == ir::AxisKind::kScan) n.scan = static_cast<int>(i);
    n.points *= static_cast<double>(n.extent[i]);
    if (n.root.axes[i].kind == ir::AxisKind::kSpatial) n.spatial_points *= static_cast<double>(n.extent[i]);
  }
  n.reduces = n.root.combiner.kind != ir::CombinerKind::kNone;
  n.guard_varies.assign(n.extent.size(), false);
  n.accumulators = std::max<int>(1, static_cast<int>(n.root.body.size()));
  n.reorderable = n.reduces && n.scan < 0 && n.root.combiner.associative && n.root.combiner.commutative;

  // Tensors of the nest that nobody else reads stay in registers. The host's reader loads them at its own point.
  std::vector<bool> written(g.tensors.size(), false), needed(g.tensors.size(), false);
  std::vector<bool> inside(g.stages.size(), false);
  inside[root] = true;
  for (int e : epilogue) inside[e] = true;
  for (size_t s = 0; s < g.stages.size(); ++s) {
    if (!inside[s]) continue;
    for (const ir::StageOutput& o : g.stages[s].outputs) written[o.tensor] = true;
  }
  for (size_t s = 0; s < g.stages.size(); ++s) {
    if (inside[s] || attach[s] == Attach::kInline) continue;
    for (int t : ir::loaded_tensors(inlined_stage(g, attach, static_cast<int>(s)))) needed[t] = true;
  }

  Collector c(g, n, written);
  n.value_bytes = 1;
  for (const Expr& e : n.root.body) n.body_ops += c.value(e, false);
  for (const Expr& e : n.root.combiner.combine) {
    double ops = c.value(e, false);
    n.body_ops += n.root.combiner.kind == ir::CombinerKind::kSum ? 0 : ops;  // part of the multiply-add
  }
  for (const Expr& e : n.root.combiner.identity) c.widen(e->dtype);
  for (const Expr& e : n.root.result) n.point_ops += c.value(e, true);
  for (const ir::Stage& s : n.epilogue) {
    for (const Expr& e : s.body) n.point_ops += c.value(e, true);
    for (const Expr& e : s.result) n.point_ops += c.value(e, true);
  }
  if (!n.reduces) {  // no loop lies between the operands and the result
    for (Access& a : n.loads) a.epilogue = false;
    n.body_ops += n.point_ops;
    n.point_ops = 0;
  }
  n.own_memory = n.reduces && n.scan < 0;
  for (const Access& a : n.loads) n.own_memory = n.own_memory && (!a.epilogue || a.constant);
  auto store = [&](const ir::Stage& s) {
    for (const ir::StageOutput& o : s.outputs) {
      if (g.tensors[o.tensor].role == ir::TensorRole::kInternal && !needed[o.tensor] && !n.epilogue.empty()) {
        bool read = false;
        for (const ir::Stage& e : n.epilogue) {
          std::vector<int> loaded = ir::loaded_tensors(e);
          read = read || std::find(loaded.begin(), loaded.end(), o.tensor) != loaded.end();
        }
        if (read) continue;
      }
      n.stores.push_back(c.access(o.tensor, o.indices, true, false));
      c.widen(g.tensors[o.tensor].dtype);
    }
  };
  store(n.root);
  for (const ir::Stage& s : n.epilogue) store(s);
  group(n.loads, static_cast<int>(n.extent.size()));
  group(n.stores, static_cast<int>(n.extent.size()));
  if (n.body_ops > 1 || n.accumulators > 1) n.temporaries = 1;
  if (n.body_ops > 8) n.temporaries = 2;
  if (std::find(n.guard_varies.begin(), n.guard_varies.end(), true) != n.guard_varies.end()) ++n.temporaries;
  return n;
}

}  // namespace tlm::space
