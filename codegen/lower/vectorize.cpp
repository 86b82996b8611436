#include "tlm/codegen/lower/vectorize.h"

#include <map>

#include "tlm/codegen/lower/linear.h"
#include "tlm/codegen/lower/rewrite.h"
#include "tlm/core/error.h"

namespace tlm::codegen {

using namespace ir;

namespace {

class Vectorizer {
 public:
  explicit Vectorizer(Kernel& k) : k_(k), extents_(variable_extents(k)) {}

  Stmt run(const Stmt& s) {
    if (s->kind == StmtKind::kFor && s->loop == LoopKind::kVector) return loop(s);
    StmtNode n = *s;
    for (size_t b = 0; b < n.body.size(); ++b) {
      if (n.kind == StmtKind::kIf && b == 0) {
        const NarrowedRanges inside(extents_, n.value);
        n.body[b] = run(n.body[b]);
      } else {
        n.body[b] = run(n.body[b]);
      }
    }
    if (n.kind == StmtKind::kBlock) return flat_block(std::move(n.body));
    return std::make_shared<const StmtNode>(std::move(n));
  }

 private:
  Stmt loop(const Stmt& s) {
    var_ = s->var;
    lanes_ = static_cast<int>(s->extent->ival);
    active_ = s->active ? s->active : lanes_;
    reached_ = extents_;
    reached_[static_cast<size_t>(var_)] = active_;  // what loads reach
    vector_locals_.clear();
    std::vector<Stmt> out;
    for (const Stmt& t : statements(s->body[0])) statement(t, out);
    return flat_block(std::move(out));
  }

  void statement(const Stmt& s, std::vector<Stmt>& out) {
    out_ = &out;
    switch (s->kind) {
      case StmtKind::kLet: {
        const Expr value = vec(s->value);
        if (value->lanes == 1) {
          out.push_back(make_let(s->var, value));
          return;
        }
        const int l = new_local(k_, k_.locals[static_cast<size_t>(s->var)], value->dtype, lanes_);
        vector_locals_[s->var] = l;
        out.push_back(make_let(l, value));
        return;
      }
      case StmtKind::kStore: return store(s, out);
      default: TLM_CHECK(false) << "statement of kind " << static_cast<int>(s->kind) << " in a vector loop";
    }
  }

  void store(const Stmt& s, std::vector<Stmt>& out) {
    Expr value = make_broadcast(vec(s->value), lanes_);
    if (k_.buffers[static_cast<size_t>(s->buffer)].scope == MemoryScope::kRegister) {
      out.push_back(make_store(s->buffer, s->indices, value));
      return;
    }
    const Linear offset = linearize(s->indices[0]);
    if (!offset.hidden(var_) && offset.coefficient(var_) == 1) {
      const Expr base = at_lane(s->indices[0], 0);
      out.push_back(make_store(s->buffer, {make_ramp(base, 1, lanes_)}, value, active_ == lanes_ ? 0 : active_));
      return;
    }
    const int l = new_local(k_, "lanes", value->dtype, lanes_);
    out.push_back(make_let(l, value));
    for (int i = 0; i < active_; ++i)
      out.push_back(make_store(s->buffer, {at_lane(s->indices[0], i)}, make_lane(read_local(k_, l), i)));
  }

  // A stage's expression as it is in lane i: a scalar.
  Expr at_lane(const Expr& e, int i) {
    const Expr scalar = rewrite_expr(e, [&](const Expr& n) -> Expr {
      if (n->op == Op::kVar && n->id == var_) return make_int(i);
      if (n->op == Op::kLocal)
        if (auto it = vector_locals_.find(n->id); it != vector_locals_.end()) return make_lane(read_local(k_, it->second), i);
      if (n->op == Op::kLoad && register_array(n->id)) return make_lane(vector_register(n), i);
      return {};
    });
    return simplify(scalar, extents_);
  }

  Expr lane_by_lane(const Expr& e) {
    std::vector<Expr> scalars;
    for (int i = 0; i < lanes_; ++i) scalars.push_back(i < active_ ? at_lane(e, i) : make_const(0, e->dtype));
    return make_vector(std::move(scalars));
  }

  bool register_array(int buffer) const { return k_.buffers[static_cast<size_t>(buffer)].scope == MemoryScope::kRegister; }
  Expr vector_register(const Expr& load) const { return make_vector_load(load->id, load->dtype, load->args, lanes_, lanes_); }

  bool varies(const Expr& e) const {
    return any_node(e, [&](const Expr& n) {
      if (n->op == Op::kVar) return n->id == var_;
      if (n->op == Op::kLocal) return vector_locals_.count(n->id) > 0;
      return n->op == Op::kLoad && register_array(n->id) && n->lanes == 1;
    });
  }

