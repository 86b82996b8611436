// The invariants of subgraphs. Where a load stands in an arm of a select, its indices need to be in range only where that arm is
// chosen.
#include <algorithm>
#include <set>
#include <unordered_map>

#include "tlm/core/error.h"
#include "tlm/ir/tensor/expr_verify.h"
#include "tlm/ir/tensor/scalar.h"
#include "tlm/ir/tensor/subgraph.h"

namespace tlm::ir {
namespace {

constexpr int64_t kMaxEnumerated = 20000;

std::string join(const std::set<int>& ids) {
  std::string s;
  for (int i : ids) s += (s.empty() ? "" : ",") + std::to_string(i);
  return s;
}

// A condition known to hold (or not to hold) where a load is executed.
struct Guard {
  Expr condition;
  bool holds;
};

// What one output writes: in dimension d the indices first[d] + step[d]·{0 … count[d]-1}.
struct Box {
  int stage;
  std::vector<int64_t> first, step, count;
};

class SubgraphVerifier {
 public:
  explicit SubgraphVerifier(const Subgraph& g) : g_(g) {}

  void run() {
    for (size_t t = 0; t < g_.tensors.size(); ++t) tensor(static_cast<int>(t));
    boxes_.resize(g_.tensors.size());
    last_writer_.assign(g_.tensors.size(), -1);
    for (size_t s = 0; s < g_.stages.size(); ++s)
      for (const StageOutput& o : g_.stages[s].outputs)
        if (o.tensor >= 0 && o.tensor < tensor_count()) last_writer_[o.tensor] = static_cast<int>(s);
    for (size_t s = 0; s < g_.stages.size(); ++s) {
      number_ = static_cast<int>(s);
      s_ = &g_.stages[s];
      stage();
    }
    s_ = nullptr;
    for (size_t t = 0; t < g_.tensors.size(); ++t) coverage(static_cast<int>(t));
  }

 private:
  int tensor_count() const { return static_cast<int>(g_.tensors.size()); }

  [[noreturn]] void fail(const std::string& rule) const {
    const std::string where = s_ ? "stage " + std::to_string(number_) + " `" + s_->name + "` of subgraph `" + g_.name + "`"
                                 : "subgraph `" + g_.name + "`";
    throw InternalError(ErrorCode::kInternal, "malformed subgraph: " + rule, where);
  }
  void need(bool holds, const std::string& rule) const {
    if (!holds) fail(rule);
  }

  void tensor(int id) {
    const TensorDecl& t = g_.tensors[id];
    const std::string name = "tensor " + std::to_string(id) + " `" + t.name + "`";
    for (int64_t e : t.shape) need(e >= 0, name + ": negative extent");
    const int64_t count = element_count(t.shape);
    if (t.role == TensorRole::kConstant || t.role == TensorRole::kInternal) return;
    need(t.strides.size() == t.shape.size(), name + ": one stride for each dimension");
    if (count == 0) return;
    __int128 low = t.offset, high = t.offset;
    for (size_t d = 0; d < t.shape.size(); ++d) (t.strides[d] < 0 ? low : high) += __int128(t.shape[d] - 1) * t.strides[d];
    need(low >= 0 && high < t.buffer_elements, name + ": addresses outside its buffer");
  }

  void stage() {
    extents_ = s_->extents();
    axes();
    need(!s_->body.empty(), "a stage has a body");
    for (const Expr& e : s_->body) expression(e, Place::kBody);
    combiner();
    need(!s_->outputs.empty(), "a stage has an output");
    need(s_->result.size() == s_->outputs.size(), "one result for each output");
    for (const Expr& e : s_->result) expression(e, Place::kResult);
    for (size_t i = 0; i < s_->outputs.size(); ++i) output(s_->outputs[i], s_->result[i]);
    for (int t : loaded_tensors(*s_)) read(t);
  }

  void axes() {
    for (size_t i = 0; i < s_->axes.size(); ++i) {
      const Axis& a = s_->axes[i];
      need(a.extent >= 0, "axis `" + a.name + "`: negative extent");
      if (i == 0) continue;
      need(a.kind >= s_->axes[i - 1].kind, "axes are spatial, then reduction, then scan");
      need(a.kind != AxisKind::kScan || s_->axes[i - 1].kind != AxisKind::kScan, "at most one scan axis");
    }
    need(!s_->exclusive || s_->has_scan(), "only a scan is exclusive");
  }

