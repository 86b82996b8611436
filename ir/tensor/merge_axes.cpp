#include "tlm/ir/tensor/merge_axes.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <optional>
#include <unordered_set>

namespace tlm::ir {
namespace {

bool is_var(const Expr& e, int axis) { return e->op == Op::kVar && e->id == axis; }

bool contains(const Expr& e, Op op) {
  bool found = false;
  visit(e, [&](const Expr& n) { found = found || n->op == op; });
  return found;
}

// Expressions of a stage over its axes.
template <typename F>
void for_each_root(const Stage& s, F f) {
  for (const Expr& e : s.body) f(e);
  for (const Expr& e : s.result) f(e);
}

// f(tensor, indices) for each load and each output.
template <typename F>
void for_each_access(const Stage& s, F f) {
  for_each_root(s, [&](const Expr& root) {
    visit(root, [&](const Expr& e) {
      if (e->op == Op::kLoad) f(e->id, e->args);
    });
  });
  for (const StageOutput& o : s.outputs) f(o.tensor, o.indices);
}

// All expressions of a stage: variables replaced by `var(id)`, indices of each access by `indices(tensor, indices so far)`.
template <typename Var, typename Indices>
void rewrite_stage(Stage& s, Var var, Indices indices) {
  const auto replace = [&](const Expr& e) -> Expr {
    if (e->op == Op::kVar) return var(e->id);
    if (e->op == Op::kLoad) return make_load(e->id, e->dtype, indices(e->id, e->args));
    return {};
  };
  for (Expr& e : s.body) e = rewrite(e, replace);
  for (Expr& e : s.result) e = rewrite(e, replace);
  for (StageOutput& o : s.outputs) {
    for (Expr& e : o.indices) e = rewrite(e, replace);
    o.indices = indices(o.tensor, o.indices);
  }
}

// Physical order of an internal tensor's dimensions, outermost first.
std::vector<size_t> physical_order(const TensorDecl& t) {
  std::vector<size_t> order(t.shape.size());
  std::iota(order.begin(), order.end(), size_t{0});
  if (t.strides.size() == t.shape.size())
    std::stable_sort(order.begin(), order.end(), [&](size_t x, size_t y) { return t.strides[x] > t.strides[y]; });
  return order;
}

void lay_out(TensorDecl& t, const std::vector<size_t>& order) {
  t.strides.assign(t.shape.size(), 1);
  int64_t step = 1;
  for (auto d = order.rbegin(); d != order.rend(); ++d) {
    t.strides[*d] = step;
    step *= t.shape[*d];
  }
}

void drop_single_axes(Stage& s) {
  // A combiner keeps one axis to combine over.
  const auto reduced =
      std::count_if(s.axes.begin(), s.axes.end(), [](const Axis& a) { return a.kind == AxisKind::kReduce && a.extent > 1; });
  bool keep_one = s.has_reduction() && reduced == 0;
  std::vector<Axis> axes;
  std::vector<int> number;
  for (const Axis& a : s.axes) {
    const bool dropped = a.extent == 1 && a.kind != AxisKind::kScan && !(a.kind == AxisKind::kReduce && keep_one);
    if (a.kind == AxisKind::kReduce) keep_one = false;
    number.push_back(dropped ? -1 : static_cast<int>(axes.size()));
    if (!dropped) axes.push_back(a);
  }
  if (axes.size() == s.axes.size()) return;
  s.axes = std::move(axes);
  rewrite_stage(
      s, [&](int a) { return number[static_cast<size_t>(a)] < 0 ? make_int(0) : make_var(number[static_cast<size_t>(a)]); },
      [](int, const std::vector<Expr>& indices) { return indices; });
}

// Dimensions of extent 1 go, but for those whose index is loaded: another tensor would be read no more.
void drop_single_dims(Subgraph& g) {
  std::vector<std::vector<bool>> kept;
  for (const TensorDecl& t : g.tensors) {
    std::vector<bool>& keep = kept.emplace_back();
    for (int64_t extent : t.shape) keep.push_back(extent != 1);
  }
  for (const Stage& s : g.stages) {
    for_each_access(s, [&](int t, const std::vector<Expr>& indices) {
      for (size_t d = 0; d < indices.size(); ++d)
        if (contains(indices[d], Op::kLoad)) kept[static_cast<size_t>(t)][d] = true;
    });
  }
  const auto pick = [&](int t, const auto& list) {
    std::decay_t<decltype(list)> out;
    for (size_t d = 0; d < list.size(); ++d)
      if (kept[static_cast<size_t>(t)][d]) out.push_back(list[d]);
    return out;
  };
  for (size_t t = 0; t < g.tensors.size(); ++t) {
    TensorDecl& decl = g.tensors[t];
    if (decl.strides.size() == decl.shape.size()) decl.strides = pick(static_cast<int>(t), decl.strides);
    decl.shape = pick(static_cast<int>(t), decl.shape);
  }
  for (Stage& s : g.stages) rewrite_stage(s, make_var, [&](int t, const std::vector<Expr>& indices) { return pick(t, indices); });
}

struct Pair {
  int outer = -1, inner = -1;
  bool operator==(const Pair&) const = default;
};

// What running two axes of a stage as one asks of the rest of the subgraph: pairs of dimensions that become one, and so pairs
// of axes of other stages.
class Merge {
 public:
  explicit Merge(const Subgraph& g) : g_(g) {}

