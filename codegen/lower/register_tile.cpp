#include "tlm/codegen/lower/register_tile.h"

#include <algorithm>
#include <functional>
#include <map>

#include "tlm/codegen/lower/epilogue.h"
#include "tlm/codegen/lower/prefetch.h"
#include "tlm/codegen/lower/rewrite.h"
#include "tlm/core/error.h"

namespace tlm::codegen {

using namespace ir;

namespace {

// One unrolled point of the tile: where it is, and which accumulator holds it.
struct Point {
  std::vector<Expr> position;  // by axis
  std::vector<Expr> slot;      // by axis: index of the accumulator on that axis
  int vector_var = -1;         // lane, inside the vector loop
  int active = 0;              // lanes of it that exist
};

class RegisterTile {
 public:
  RegisterTile(Kernel& k, const TileContext& c, const std::vector<Region>& regions)
      : k_(k), c_(c), s_(c.stage), n_(c.stage.axes.size()), regions_(regions) {
    for (size_t a = 0; a < n_; ++a)
      if (s_.axes[a].kind != AxisKind::kSpatial) regions_[a] = {make_int(0), 1};
    for (int a : c.nest.unroll_order) order_.push_back(static_cast<size_t>(a));
    for (size_t a = 0; a < n_; ++a)
      if (std::find(order_.begin(), order_.end(), a) == order_.end()) order_.push_back(a);
    // The vector loop is the innermost: its axis needs no particular place, but one of a single vector costs nothing anywhere.
    std::erase_if(order_, [&](size_t a) { return s_.axes[a].kind == AxisKind::kScan; });
  }

  Stmt build() {
    if (s_.combiner.kind == CombinerKind::kNone) return points(spatial_only(), [&](const Point& p) { return outputs(p); });
    declare_accumulators();
    std::vector<Stmt> body;
    body.push_back(points(accumulator_axes(), [&](const Point& p) { return initialise(p); }));
    if (const int scan = scan_axis(); scan >= 0) {
      body.push_back(scan_loop(static_cast<size_t>(scan)));
    } else {
      body.push_back(reduce(0));
      body.push_back(points(spatial_only(), [&](const Point& p) { return outputs(p); }));
    }
    Stmt s = flat_block(std::move(body));
    for (int a : accumulators_) s = make_alloc(a, s);
    return s;
  }

 private:
  int scan_axis() const {
    for (size_t a = 0; a < n_; ++a)
      if (s_.axes[a].kind == AxisKind::kScan) return static_cast<int>(a);
    return -1;
  }
  bool is_vector(size_t a) const { return static_cast<int>(a) == c_.nest.vector_axis; }
  bool reduces(size_t a) const { return s_.axes[a].kind == AxisKind::kReduce; }

  std::vector<size_t> filtered(const std::function<bool(size_t)>& keep) const {
    std::vector<size_t> out;
    std::copy_if(order_.begin(), order_.end(), std::back_inserter(out), keep);
    return out;
  }
  std::vector<size_t> spatial_only() const {
    return filtered([&](size_t a) { return !reduces(a); });
  }
  // A reduction axis that is the vector axis has partial accumulators of its own: one for each vector.
  std::vector<size_t> accumulator_axes() const {
    return filtered([&](size_t a) { return !reduces(a) || is_vector(a); });
  }
  int64_t slots(size_t a) const {
    if (!is_vector(a)) return reduces(a) ? 1 : regions_[a].size;
    const int64_t size = reduces(a) ? vector_step() : regions_[a].size;
    return (size + c_.nest.lanes - 1) / c_.nest.lanes;
  }
  // Points of the vector axis, when it is reduced, in one trip of its loop.
  int64_t vector_step() const {
    const auto a = static_cast<size_t>(c_.nest.vector_axis);
    const int64_t tile = std::max<int64_t>(c_.nest.axes[a].tile, c_.nest.lanes);
    const int64_t lanes = c_.nest.lanes;
    return std::min(tile / lanes * lanes, (s_.axes[a].extent + lanes - 1) / lanes * lanes);
  }