  void combiner() {
    const Combiner& c = s_->combiner;
    const bool combines = s_->has_reduction() || s_->has_scan();
    need((c.kind != CombinerKind::kNone) == combines, "a combiner exactly where there is a reduction or scan axis");
    if (!combines) return need(c.identity.empty() && c.combine.empty(), "no combiner without reduction or scan");
    need(c.identity.size() == s_->body.size() && c.combine.size() == s_->body.size(),
         "the combiner has one entry for each accumulator");
    for (size_t j = 0; j < s_->body.size(); ++j) {
      expression(c.combine[j], Place::kCombiner);
      need(c.identity[j] && (c.identity[j]->op == Op::kInt || c.identity[j]->op == Op::kFloat), "an identity is a literal");
      need(c.identity[j]->dtype == s_->body[j]->dtype && c.combine[j]->dtype == s_->body[j]->dtype,
           "identity and combiner have the type of the body");
    }
  }

  enum class Place { kBody, kResult, kCombiner, kIndex };

  void expression(const Expr& root, Place place) {
    std::vector<Guard> guards;
    node(root, place, guards);
    visited_.clear();
  }

  // `guards` is empty exactly outside of every select: there a node needs one visit only.
  void node(const Expr& e, Place place, std::vector<Guard>& guards) {
    const std::string rule = broken_rule(e);
    need(rule.empty(), std::string(e ? op_name(e->op) : "expression") + ": " + rule);
    if (guards.empty() && !visited_.insert(e.get()).second) return;
    need(e->lanes == 1, std::string(op_name(e->op)) + ": stages have no vectors");
    switch (e->op) {
      case Op::kLocal:
      case Op::kRamp:
      case Op::kVector:
      case Op::kLane: fail(std::string(op_name(e->op)) + " belongs to loop IR");
      case Op::kVar:
        need(place != Place::kCombiner, "a combiner uses accumulators and literals only");
        need(e->id >= 0 && e->id < static_cast<int>(s_->axes.size()), "axis " + std::to_string(e->id) + " does not exist");
        need(place == Place::kBody || s_->axes[e->id].kind != AxisKind::kReduce, "a result does not depend on reduction axes");
        break;
      case Op::kAcc: {
        need(place == Place::kResult || place == Place::kCombiner, "accumulators are for results and combiners");
        const int n = static_cast<int>(s_->body.size());
        need(e->id >= 0 && e->id < (place == Place::kCombiner ? 2 * n : n),
             "accumulator " + std::to_string(e->id) + " does not exist");
        need(e->dtype == s_->body[e->id % n]->dtype, "an accumulator has the type of its body");
        break;
      }
      case Op::kLoad:
        need(place == Place::kBody || place == Place::kResult, "a load in a combiner or output index");
        load(e, guards);
        break;
      case Op::kSelect:
        node(e->args[0], place, guards);
        guards.push_back({e->args[0], true});
        node(e->args[1], place, guards);
        guards.back().holds = false;
        node(e->args[2], place, guards);
        guards.pop_back();
        return;
      default: break;
    }
    for (const Expr& a : e->args) node(a, place, guards);
  }

  void load(const Expr& e, const std::vector<Guard>& guards) {
    need(e->id >= 0 && e->id < tensor_count(), "load of tensor " + std::to_string(e->id) + ", which does not exist");
    const TensorDecl& t = g_.tensors[e->id];
    const std::string name = "load of `" + t.name + "`";
    need(e->dtype == t.dtype, name + ": type differs from the tensor's");
    need(e->args.size() == t.shape.size(), name + ": one index for each dimension");
    if (std::find(extents_.begin(), extents_.end(), 0) != extents_.end()) return;  // never executed
    for (size_t d = 0; d < e->args.size(); ++d) {
      const auto range = bounds(e->args[d], extents_);
      if (range && range->lo >= 0 && range->hi < t.shape[d]) continue;
      const std::string dimension = name + ": dimension " + std::to_string(d);
      if (guards.empty()) {
        need(range.has_value(), dimension + ": the index is not bounded");
        fail(dimension + ": index from " + std::to_string(range->lo) + " to " + std::to_string(range->hi) + " outside 0 to " +
             std::to_string(t.shape[d] - 1));
      }
      guarded_index(e->args[d], t.shape[d], guards, dimension);
    }
  }