  bool possible(int stage, Pair axes) {
    require_stage(stage, axes);
    while (legal_ && !open_.empty()) {
      const int s = open_.back();
      open_.pop_back();
      check_stage(s);
    }
    return legal_;
  }

  Subgraph applied() const {
    Subgraph g = g_;
    for (const auto& [t, dims] : dims_) join_dims(g.tensors[static_cast<size_t>(t)], dims);
    for (const auto& [s, axes] : axes_) join_axes(g.stages[static_cast<size_t>(s)], axes);
    return g;
  }

 private:
  void require_stage(int s, Pair axes) {
    const auto [it, fresh] = axes_.try_emplace(s, axes);
    if (!fresh) {
      legal_ = legal_ && it->second == axes;
      return;
    }
    const Stage& stage = g_.stages[static_cast<size_t>(s)];
    const Axis &a = stage.axes[static_cast<size_t>(axes.outer)], &b = stage.axes[static_cast<size_t>(axes.inner)];
    legal_ = legal_ && a.kind == b.kind && a.kind != AxisKind::kScan;
    const bool any_order = stage.combiner.associative && stage.combiner.commutative;
    if (a.kind == AxisKind::kReduce && !any_order) legal_ = legal_ && axes.outer + 1 == axes.inner;
    open_.push_back(s);
  }

  void require_tensor(int t, Pair dims) {
    const auto [it, fresh] = dims_.try_emplace(t, dims);
    if (!fresh) {
      legal_ = legal_ && it->second == dims;
      return;
    }
    const TensorDecl& decl = g_.tensors[static_cast<size_t>(t)];
    const auto outer = static_cast<size_t>(dims.outer), inner = static_cast<size_t>(dims.inner);
    if (decl.role == TensorRole::kConstant) {
      legal_ = legal_ && dims.outer + 1 == dims.inner;
    } else if (decl.role != TensorRole::kInternal) {
      legal_ = legal_ && decl.strides[outer] == decl.shape[inner] * decl.strides[inner];
    }
    for (size_t s = 0; legal_ && s < g_.stages.size(); ++s) {
      for_each_access(g_.stages[s], [&](int tensor, const std::vector<Expr>& indices) {
        if (!legal_ || tensor != t) return;
        const Expr &a = indices[outer], &b = indices[inner];
        if (a->op != Op::kVar || b->op != Op::kVar || a->id == b->id) {
          legal_ = false;
          return;
        }
        const std::vector<Axis>& axes = g_.stages[s].axes;
        legal_ = axes[static_cast<size_t>(a->id)].extent == decl.shape[outer] &&
                 axes[static_cast<size_t>(b->id)].extent == decl.shape[inner];
        if (legal_) require_stage(static_cast<int>(s), {a->id, b->id});
      });
    }
  }

