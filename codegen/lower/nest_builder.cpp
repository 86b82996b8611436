#include "tlm/codegen/lower/nest_builder.h"

#include <algorithm>

#include "tlm/codegen/lower/axis_tiles.h"
#include "tlm/codegen/lower/interior.h"
#include "tlm/codegen/lower/register_tile.h"
#include "tlm/codegen/lower/rewrite.h"
#include "tlm/core/error.h"

namespace tlm::codegen {

using namespace ir;
using space::NestPlan;
using space::SchedulePlan;

namespace {

struct Loop {
  int var;
  Expr extent;
};

class NestBuilder {
 public:
  NestBuilder(Kernel& k, const Subgraph& g, const SchedulePlan& plan, const NestPlan& nest, const std::vector<bool>& stored,
              const Target& target)
      : k_(k), nest_(nest), stage_(space::inlined_stage(g, plan.attach, nest.stage)) {
    if (target.device == DeviceKind::kCuda) {
      nest_.vector_axis = -1;
      nest_.lanes = 1;
    }
    if (nest_.vector_axis < 0 || nest_.lanes <= 1) nest_.vector_axis = -1, nest_.lanes = 1;
    TLM_CHECK(nest_.axes.size() == stage_.axes.size())
        << "plan of " << nest_.axes.size() << " axes for a stage of " << stage_.axes.size();
    context_ = make_context(g, plan, nest_, stage_, stored);
  }

  Stmt build() {
    for (const Axis& a : stage_.axes)
      if (a.kind != AxisKind::kReduce && a.extent == 0) return make_block({});  // no point, nothing to store
    make_loops();
    Stmt body = tails(0);
    // Leading loops that are shared out, then the serial ones.
    for (size_t i = loops_.size(); i-- > 0;) {
      const bool parallel = static_cast<int>(i) < nest_.parallel;
      body = make_for(loops_[i].var, loops_[i].extent, parallel ? LoopKind::kParallel : LoopKind::kSerial, std::move(body));
    }
    return body;
  }

 private:
  bool tiled(size_t a) const { return stage_.axes[a].kind == AxisKind::kSpatial; }

  void make_loops() {
    const size_t n = stage_.axes.size();
    tiles_.resize(n);
    for (size_t a = 0; a < n; ++a)
      if (tiled(a)) tiles_[a] = axis_tiles(stage_.axes[a].extent, nest_.axes[a]);
    auto complete = [&](std::vector<int> order) {
      for (size_t a = 0; a < n; ++a)
        if (tiled(a) && std::find(order.begin(), order.end(), static_cast<int>(a)) == order.end())
          order.push_back(static_cast<int>(a));
      return order;
    };
    for (int axis : complete(nest_.order)) {
      const auto a = static_cast<size_t>(axis);
      if (!tiled(a) || tiles_[a].cache_tiles <= 1) continue;
      const int v = new_var(k_, stage_.axes[a].name + "_c");
      tiles_[a].cache_index = make_var(v);
      loops_.push_back({v, make_int(tiles_[a].cache_tiles)});
      context_->loops.push_back({axis, v, tiles_[a].cache_tiles});
    }
    for (int axis : complete(nest_.inner_order)) {
      const auto a = static_cast<size_t>(axis);
      if (!tiled(a)) continue;
      const Expr extent = tiles_[a].inner_extent();
      if (is_int(extent, 1)) continue;
      const int v = new_var(k_, stage_.axes[a].name + "_t");
      tiles_[a].inner_index = make_var(v);
      loops_.push_back({v, extent});
      context_->loops.push_back({axis, v, tiles_[a].per_cache});
    }
  }

  // One body for each combination of full and remaining tiles.
  Stmt tails(size_t a) {
    if (a == stage_.axes.size()) return tile();
    if (a == 0) regions_.assign(stage_.axes.size(), {});
    if (!tiled(a)) return tails(a + 1);
    const TileSplit split = tiles_[a].split();
    if (!split.condition) {
      regions_[a] = split.first;
      return tails(a + 1);
    }
    regions_[a] = split.first;
    Stmt first = tails(a + 1);
    regions_[a] = split.second;
    Stmt second = tails(a + 1);
    return make_if(split.condition, std::move(first), std::move(second));
  }

  // Full tiles have a second body for the interior, where no guard is needed.
  Stmt tile() {
    Stmt guarded = register_tile(k_, *context_, regions_);
    for (size_t a = 0; a < stage_.axes.size(); ++a)
      if (tiled(a) && regions_[a].size < tiles_[a].tile) return guarded;
    std::vector<int64_t> extents(k_.vars.size(), INT64_MAX);
    for (const AxisTiles& t : tiles_) {
      if (t.cache_index && t.cache_index->op == Op::kVar) extents[static_cast<size_t>(t.cache_index->id)] = t.cache_tiles;
      if (t.inner_index && t.inner_index->op == Op::kVar) extents[static_cast<size_t>(t.inner_index->id)] = t.per_cache;
    }
    const auto inside = interior(stage_, regions_, extents);
    if (!inside) return guarded;
    TileContext unguarded = *context_;
    unguarded.stage = inside->stage;
    Stmt body = register_tile(k_, unguarded, regions_);
    return is_int(inside->condition, 1) ? body : make_if(inside->condition, std::move(body), std::move(guarded));
  }

  Kernel& k_;
  NestPlan nest_;
  Stage stage_;
  std::shared_ptr<TileContext> context_;
  std::vector<AxisTiles> tiles_;
  std::vector<Region> regions_;
  std::vector<Loop> loops_;
};

}  // namespace

Stmt build_nest(Kernel& k, const Subgraph& g, const SchedulePlan& plan, const NestPlan& nest, const std::vector<bool>& stored,
                const Target& target) {
  return NestBuilder(k, g, plan, nest, stored, target).build();
}

}  // namespace tlm::codegen