  // Splits a condition into the parts that must all hold.
  static void conjuncts(const Guard& g, std::vector<Guard>& out) {
    const Expr& c = g.condition;
    if (c->op == Op::kNot) return conjuncts({c->args[0], !g.holds}, out);
    if (c->op == (g.holds ? Op::kAnd : Op::kOr)) {
      for (const Expr& a : c->args) conjuncts({a, g.holds}, out);
      return;
    }
    out.push_back(g);
  }

  // Axes of an expression; false if it depends on anything else.
  static bool variables(const Expr& e, std::set<int>& vars) {
    bool known = true;
    visit(e, [&](const Expr& n) {
      if (n->op == Op::kVar) vars.insert(n->id);
      if (n->op == Op::kLoad || n->op == Op::kAcc) known = false;
    });
    return known;
  }

  static Scalar value(const Expr& e, const std::vector<int64_t>& point) {
    Scalar r;
    switch (e->op) {
      case Op::kInt: r.i = e->ival; return r;
      case Op::kFloat: r.f = e->fval; return r;
      case Op::kVar: r.i = point[e->id]; return r;
      case Op::kCast: return cast_scalar(value(e->args[0], point), e->args[0]->dtype, e->dtype);
      case Op::kSelect: return value(e->args[value(e->args[0], point).i ? 1 : 2], point);
      default: break;
    }
    Scalar v[3];
    for (size_t i = 0; i < e->args.size(); ++i) v[i] = value(e->args[i], point);
    return apply(e->op, e->args[0]->dtype, v);
  }

  // Tries every point of the axes that index and guards share (a guard on other axes alone cannot help). A guard that depends on
  // data, or on so many axes that the points are too many, is left out: then points outside the range prove nothing, and the load
  // is accepted as guarded.
  void guarded_index(const Expr& index, int64_t extent, const std::vector<Guard>& guards, const std::string& dimension) const {
    std::set<int> vars;
    if (!variables(index, vars)) return;
    std::vector<Guard> all, used;
    for (const Guard& g : guards) conjuncts(g, all);
    const auto points = [&](const std::set<int>& v) {
      int64_t n = 1;
      for (int i : v)
        if (__builtin_mul_overflow(n, extents_[i], &n) || n > kMaxEnumerated) return kMaxEnumerated + 1;
      return n;
    };
    bool complete = true;
    for (bool grown = true; grown;) {  // a guard may bring axes that relate further guards
      grown = false;
      for (Guard& g : all) {
        std::set<int> own, more = vars;
        if (!g.condition) continue;
        const bool known = variables(g.condition, own);
        const bool related = own.empty() || std::any_of(own.begin(), own.end(), [&](int v) { return vars.count(v) > 0; });
        if (known && !related) continue;
        more.insert(own.begin(), own.end());
        if (known && points(more) <= kMaxEnumerated) {
          vars = std::move(more);
          used.push_back(g);
        } else {
          complete = false;
        }
        g.condition = Expr();
        grown = true;
      }
    }
    if (!complete || points(vars) > kMaxEnumerated) return;
    const std::vector<int> ids(vars.begin(), vars.end());
    std::vector<int64_t> point(extents_.size(), 0);
    for (;;) {
      const bool executed =
          std::all_of(used.begin(), used.end(), [&](const Guard& g) { return (value(g.condition, point).i != 0) == g.holds; });
      if (executed) {
        const int64_t i = value(index, point).i;
        need(i >= 0 && i < extent, dimension + ": guarded index " + std::to_string(i) + " outside 0 to " +
                                       std::to_string(extent - 1) + " (axes " + join(vars) + ")");
      }
      size_t k = 0;
      while (k < ids.size() && ++point[ids[k]] == extents_[ids[k]]) point[ids[k++]] = 0;
      if (k == ids.size()) return;
    }
  }