  // Both axes are plain indices of an access, or neither occurs in it; and they occur nowhere else.
  void check_stage(int s) {
    const Pair axes = axes_.at(s);
    const Stage& stage = g_.stages[static_cast<size_t>(s)];
    const auto indices_fit = [&](int t, const std::vector<Expr>& indices) {
      Pair dims;
      for (size_t d = 0; d < indices.size(); ++d) {
        if (is_var(indices[d], axes.outer)) {
          legal_ = legal_ && dims.outer < 0;
          dims.outer = static_cast<int>(d);
        } else if (is_var(indices[d], axes.inner)) {
          legal_ = legal_ && dims.inner < 0;
          dims.inner = static_cast<int>(d);
        } else {
          check_value(indices[d], axes);
        }
      }
      legal_ = legal_ && (dims.outer < 0) == (dims.inner < 0);
      if (legal_ && dims.outer >= 0) require_tensor(t, dims);
    };
    for_each_root(stage, [&](const Expr& e) { check_value(e, axes); });
    for_each_access(stage, [&](int t, const std::vector<Expr>& indices) {
      if (legal_) indices_fit(t, indices);
    });
  }

  // The axes do not occur outside of indices (indices_fit looks into those).
  void check_value(const Expr& e, Pair axes) {
    std::unordered_set<const ExprNode*> seen;
    const auto walk = [&](auto&& self, const Expr& n) -> void {
      if (n->op == Op::kLoad || !seen.insert(n.get()).second) return;
      if (is_var(n, axes.outer) || is_var(n, axes.inner)) legal_ = false;
      for (const Expr& a : n->args) self(self, a);
    };
    walk(walk, e);
  }

  static void join_dims(TensorDecl& t, Pair dims) {
    const auto outer = static_cast<size_t>(dims.outer), inner = static_cast<size_t>(dims.inner);
    std::vector<size_t> order = physical_order(t);
    t.shape[outer] *= t.shape[inner];
    t.shape.erase(t.shape.begin() + dims.inner);
    if (t.role == TensorRole::kInput || t.role == TensorRole::kOutput) {
      t.strides[outer] = t.strides[inner];
      t.strides.erase(t.strides.begin() + dims.inner);
      return;
    }
    // The merged dimension lies where the inner one did.
    std::erase(order, outer);
    for (size_t& d : order) {
      if (d == inner) d = outer;
      if (d > inner) --d;
    }
    if (t.role == TensorRole::kConstant) std::sort(order.begin(), order.end());
    lay_out(t, order);
  }

  void join_axes(Stage& s, Pair axes) const {
    const auto outer = static_cast<size_t>(axes.outer), inner = static_cast<size_t>(axes.inner);
    s.axes[outer].name += "_" + s.axes[inner].name;
    s.axes[outer].extent *= s.axes[inner].extent;
    s.axes.erase(s.axes.begin() + axes.inner);
    const auto var = [&](int a) {
      return make_var(a == axes.inner ? axes.outer - (axes.outer > axes.inner) : a - (a > axes.inner));
    };
    rewrite_stage(s, var, [&](int t, std::vector<Expr> indices) {
      if (const auto it = dims_.find(t); it != dims_.end()) indices.erase(indices.begin() + it->second.inner);
      return indices;
    });
  }

  const Subgraph& g_;
  std::map<int, Pair> axes_;  // by stage
  std::map<int, Pair> dims_;  // by tensor
  std::vector<int> open_;     // stages whose accesses are not looked at yet
  bool legal_ = true;
};

std::optional<Subgraph> merge_once(const Subgraph& g) {
  for (size_t s = 0; s < g.stages.size(); ++s) {
    const int axes = static_cast<int>(g.stages[s].axes.size());
    // Neighbours first, in the order in which they stand.
    for (int distance = 1; distance < axes; ++distance) {
      for (int a = 0; a + distance < axes; ++a) {
        for (const Pair pair : {Pair{a, a + distance}, Pair{a + distance, a}}) {
          Merge merge(g);
          if (merge.possible(static_cast<int>(s), pair)) return merge.applied();
        }
      }
    }
  }
  return std::nullopt;
}

}  // namespace

Subgraph merge_axes(const Subgraph& g) {
  Subgraph out = g;
  for (Stage& s : out.stages) drop_single_axes(s);
  drop_single_dims(out);
  while (std::optional<Subgraph> merged = merge_once(out)) out = std::move(*merged);
  return out;
}

}  // namespace tlm::ir