  void declare_accumulators() {
    for (size_t j = 0; j < s_.body.size(); ++j) {
      Buffer b;
      b.name = "acc" + std::to_string(j);
      b.dtype = s_.body[j]->dtype;
      b.scope = MemoryScope::kRegister;
      b.elements = 1;
      for (size_t a = 0; a < n_; ++a) {
        b.shape.push_back(slots(a));
        b.elements *= slots(a);
      }
      b.strides = row_major_strides(b.shape);
      accumulators_.push_back(static_cast<int>(k_.buffers.size()));
      k_.buffers.push_back(std::move(b));
    }
  }

  // Unrolled loops over the points of `axes`, in that order, with the vector loop innermost.
  Stmt points(const std::vector<size_t>& axes, const std::function<Stmt(const Point&)>& leaf) {
    Point p;
    p.position.resize(n_);
    p.slot.assign(n_, make_int(0));
    for (size_t a = 0; a < n_; ++a) p.position[a] = regions_[a].base;
    return point_loops(axes, 0, p, leaf);
  }

  Stmt point_loops(const std::vector<size_t>& axes, size_t i, Point p, const std::function<Stmt(const Point&)>& leaf) {
    if (i == axes.size()) {
      Stmt s = leaf(p);
      return p.vector_var < 0 ? s : vector_loop(p, std::move(s));
    }
    const size_t a = axes[i];
    const Expr base = regions_[a].base;
    const int lanes = c_.nest.lanes;
    // Accumulators of a reduced vector axis are all initialised, whatever the current region.
    const int64_t size = reduces(a) && is_vector(a) && initialising_ ? vector_step() : regions_[a].size;
    if (!is_vector(a)) {
      return counted(a, "", size, [&](const Expr& index) {
        Point q = p;
        q.position[a] = base + index;
        if (!reduces(a)) q.slot[a] = index;
        return point_loops(axes, i + 1, q, leaf);
      });
    }
    auto vector_at = [&](const Expr& index, int active) {
      Point q = p;
      q.vector_var = new_var(k_, s_.axes[a].name + "_l");
      q.active = active;
      q.position[a] = base + index * lanes + make_var(q.vector_var);
      q.slot[a] = index;
      return point_loops(axes, i + 1, q, leaf);
    };
    std::vector<Stmt> body;
    const int64_t full = size / lanes;
    if (full > 0) body.push_back(counted(a, "_v", full, [&](const Expr& index) { return vector_at(index, lanes); }));
    if (size % lanes) body.push_back(vector_at(make_int(full), static_cast<int>(size % lanes)));
    return flat_block(std::move(body));
  }

  Stmt counted(size_t a, const char* suffix, int64_t count, const std::function<Stmt(const Expr&)>& body) {
    if (count == 1) return body(make_int(0));
    const int v = new_var(k_, s_.axes[a].name + "_u" + suffix);
    Stmt s = body(make_var(v));
    return make_for(v, make_int(count), LoopKind::kUnrolled, std::move(s));
  }

  Stmt vector_loop(const Point& p, Stmt body) const {
    StmtNode n;
    n.kind = StmtKind::kFor;
    n.loop = LoopKind::kVector;
    n.var = p.vector_var;
    n.extent = make_int(c_.nest.lanes);
    n.active = p.active == c_.nest.lanes ? 0 : p.active;
    n.body = {std::move(body)};
    return std::make_shared<const StmtNode>(std::move(n));
  }

  Expr accumulator(size_t j, const Point& p) const { return make_load(accumulators_[j], s_.body[j]->dtype, p.slot); }

  Stmt initialise(const Point& p) {
    std::vector<Stmt> body;
    for (size_t j = 0; j < accumulators_.size(); ++j)
      body.push_back(make_store(accumulators_[j], p.slot, s_.combiner.identity[j]));
    return flat_block(std::move(body));
  }