  // `e` for all lanes. `guard`: a condition (empty: none) without which loads of `e` may lie outside of their buffers.
  Expr vec(const Expr& e, const Expr& guard = {}) {
    if (guard && !safe(e)) {
      if (!varies(e)) {
        const Expr guarded = make_select(guard, e, make_const(0, e->dtype));
        return varies(guard) ? lane_by_lane(guarded) : guarded;
      }
    } else if (!varies(e)) {
      return e;
    }
    switch (e->op) {
      case Op::kVar: return make_ramp(make_int(0), 1, lanes_);
      case Op::kLocal: return read_local(k_, vector_locals_.at(e->id));
      case Op::kLoad: return load(e, guard);
      case Op::kSelect: return select(e, guard);
      default: break;
    }
    if (e->dtype == DType::kI64 && !any_node(e, [](const Expr& n) { return n->op == Op::kLoad || n->op == Op::kLocal; })) {
      const Linear sum = linearize(e);
      if (!sum.hidden(var_)) return make_ramp(at_lane(e, 0), sum.coefficient(var_), lanes_);
    }
    std::vector<Expr> args;
    for (const Expr& a : e->args) args.push_back(vec(a, guard));
    return with_args(e, std::move(args));
  }

  Expr load(const Expr& e, const Expr& guard) {
    if (register_array(e->id)) return vector_register(e);
    const bool guarded = guard && !safe(e);
    const Linear offset = linearize(e->args[0]);
    const bool affine =
        !offset.hidden(var_) && !any_node(e->args[0], [&](const Expr& n) { return n.get() != e.get() && varies_inside(n); });
    // An address that is itself loaded under the guard may not be computed without it.
    if (!affine || offset.coefficient(var_) != 1 || (guarded && !safe(e->args[0])))
      return lane_by_lane(guarded ? make_select(guard, e, make_const(0, e->dtype)) : e);
    const Expr at = make_ramp(at_lane(e->args[0], 0), 1, lanes_);
    if (!guarded) return make_vector_load(e->id, e->dtype, {at}, lanes_, readable(e));
    // Lane by lane under a mask, as one value: lanes that the condition excludes are not read.
    Expr m = mask(guard);
    if (active_ < lanes_) m = make_op(Op::kAnd, {m, mask(make_op(Op::kLt, {make_var(var_), make_int(active_)}))});
    return make_select(m, make_vector_load(e->id, e->dtype, {at}, lanes_, lanes_),
                       make_broadcast(make_const(0, e->dtype), lanes_));
  }

  // Varies for another reason than the loop variable itself.
  bool varies_inside(const Expr& n) const {
    if (n->op == Op::kLocal) return vector_locals_.count(n->id) > 0;
    return n->op == Op::kLoad && varies(n);
  }

  // Lanes of a contiguous load that may be read: all of them where a packed constant is padded to whole vectors.
  int readable(const Expr& e) const {
    if (active_ == lanes_) return lanes_;
    const Buffer& b = k_.buffers[static_cast<size_t>(e->id)];
    if (b.param < 0 || k_.params[static_cast<size_t>(b.param)].packed.empty()) return active_;
    std::vector<int64_t> extents = extents_;
    extents[static_cast<size_t>(var_)] = lanes_;
    const auto range = bounds(e->args[0], extents);
    return range && range->lo >= 0 && range->hi < b.elements ? lanes_ : active_;
  }

  // Every load in `e` is inside its buffer whatever the condition around it.
  bool safe(const Expr& e) const {
    return !any_node(e, [&](const Expr& n) {
      if (n->op != Op::kLoad || register_array(n->id)) return false;
      const auto range = bounds(n->args[0], reached_);
      return !range || range->lo < 0 || range->hi >= k_.buffers[static_cast<size_t>(n->id)].elements;
    });
  }

  static Expr both(const Expr& a, const Expr& b) { return a ? make_op(Op::kAnd, {a, b}) : b; }

  Expr select(const Expr& e, const Expr& guard) {
    const Expr& a = e->args[1];
    const Expr& b = e->args[2];
    Expr c = e->args[0];
    if (!varies(c) && (!guard || safe(c))) {  // chosen at run time for all lanes
      chosen_.push_back(c);
      const Expr first = broadcast_vec(a, guard);
      chosen_.back() = make_op(Op::kNot, {c});
      const Expr second = broadcast_vec(b, guard);
      chosen_.pop_back();
      return make_select(c, first, second);
    }
    const Expr fixed = literal_mask(c);
    // Loads touch active lanes only: an arm that all of them choose needs no guard (the tail of a reduced axis).
    if (fixed && all_active(fixed))
      return make_select(fixed, broadcast_vec(a, guard), broadcast_vec(b, both(guard, make_op(Op::kNot, {c}))));
    if (!(safe(a) && safe(b)) && any_node(c, [](const Expr& n) { return n->op == Op::kLoad; })) c = named(c, guard);
    const Expr m = fixed ? fixed : guard && !safe(c) ? make_broadcast(vec(c, guard), lanes_) : mask(c);
    const Expr mixed = make_select(m, broadcast_vec(a, safe(a) ? guard : both(guard, c)),
                                   broadcast_vec(b, safe(b) ? guard : both(guard, make_op(Op::kNot, {c}))));
    // Inside the range that the condition guards, where most vectors are, the chosen arm needs no mask. (A simple arm: there are
    // two copies of it.)
    if (fixed || guard || safe(a) || !interval(c) || any_node(a, [](const Expr& n) { return n->op == Op::kSelect; }))
      return mixed;
    const Expr all = make_op(Op::kAnd, {at_lane(c, 0), at_lane(c, active_ - 1)});
    return make_select(all, broadcast_vec(a), mixed);
  }

