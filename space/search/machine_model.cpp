#include "tlm/space/search/machine_model.h"

#include <algorithm>
#include <cmath>

#include "tlm/space/rules/parallel.h"
#include "tlm/space/rules/register_tile.h"
#include "tlm/space/rules/tiling.h"
#include "tlm/space/rules/traffic.h"

namespace tlm::space {
namespace {

constexpr double kIssue = 2;      // vector operations that start in one cycle
constexpr double kLoads = 1.5;    // loads; two where no banks conflict
constexpr double kLatency = 5;    // cycles until a dependent operation can start, with a little slack
constexpr double kFrontEnd = 5;   // instructions that start in one cycle
constexpr double kShuffle = 0.7;  // of a multiply-add
constexpr double kJump = 3;       // instructions that close a loop
constexpr double kTileOverhead = 8;
constexpr double kLoopExit = 8;
constexpr int64_t kLine = 64;
constexpr double kEvicted = 0.8;  // cycles more of a load that misses L1, with many under way at once
constexpr double kL2BytesPerCycle = 32, kL3BytesPerCycle = 8, kMemoryBytesPerCycle = 4;

struct Piece {
  int64_t registers;  // points of one tile, vectors on the vector axis
  double tiles;       // how many such tiles
};

std::vector<Piece> pieces(const NestInfo& n, const NestPlan& plan, int a) {
  const int64_t unit = a == plan.vector_axis ? plan.lanes : 1;
  const int64_t extent = ceil_div(n.extent[a], unit), tile = std::max<int64_t>(1, plan.axes[a].tile / unit);
  const int64_t full = extent / tile, rest = extent % tile;
  if (rest == 0) return {{tile, static_cast<double>(full)}};
  if (plan.axes[a].tail == Tail::kBalanced) {
    const int64_t count = full + 1, small = extent / count;
    return {{small + 1, static_cast<double>(extent % count)}, {small, static_cast<double>(count - extent % count)}};
  }
  if (plan.axes[a].tail == Tail::kShifted) return {{tile, static_cast<double>(full + 1)}};
  if (full == 0) return {{rest, 1}};
  return {{tile, static_cast<double>(full)}, {rest, 1}};
}

// Reads of one access in the body of the unrolled reduction.
struct Reads {
  double all = 1, distinct = 1;  // every point its own; addresses that points share counted once
};

// `steps` becomes the number of steps of the reduction that the body unrolls.
Reads reads_of(const NestInfo& n, const NestPlan& plan, const Access& l, const std::vector<int64_t>& points, double& steps) {
  const int v = plan.vector_axis;
  double product = 1;
  steps = 1;
  std::vector<double> range(l.reach.size(), 1);  // positions along each dimension, in steps of 1
  for (int a = 0; a < static_cast<int>(n.extent.size()); ++a) {
    int64_t count = a < n.spatial ? points[a] : a == n.scan ? 1 : plan.axes[a].tile / (a == v ? plan.lanes : 1);
    count = std::max<int64_t>(1, count);
    if (a >= n.spatial && a != v) steps *= static_cast<double>(count);
    if (!l.depends(a)) continue;
    if (a >= n.spatial && a == v) count = 1;
    product *= static_cast<double>(count);
    for (size_t d = 0; d < l.reach.size(); ++d) {
      if (!l.reach[d].empty()) range[d] += static_cast<double>(std::abs(l.reach[d][a]) * (count - 1));
    }
  }
  double distinct = 1;
  for (size_t d = 0; d < l.reach.size(); ++d) distinct *= l.reach[d].empty() ? product : range[d];
  return {product, std::min(product, distinct)};
}

// Lines of one access that a step of the register tile reads and that cannot stay in L1 until the next step, because rows a power
// of two apart share its sets. One way of L1 covers a page of 4 KB, as it is the rule where caches are indexed by virtual
// addresses.
double evicted_lines(const NestInfo& n, const NestPlan& plan, const Target& t, const Access& l,
                     const std::vector<int64_t>& points) {
  constexpr int64_t kWay = 4096, kSets = kWay / kLine;
  constexpr int kOthers = 2;  // ways that other data needs
  if (l.constant) return 0;   // its panels are contiguous
  bool reused = false;        // the next steps read the same line
  for (size_t a = n.spatial; a < n.extent.size(); ++a) {
    const int64_t step = l.stride[a] == kIrregular ? 0 : std::abs(l.stride[a]) * l.element_bytes;
    reused = reused || (step > 0 && step < kLine && n.extent[a] > 1);
  }
  if (!reused) return 0;
  std::vector<int64_t> lines = {0};
  for (int a = 0; a < n.spatial; ++a) {
    if (a == plan.vector_axis || points[a] == 1 || !l.depends(a)) continue;
    if (l.stride[a] == kIrregular) return 0;
    const size_t rows = lines.size();
    for (int64_t i = 1; i < points[a]; ++i) {
      for (size_t r = 0; r < rows; ++r) lines.push_back(lines[r] + i * l.stride[a] * l.element_bytes);
    }
  }
  for (int64_t& line : lines) line /= kLine;
  std::sort(lines.begin(), lines.end());
  lines.erase(std::unique(lines.begin(), lines.end()), lines.end());
  std::vector<int> in_set(kSets, 0);
  for (int64_t line : lines) ++in_set[static_cast<size_t>(((line % kSets) + kSets) % kSets)];
  const int ways = std::max<int>(1, t.l1_kb * 1024 / kWay - kOthers);
  double evicted = 0;
  for (int count : in_set) evicted += count > ways ? count : 0;
  return evicted;
}

// Four neighbours of each lane of a vector are in the tile: the vectors are transposed in registers.
bool turned(const NestInfo& n, const NestPlan& plan, const Access& l, const std::vector<int64_t>& points) {
  for (int a = 0; a < static_cast<int>(n.extent.size()); ++a) {
    if (a == plan.vector_axis || a == n.scan || l.constant || l.stride[a] != 1) continue;
    const int64_t count = a < n.spatial ? points[a] : plan.axes[a].tile;
    if (count % 4 == 0 && plan.lanes >= 4) return true;
  }
  return false;
}

// One register tile whose points along each axis are `points` (vectors on the vector axis).
double tile_cycles(const NestInfo& n, const NestPlan& plan, const Target& t, const std::vector<int64_t>& points) {
  const int v = plan.vector_axis;
  const bool horizontal = v >= n.spatial;
  const double chains = horizontal ? static_cast<double>(plan.axes[v].tile / plan.lanes) : 1;  // partial results of one point
  double acc = n.accumulators;
  for (int a = 0; a < n.spatial; ++a) acc *= static_cast<double>(points[a]);
  double steps = 1;
  for (size_t a = n.spatial; a < n.extent.size(); ++a) steps *= static_cast<double>(std::max<int64_t>(1, n.extent[a]));
  if (horizontal)
    steps = steps / static_cast<double>(n.extent[v]) * static_cast<double>(ceil_div(n.extent[v], plan.lanes)) / chains;

  std::vector<Reads> reads;
  double unrolled = 1, live = 0;
  bool shared = false;  // values broadcast to a vector that several points want
  for (const Access& l : n.loads) {
    reads.push_back(reads_of(n, plan, l, points, unrolled));
    if (l.index || l.epilogue) continue;
    live += reads.back().distinct;
    shared = shared || (reads.back().distinct < reads.back().all && (v < 0 || !l.depends(v)));
  }
  // A value is loaded once only if it can stay in a register; to keep too many broadcast ones costs more than to load them again.
  const bool fits = acc * chains + live <= t.vector_registers;
  double evicted = 0;
  double shuffles = 0;                    // beside which multiply-adds run in part
  double loads = 0, lines = 0, once = 0;  // lines: whole vectors read, which also move more of a cache line
  for (size_t i = 0; i < n.loads.size(); ++i) {
    const Access& l = n.loads[i];
    double count = (fits ? reads[i].distinct : reads[i].all) / unrolled;
    if (horizontal && l.depends(v)) count *= chains;
    if (v >= 0 && l.depends(v) && !streams_along(n, l, v)) {
      const bool rows = turned(n, plan, l, points);
      if (rows) shuffles += kShuffle * count * (plan.lanes / 4 + 1);
      count *= rows ? plan.lanes / 4 : 1.5 * plan.lanes;
    }
    (l.epilogue && n.reduces ? once : loads) += count;
    if (n.reduces && !l.epilogue && !l.index) evicted += evicted_lines(n, plan, t, l, points);
    if (v < 0 || !l.depends(v)) continue;
    const int64_t run = l.constant ? kLine : plan.axes[v].tile * l.element_bytes;  // bytes read side by side
    lines += count * std::max(1.0, static_cast<double>(kLine) / static_cast<double>(run));
  }
  const double product = t.fma || !n.reduces || n.body_ops < 1 ? 0 : 1;
  const double ops = acc * chains * std::max(1.0, n.body_ops + product) / n.accumulators;
  const double issued = (ops + shuffles + loads + kJump / unrolled) / kFrontEnd;
  double step = std::max({(ops + shuffles) / kIssue, loads / kLoads, n.reduces ? kLatency : 0.0, issued}) + 0.1 * (loads + lines);
  if (shared && !fits) step *= 1.3;
  step += kEvicted * evicted;
  double guards = 0, inside = 1;  // each point off the vector axis tests its own, but for tiles away from the border
  bool bordered = false;
  for (size_t a = 0; a < n.extent.size(); ++a) {
    if (!n.guard_varies[a]) continue;
    guards = std::max(guards, 1.0);
    if (static_cast<int>(a) >= n.spatial || static_cast<int>(a) == v) continue;
    bordered = true;
    guards *= static_cast<double>(points[a]);
    inside *= std::max(0.0, 1 - 2 * static_cast<double>(points[a]) / static_cast<double>(n.extent[a]));
  }
  step += guards * (bordered ? 1 - inside : 1);
  double end = kTileOverhead + acc / n.accumulators * (1 + n.point_ops + once) / kIssue;
  if (horizontal) end += acc * (chains - 1 + 1.5 * plan.lanes) / kIssue;  // the lanes of each point are combined one by one
  if (!n.reduces) end = kTileOverhead / 2 + acc;
  // Rows that are not neighbours need pointers of their own, for nothing where no operand is shared.
  int rows = 0;
  for (int a = 0; a < n.spatial; ++a) rows += a != v && points[a] > 1;
  // Each end of an inner loop is a jump that is hard to foresee where the loop is short.
  double entered = 1, exits = 0;
  for (int a : plan.reduce_order) {
    const double trips =
        static_cast<double>(ceil_div(std::max<int64_t>(1, n.extent[a]), std::max<int64_t>(1, plan.axes[a].tile)));
    exits += trips > 1 ? entered : 0;
    entered *= trips;
  }
  end += kLoopExit * exits;
  return (steps * step + end) * (1 + (n.reduces ? 0.01 * std::max(0, rows - 1) : 0.1 * rows));
}

}  // namespace

double compute_cycles(const NestInfo& n, const NestPlan& plan, const Target& t) {
  std::vector<int64_t> points(n.extent.size(), 1);
  double outer = 1;
  std::vector<int> tiled;
  for (int a = 0; a < n.spatial; ++a) {
    if (plan.axes[a].tile > 1)
      tiled.push_back(a);
    else
      outer *= static_cast<double>(n.extent[a]);
  }
  if (n.scan >= 0) outer *= 1;  // its steps are counted like a reduction's
  double total = 0;
  auto visit = [&](auto&& self, size_t i, double count) -> void {
    if (i == tiled.size()) {
      total += count * tile_cycles(n, plan, t, points);
      return;
    }
    for (const Piece& p : pieces(n, plan, tiled[i])) {
      if (p.tiles == 0) continue;
      points[tiled[i]] = p.registers;
      self(self, i + 1, count * p.tiles);
    }
    points[tiled[i]] = 1;
  };
  visit(visit, 0, outer);
  return total;
}

namespace {

// Pairs of loops that walk the output against its order in memory, where operands are not used often enough to make up for it.
int jumps(const NestInfo& n, const NestPlan& plan) {
  constexpr double kLittleReuse = 16;
  if (n.stores.empty()) return 0;
  double elements = 1;
  for (const Access& l : n.loads)
    elements = std::max(elements, footprint_bytes(l, n.extent) / static_cast<double>(l.element_bytes));
  if (n.points > kLittleReuse * elements) return 0;
  std::vector<int64_t> strides;
  auto loop = [&](int a, int64_t trips) {
    if (trips > 1) strides.push_back(std::abs(n.stores[0].stride[a]));
  };
  for (int a : plan.order) loop(a, ceil_div(n.extent[a], plan.axes[a].cache));
  for (int a : plan.inner_order) loop(a, ceil_div(plan.axes[a].cache > 0 ? plan.axes[a].cache : n.extent[a], plan.axes[a].tile));
  int count = 0;
  for (size_t i = 0; i < strides.size(); ++i) {
    for (size_t j = i + 1; j < strides.size(); ++j) count += strides[i] < strides[j];
  }
  return count;
}

}  // namespace

double nest_cycles(const NestInfo& n, const NestPlan& plan, const Target& t, double compute) {
  const Traffic traffic(n, plan);
  // Prefetchers and out-of-order execution hide most of what takes less time.
  constexpr double kExposed = 0.3;
  double longest = compute, sum = compute;
  for (double cycles :
       {traffic.into(0.6 * 1024 * t.l1_kb) / kL2BytesPerCycle, traffic.into(0.8 * 1024 * t.l2_kb) / kL3BytesPerCycle,
        traffic.into(0.5 * 1024 * t.l3_kb) / kMemoryBytesPerCycle}) {
    longest = std::max(longest, cycles);
    sum += cycles;
  }
  return (longest + kExposed * (sum - longest)) * imbalance(n, plan, t) * (1 + 0.05 * jumps(n, plan));
}

double imbalance(const NestInfo& n, const NestPlan& plan, const Target& t) {
  if (t.cores <= 1 || work(n) < kWorkWorthSharing) return 1;
  double merged = 1;
  for (int64_t trips : shareable_loops(n, plan)) {
    if (merged >= t.cores * kMaxChunks) break;
    merged *= static_cast<double>(trips);
  }
  return std::ceil(merged / t.cores) * t.cores / merged;
}

}  // namespace tlm::space