  // The reduction loops from number `i` of reduce_order inwards.
  Stmt reduce(size_t i) {
    if (i == 0) initialising_ = false;
    std::vector<size_t> reduced;
    for (int a : c_.nest.reduce_order) reduced.push_back(static_cast<size_t>(a));
    for (size_t a = 0; a < n_; ++a)
      if (reduces(a) && std::find(reduced.begin(), reduced.end(), a) == reduced.end()) reduced.push_back(a);
    if (i == reduced.size()) {
      std::vector<Stmt> body;
      if (c_.nest.prefetch) body = prefetch_panels(k_, c_, regions_);
      body.push_back(points(order_, [&](const Point& p) { return combine(p); }));
      return flat_block(std::move(body));
    }
    const size_t a = reduced[i];
    const int64_t extent = s_.axes[a].extent;
    const int64_t step =
        is_vector(a) ? vector_step() : std::clamp<int64_t>(c_.nest.axes[a].tile, 1, std::max<int64_t>(extent, 1));
    const int64_t full = extent / step, rest = extent % step;
    std::vector<Stmt> body;
    if (full > 0) {
      if (full == 1) {
        regions_[a] = {make_int(0), step};
        body.push_back(reduce(i + 1));
      } else {
        const int v = new_var(k_, s_.axes[a].name);
        regions_[a] = {make_var(v) * step, step};
        Stmt inner = reduce(i + 1);
        body.push_back(make_for(v, make_int(full), LoopKind::kSerial, std::move(inner)));
      }
    }
    if (rest > 0) {
      regions_[a] = {make_int(full * step), rest};
      body.push_back(reduce(i + 1));
    }
    return flat_block(std::move(body));
  }

  // Accumulators of the point take in the body's value there.
  Stmt combine(const Point& p) {
    std::vector<Stmt> body;
    std::vector<Expr> running, incoming;
    const bool masked = c_.vector_reduce && p.active < c_.nest.lanes;
    for (size_t j = 0; j < accumulators_.size(); ++j) {
      running.push_back(accumulator(j, p));
      Expr x = at_position(s_.body[j], p.position);
      if (masked) x = make_select(make_op(Op::kLt, {make_var(p.vector_var), make_int(p.active)}), x, s_.combiner.identity[j]);
      incoming.push_back(std::move(x));
    }
    if (accumulators_.size() > 1)
      for (Expr& x : incoming) x = let("new", x, body);
    std::vector<Expr> combined = combine_exprs(s_.combiner, running, incoming);
    if (accumulators_.size() > 1)
      for (Expr& x : combined) x = let("next", x, body);
    for (size_t j = 0; j < accumulators_.size(); ++j) body.push_back(make_store(accumulators_[j], p.slot, combined[j]));
    return flat_block(std::move(body));
  }

  Stmt scan_loop(size_t a) {
    const int v = new_var(k_, s_.axes[a].name);
    regions_[a] = {make_var(v), 1};
    std::vector<Stmt> body;
    auto out = [&] { return points(spatial_only(), [&](const Point& p) { return outputs(p); }); };
    if (s_.exclusive) body.push_back(out());
    body.push_back(reduce(0));
    if (!s_.exclusive) {
      for (size_t r = 0; r < n_; ++r)
        if (reduces(r)) regions_[r] = {make_int(0), 1};
      body.push_back(out());
    }
    return make_for(v, make_int(s_.axes[a].extent), LoopKind::kSerial, flat_block(std::move(body)));
  }

  Expr let(const std::string& name, const Expr& value, std::vector<Stmt>& body) {
    if (value->op == Op::kInt || value->op == Op::kFloat || value->op == Op::kLocal) return value;
    const int l = new_local(k_, name, value->dtype, value->lanes);
    body.push_back(make_let(l, value));
    return read_local(k_, l);
  }