  void output(const StageOutput& o, const Expr& result) {
    need(o.tensor >= 0 && o.tensor < tensor_count(), "output tensor " + std::to_string(o.tensor) + " does not exist");
    const TensorDecl& t = g_.tensors[o.tensor];
    const std::string name = "output `" + t.name + "`";
    need(t.role == TensorRole::kOutput || t.role == TensorRole::kInternal, name + ": inputs and constants are not written");
    need(result->dtype == t.dtype,
         name + ": the result is " + std::string(dtype_name(result->dtype)) + ", the tensor " + std::string(dtype_name(t.dtype)));
    need(o.indices.size() == t.shape.size(), name + ": one index for each dimension");
    Box box;
    box.stage = number_;
    std::set<int> used;
    bool empty = false;
    for (const Axis& a : s_->axes) empty = empty || (a.extent == 0 && a.kind != AxisKind::kReduce);
    for (size_t d = 0; d < o.indices.size(); ++d) {
      expression(o.indices[d], Place::kIndex);
      const auto affine = as_affine(o.indices[d], static_cast<int>(s_->axes.size()));
      need(affine.has_value(), name + ": index " + std::to_string(d) + " is not scale·axis + offset");
      int axis = -1;
      for (size_t a = 0; a < affine->coef.size(); ++a) {
        if (affine->coef[a] == 0) continue;
        need(axis < 0, name + ": index " + std::to_string(d) + " depends on two axes");
        axis = static_cast<int>(a);
      }
      need(axis < 0 || used.insert(axis).second, name + ": an axis indexes two dimensions");
      const int64_t scale = axis < 0 ? 1 : affine->coef[axis], count = axis < 0 ? 1 : extents_[axis];
      const int64_t last = affine->constant + scale * (count - 1);
      const int64_t low = std::min(affine->constant, last), high = std::max(affine->constant, last);
      need(empty || (low >= 0 && high < t.shape[d]), name + ": index " + std::to_string(d) + " from " + std::to_string(low) +
                                                         " to " + std::to_string(high) + " outside the tensor");
      box.first.push_back(low);
      box.step.push_back(std::abs(scale));
      box.count.push_back(count);
    }
    for (size_t a = 0; a < s_->axes.size(); ++a)
      need(s_->axes[a].kind == AxisKind::kReduce || s_->axes[a].extent <= 1 || used.count(static_cast<int>(a)),
           name + ": axis `" + s_->axes[a].name + "` does not index it, so that its points collide");
    if (!empty) boxes_[o.tensor].push_back(std::move(box));
  }

  void read(int t) const {
    const TensorDecl& d = g_.tensors[t];
    if (d.role == TensorRole::kInput || d.role == TensorRole::kConstant) return;
    need(last_writer_[t] >= 0 || element_count(d.shape) == 0, "`" + d.name + "` is read but never written");
    need(last_writer_[t] < number_, "`" + d.name + "` is read before it is written");
  }

  static bool disjoint(const Box& a, const Box& b) {
    for (size_t d = 0; d < a.first.size(); ++d) {
      const auto last = [&](const Box& x) { return x.first[d] + x.step[d] * (x.count[d] - 1); };
      if (last(a) < b.first[d] || last(b) < a.first[d]) return true;
      if (a.step[d] == b.step[d] && (a.first[d] - b.first[d]) % a.step[d] != 0) return true;
    }
    return false;
  }

  // Boxes that do not overlap and together have as many points as the tensor cover it.
  void coverage(int id) const {
    const TensorDecl& t = g_.tensors[id];
    const auto& boxes = boxes_[id];
    const std::string name = "tensor " + std::to_string(id) + " `" + t.name + "`";
    if (t.role == TensorRole::kInput || t.role == TensorRole::kConstant) return;
    int64_t written = 0;
    for (size_t i = 0; i < boxes.size(); ++i) {
      int64_t n = 1;
      for (int64_t c : boxes[i].count) n *= c;
      written += n;
      for (size_t j = 0; j < i; ++j)
        need(disjoint(boxes[i], boxes[j]), name + ": stages " + std::to_string(boxes[j].stage) + " and " +
                                               std::to_string(boxes[i].stage) + " write the same element");
    }
    if (t.role == TensorRole::kInternal && boxes.empty()) return;  // unused
    need(written == element_count(t.shape),
         name + ": " + std::to_string(written) + " of " + std::to_string(element_count(t.shape)) + " elements are written");
  }

  const Subgraph& g_;
  const Stage* s_ = nullptr;
  int number_ = -1;
  std::vector<int64_t> extents_;
  std::vector<std::vector<Box>> boxes_;  // by tensor
  std::vector<int> last_writer_;         // by tensor
  std::set<const ExprNode*> visited_;
};

}  // namespace

void verify(const Subgraph& g) { SubgraphVerifier(g).run(); }

}  // namespace tlm::ir
