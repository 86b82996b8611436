#include "tlm/codegen/lower/axis_tiles.h"

#include <algorithm>

#include "tlm/core/error.h"

namespace tlm::codegen {

using namespace ir;
using space::Tail;

AxisTiles axis_tiles(int64_t extent, const space::AxisPlan& plan) {
  AxisTiles t;
  t.extent = extent;
  t.tile = std::clamp<int64_t>(plan.tile, 1, extent);
  t.tail = plan.tail;
  t.tiles = (extent + t.tile - 1) / t.tile;
  t.per_cache = t.tiles;
  if (plan.cache > 0) {
    TLM_CHECK(plan.cache % plan.tile == 0) << "cache tile " << plan.cache << " of register tiles of " << plan.tile;
    t.per_cache = std::min(t.tiles, plan.cache / plan.tile);
  }
  t.cache_tiles = (t.tiles + t.per_cache - 1) / t.per_cache;
  t.cache_index = make_int(0);
  t.inner_index = make_int(0);
  return t;
}

Expr AxisTiles::inner_extent() const {
  if (tiles % per_cache == 0) return make_int(per_cache);
  return make_op(Op::kMin, {make_int(tiles) - cache_index * per_cache, make_int(per_cache)});
}

Expr AxisTiles::index() const { return cache_index * per_cache + inner_index; }

TileSplit AxisTiles::split() const {
  const Expr i = index();
  if (tail == Tail::kShifted && extent % tile != 0)
    return {{}, {make_op(Op::kMin, {i * tile, make_int(extent - tile)}), tile}, {}};
  if (tail == Tail::kBalanced) {
    const int64_t size = extent / tiles, larger = extent % tiles;  // the first `larger` tiles have one point more
    if (larger == 0) return {{}, {i * size, size}, {}};
    return {make_op(Op::kLt, {i, make_int(larger)}), {i * (size + 1), size + 1}, {i * size + larger, size}};
  }
  const int64_t full = extent / tile, rest = extent % tile;
  if (rest == 0) return {{}, {i * tile, tile}, {}};
  if (full == 0) return {{}, {make_int(0), rest}, {}};
  return {make_op(Op::kLt, {i, make_int(full)}), {i * tile, tile}, {make_int(full * tile), rest}};
}

}  // namespace tlm::codegen
