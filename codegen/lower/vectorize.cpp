#include "tlm/codegen/lower/vectorize.h"

#include <algorithm>
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
    return map_stmts(s, [&](const Stmt& t) { return t->kind == StmtKind::kFor && t->loop == LoopKind::kVector ? loop(t) : t; });
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

  Expr vec(const Expr& e) {
    if (!varies(e)) return e;
    switch (e->op) {
      case Op::kVar: return make_ramp(make_int(0), 1, lanes_);
      case Op::kLocal: return read_local(k_, vector_locals_.at(e->id));
      case Op::kLoad: return load(e);
      case Op::kSelect: return select(e);
      default: break;
    }
    if (e->dtype == DType::kI64 && !any_node(e, [](const Expr& n) { return n->op == Op::kLoad || n->op == Op::kLocal; })) {
      const Linear sum = linearize(e);
      if (!sum.hidden(var_)) return make_ramp(at_lane(e, 0), sum.coefficient(var_), lanes_);
    }
    std::vector<Expr> args;
    for (const Expr& a : e->args) args.push_back(vec(a));
    return with_args(e, std::move(args));
  }

  Expr load(const Expr& e) {
    if (register_array(e->id)) return vector_register(e);
    const Linear offset = linearize(e->args[0]);
    const bool affine =
        !offset.hidden(var_) && !any_node(e->args[0], [&](const Expr& n) { return n.get() != e.get() && varies_inside(n); });
    if (affine && offset.coefficient(var_) == 1)
      return make_vector_load(e->id, e->dtype, {make_ramp(at_lane(e->args[0], 0), 1, lanes_)}, lanes_, readable(e));
    return lane_by_lane(e);
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

  Expr select(const Expr& e) {
    if (!varies(e->args[0])) return make_select(e->args[0], broadcast_vec(e->args[1]), broadcast_vec(e->args[2]));
    if (const Expr fixed = literal_mask(e->args[0]); fixed) {
      // Loads touch active lanes only, so an arm that all of them choose may be one vector whatever the others would read.
      const bool chosen =
          std::all_of(fixed->args.begin(), fixed->args.begin() + active_, [](const Expr& m) { return m->ival != 0; });
      if ((chosen || safe(e->args[1])) && safe(e->args[2]))
        return make_select(fixed, broadcast_vec(e->args[1]), broadcast_vec(e->args[2]));
      return lane_by_lane(e);
    }
    if (safe(e->args[1]) && safe(e->args[2]))
      return make_select(make_broadcast(vec(e->args[0]), lanes_), broadcast_vec(e->args[1]), broadcast_vec(e->args[2]));
    const Expr mixed = lane_by_lane(e);
    // Inside the range that the condition guards, where most vectors are, the chosen arm is one vector.
    if (interval(e->args[0])) {
      const Expr all = make_op(Op::kAnd, {at_lane(e->args[0], 0), at_lane(e->args[0], active_ - 1)});
      return make_select(all, broadcast_vec(e->args[1]), mixed);
    }
    return mixed;
  }

  Expr broadcast_vec(const Expr& e) { return make_broadcast(vec(e), lanes_); }

  // The mask of a condition on the lane alone.
  Expr literal_mask(const Expr& c) {
    std::vector<Expr> mask;
    for (int i = 0; i < lanes_; ++i) {
      mask.push_back(at_lane(c, i));
      if (mask.back()->op != Op::kInt) return {};
    }
    return make_vector(std::move(mask));
  }

  bool all_active(const Expr& mask) const {
    for (int i = 0; i < active_; ++i)
      if (!is_int(make_lane(mask, i), 1)) return false;
    return true;
  }

  // A conjunction of affine comparisons: true for all lanes if true for the first and the last.
  bool interval(const Expr& c) const {
    if (!varies(c)) return true;
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
};

}  // namespace

void vectorize(Kernel& k) {
  for (Phase& p : k.phases) {
    Vectorizer v(k);
    p.body = v.run(p.body);
  }
}

}  // namespace tlm::codegen