  // A condition on loaded values, computed once before the statement (with its own loads guarded): a local that varies.
  Expr named(const Expr& c, Expr guard) {
    if (!safe(c))
      for (const Expr& chosen : chosen_) guard = both(guard, chosen);
    const Expr value = make_broadcast(vec(c, guard), lanes_);
    const int vector = new_local(k_, "guard", DType::kBool, lanes_), scalar = new_local(k_, "guard", DType::kBool, 1);
    out_->push_back(make_let(vector, value));
    vector_locals_[scalar] = vector;
    return read_local(k_, scalar);
  }

  Expr broadcast_vec(const Expr& e, const Expr& guard = {}) { return make_broadcast(vec(e, guard), lanes_); }

  // The mask of a condition on the lane alone.
  Expr literal_mask(const Expr& c) {
    if (any_node(c, [](const Expr& n) { return n->op == Op::kLoad || n->op == Op::kLocal; })) return {};
    std::vector<Expr> bits;
    for (int i = 0; i < lanes_; ++i) {
      bits.push_back(at_lane(c, i));
      if (bits.back()->op != Op::kInt) return {};
    }
    return make_vector(std::move(bits));
  }

  bool all_active(const Expr& bits) const {
    for (int i = 0; i < active_; ++i)
      if (!is_int(make_lane(bits, i), 1)) return false;
    return true;
  }

  // A condition for all lanes. Comparisons of the lane with something that does not vary are done on 32-bit lane numbers.
  Expr mask(const Expr& c) {
    if (!varies(c)) return make_broadcast(c, lanes_);
    if (const Expr fixed = literal_mask(c)) return fixed;
    if (c->op == Op::kAnd || c->op == Op::kOr) return make_op(c->op, {mask(c->args[0]), mask(c->args[1])});
    if (c->op == Op::kNot) return make_op(Op::kNot, {mask(c->args[0])});
    if ((c->op == Op::kLt || c->op == Op::kLe) && c->args[0]->dtype == DType::kI64 && interval(c)) {
      // ±lane + rest < 0 (or <= 0).
      Linear rest = linearize(c->args[0]) + linearize(c->args[1]) * -1;
      const int64_t step = rest.coefficient(var_);
      if (step == 1 || step == -1) {
        rest = rest + linearize(make_var(var_)) * -step;
        if (c->op == Op::kLe) rest.constant -= 1;
        std::vector<Expr> numbers;
        for (int i = 0; i < lanes_; ++i) numbers.push_back(make_int(i, DType::kI32));
        const Expr lane = make_vector(std::move(numbers));
        const Expr limit = to_expr(step == 1 ? rest * -1 : rest);
        const Expr clamped = make_op(Op::kMin, {make_op(Op::kMax, {limit, make_int(-1)}), make_int(lanes_)});
        const Expr narrow = make_broadcast(make_cast(clamped, DType::kI32), lanes_);
        return step == 1 ? make_op(Op::kLt, {lane, narrow}) : make_op(Op::kLt, {narrow, lane});
      }
    }
    return make_broadcast(vec(c), lanes_);
  }

  // A conjunction of affine comparisons: true for all lanes if true for the first and the last.
  bool interval(const Expr& c) const {
    if (!varies(c)) return !any_node(c, [](const Expr& n) { return n->op == Op::kLoad; });
    if (c->op == Op::kAnd) return interval(c->args[0]) && interval(c->args[1]);
    if (c->op != Op::kLt && c->op != Op::kLe) return false;
    if (c->args[0]->dtype != DType::kI64) return false;
    for (const Expr& a : c->args)
      if (linearize(a).hidden(var_) || any_node(a, [&](const Expr& n) { return varies_inside(n); })) return false;
    return true;
  }

  Kernel& k_;
  std::vector<int64_t> extents_, reached_;
  int var_ = -1, lanes_ = 1, active_ = 1;
  std::map<int, int> vector_locals_;  // scalar local of the loop body → its vector
  std::vector<Stmt>* out_ = nullptr;  // statements before the current one
  std::vector<Expr> chosen_;          // conditions that do not vary, of the selects around the current expression
};

}  // namespace

void vectorize(Kernel& k) {
  for (Phase& p : k.phases) {
    Vectorizer v(k);
    p.body = v.run(p.body);
  }
}

}  // namespace tlm::codegen