  // The accumulators of a point as seen by results: with partial vectors combined into one scalar each.
  std::vector<Expr> finished(const Point& p, std::vector<Stmt>& body) {
    std::vector<Expr> acc;
    if (s_.combiner.kind == CombinerKind::kNone) {
      for (const Expr& b : s_.body) acc.push_back(at_position(b, p.position));
      return acc;
    }
    if (!c_.vector_reduce) {
      for (size_t j = 0; j < accumulators_.size(); ++j) acc.push_back(accumulator(j, p));
      return acc;
    }
    const auto axis = static_cast<size_t>(c_.nest.vector_axis);
    const int lanes = c_.nest.lanes;
    auto vector_slot = [&](int64_t v) {
      std::vector<Expr> out;
      Point q = p;
      q.slot[axis] = make_int(v);
      for (size_t j = 0; j < accumulators_.size(); ++j)
        out.push_back(make_vector_load(accumulators_[j], s_.body[j]->dtype, q.slot, lanes, lanes));
      return out;
    };
    auto fold = [&](const std::vector<Expr>& a, const std::vector<Expr>& b) {
      std::vector<Expr> c = combine_exprs(s_.combiner, a, b);
      for (Expr& x : c) x = let("part", x, body);
      return c;
    };
    acc = vector_slot(0);
    for (int64_t v = 1; v < slots(axis); ++v) acc = fold(acc, vector_slot(v));
    for (Expr& x : acc) x = let("lanes", x, body);
    // By halves: vectors down to four lanes (a shuffle and one operation each), then scalars.
    int width = lanes;
    for (; width > 4; width /= 2) {
      std::vector<Expr> low, high;
      for (const Expr& x : acc) {
        std::vector<Expr> first, second;
        for (int l = 0; l < width / 2; ++l) {
          first.push_back(make_lane(x, l));
          second.push_back(make_lane(x, l + width / 2));
        }
        low.push_back(make_vector(std::move(first)));
        high.push_back(make_vector(std::move(second)));
      }
      acc = fold(low, high);
    }
    std::vector<std::vector<Expr>> lane(static_cast<size_t>(width));
    for (int l = 0; l < width; ++l)
      for (const Expr& x : acc) lane[static_cast<size_t>(l)].push_back(make_lane(x, l));
    for (size_t half = lane.size() / 2; half > 0; half /= 2)
      for (size_t l = 0; l < half; ++l) lane[l] = fold(lane[l], lane[l + half]);
    return lane[0];
  }

  Stmt outputs(const Point& p) {
    std::vector<Stmt> body;
    std::vector<Expr> acc = finished(p, body);
    PointValues values;
    write_stage(s_, p.position, acc, values, body);
    for (const Stage& e : c_.epilogue) {
      const std::vector<Expr> position = epilogue_position(e, values);
      std::vector<Expr> result;
      for (const Expr& b : e.body) result.push_back(values.replace(at_position(b, position)));
      write_stage(e, position, result, values, body);
    }
    return flat_block(std::move(body));
  }

  void write_stage(const Stage& s, const std::vector<Expr>& position, const std::vector<Expr>& acc, PointValues& values,
                   std::vector<Stmt>& body) {
    for (size_t o = 0; o < s.outputs.size(); ++o) {
      std::vector<Expr> indices;
      for (const Expr& i : s.outputs[o].indices) indices.push_back(at_position(i, position));
      Expr value = with_accumulators(at_position(s.result[o], position), acc);
      value = values.replace(value);
      if (!c_.epilogue.empty()) value = let("r", value, body);
      const int t = s.outputs[o].tensor;
      values.define(t, indices, value);
      if (c_.stored[static_cast<size_t>(t)]) body.push_back(make_store(t, indices, value));
    }
  }

  Kernel& k_;
  const TileContext& c_;
  const Stage& s_;
  size_t n_;
  std::vector<Region> regions_;
  std::vector<size_t> order_;      // axes of unrolled points, outermost first
  std::vector<int> accumulators_;  // buffers, by accumulator
  bool initialising_ = true;
};

}  // namespace

std::shared_ptr<TileContext> make_context(const Subgraph& g, const space::SchedulePlan& plan, const space::NestPlan& nest,
                                          const Stage& stage, const std::vector<bool>& stored) {
  auto c = std::make_shared<TileContext>();
  c->nest = nest;
  c->stage = stage;
  for (int e : nest.epilogue) c->epilogue.push_back(space::inlined_stage(g, plan.attach, e));
  c->stored = stored;
  c->vector_reduce = nest.vector_axis >= 0 && stage.axes[static_cast<size_t>(nest.vector_axis)].kind == AxisKind::kReduce;
  return c;
}

Stmt register_tile(Kernel& k, const TileContext& context, const std::vector<Region>& regions) {
  return RegisterTile(k, context, regions).build();
}

}  // namespace tlm::codegen
