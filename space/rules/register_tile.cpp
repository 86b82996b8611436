#include "tlm/space/rules/register_tile.h"

#include <algorithm>
#include <cmath>

#include "tlm/space/rules/rule.h"
#include "tlm/space/rules/scale.h"
#include "tlm/space/rules/tiling.h"

namespace tlm::space {
namespace {

// Extents of tiles worth a thought: those that need fewer tiles than any smaller one, few enough to learn.
std::vector<int64_t> tile_extents(int64_t extent, int64_t limit) {
  std::vector<int64_t> out;
  for (int64_t v = std::min(extent, limit); v >= 2; --v) {
    if (ceil_div(extent, v) == ceil_div(extent, v - 1)) continue;  // the smaller tile does it in as many
    static const int64_t kUsual[] = {2, 3, 4, 5, 6, 7, 8, 10, 12, 14, 16, 20, 24, 28, 30};
    const bool usual = std::find(std::begin(kUsual), std::end(kUsual), v) != std::end(kUsual);
    if (usual || v == std::min(extent, limit)) out.push_back(v);
  }
  std::reverse(out.begin(), out.end());
  return out;
}

// A vector of axis `v` reads rows of which axis `a` walks along one: four rows and columns are transposed in registers.
bool turned_along(const NestInfo& n, int v, int a) {
  if (v < 0 || n.guard_varies[static_cast<size_t>(v)] || n.guard_varies[static_cast<size_t>(a)]) return false;
  for (const Access& l : n.loads) {
    if (!l.constant && !l.index && !streams_along(n, l, v) && l.stride[v] != kIrregular && l.stride[a] == 1) return true;
  }
  return false;
}

// Spatial axes that may be tiled beside vector axis `v`: most reuse first, then innermost.
std::vector<int> tiled_axes(const NestInfo& n, int v) {
  std::vector<std::pair<int, int>> ranked;
  for (int a = 0; a < n.spatial; ++a) {
    if (a == v || n.extent[a] == 1) continue;
    int reused = turned_along(n, v, a) ? 1 : 0;
    for (const Access& l : n.loads) reused += !l.epilogue && !l.index && !l.depends(a);
    ranked.push_back({-reused, -a});
  }
  std::sort(ranked.begin(), ranked.end());
  std::vector<int> out;
  for (auto [reused, a] : ranked) out.push_back(-a);
  return out;
}

bool reused_along(const NestInfo& n, int a) {
  for (const Access& l : n.loads) {
    if (!l.epilogue && !l.index && !l.depends(a)) return true;
  }
  return false;
}

// Points / points of whole tiles.
double useful_share(const NestInfo& n, const Micro& m) {
  double useful = 1;
  auto along = [&](int a, int64_t t) {
    if (a >= 0) useful *= static_cast<double>(n.extent[a]) / static_cast<double>(round_up(n.extent[a], t));
  };
  if (m.vector_axis >= 0) along(m.vector_axis, m.lanes);
  along(m.axis[0], m.tile[0]);
  along(m.axis[1], m.tile[1]);
  return useful;
}

// Work per instruction, without claim to be more than an order for thinning: useful points / padded points × arithmetic
// intensity.
double promise(const NestInfo& n, const Micro& m) {
  const double acc = static_cast<double>(accumulator_registers(n, m));
  double loads = 0;
  for (const Access& l : n.loads) loads += l.epilogue || l.index ? 0 : static_cast<double>(operand_registers(n, m, l));
  return useful_share(n, m) * acc / std::max({acc, loads, 8.0}) - 0.01 * loads / acc;
}

// Keeps the `quota` most promising, in their old order.
void thin(const NestInfo& n, std::vector<Micro>& list, size_t quota) {
  if (list.size() <= quota) return;
  std::vector<std::pair<double, size_t>> ranked;
  for (size_t i = 0; i < list.size(); ++i) ranked.push_back({-promise(n, list[i]), i});
  std::sort(ranked.begin(), ranked.end());
  ranked.resize(quota);
  std::sort(ranked.begin(), ranked.end(), [](const auto& x, const auto& y) { return x.second < y.second; });
  std::vector<Micro> kept;
  for (auto [p, i] : ranked) kept.push_back(list[i]);
  list = std::move(kept);
}

}  // namespace

Micro Micro::from(const Choice& c) {
  Micro m;
  m.vector_axis = static_cast<int>(c.at(0));
  m.lanes = static_cast<int>(c.at(1));
  m.vectors = c.at(2);
  m.axis[0] = static_cast<int>(c.at(3));
  m.tile[0] = c.at(4);
  m.axis[1] = static_cast<int>(c.at(5));
  m.tile[1] = c.at(6);
  return m;
}

int64_t Micro::registers_along(int a) const {
  if (a == vector_axis) return vectors;
  return a == axis[0] ? tile[0] : a == axis[1] ? tile[1] : 1;
}

int full_lanes(const NestInfo& n, const Target& t) {
  if (t.device != DeviceKind::kCpu || t.vector_bits == 0) return 1;
  return std::max(1, t.vector_bits / 8 / n.value_bytes);
}

int64_t operand_registers(const NestInfo& n, const Micro& m, const Access& load) {
  int64_t count = 1;
  for (size_t a = 0; a < n.extent.size(); ++a) {
    if (load.depends(static_cast<int>(a)) && static_cast<int>(a) < n.spatial) count *= m.registers_along(static_cast<int>(a));
  }
  return count;
}

int64_t accumulator_registers(const NestInfo& n, const Micro& m) {
  int64_t count = n.accumulators;
  for (int a = 0; a < n.spatial; ++a) count *= m.registers_along(a);
  if (m.vector_axis >= n.spatial) count *= m.vectors;  // partial results of each vector
  return count;
}

int64_t registers_needed(const NestInfo& n, const Target& t, const Micro& m) {
  int64_t all = 0, largest = 0, loads = 0;
  for (const Access& l : n.loads) {
    if (l.epilogue || l.index) continue;
    const int64_t count = operand_registers(n, m, l);
    all += count;
    largest = std::max(largest, count);
    ++loads;
  }
  const int64_t product =
      n.reduces && loads > 1 && !t.fma ? 2 : 0;  // a product on its way, and the copy that two-operand code makes
  return accumulator_registers(n, m) + (all - largest) + (loads > 0 ? 1 : 0) + product + n.temporaries;
}

std::vector<int> vector_axes(const NestInfo& n, bool* gathers) {
  std::vector<int> fast, slow;
  for (size_t i = n.extent.size(); i-- > 0;) {  // innermost first
    const int a = static_cast<int>(i);
    if (n.extent[a] == 1 || a == n.scan) continue;
    bool contiguous = !n.guard_varies[a];
    for (const Access& l : n.loads) contiguous = contiguous && !(l.depends(a) && l.index) && streams_along(n, l, a);
    if (a >= n.spatial) {
      bool moves = false;
      for (const Access& l : n.loads) moves = moves || l.depends(a);
      if (n.reorderable && contiguous && moves) fast.push_back(a);
      continue;
    }
    bool stores = !n.stores.empty();
    for (const Access& s : n.stores) stores = stores && s.stride[a] == 1;
    if (stores) (contiguous ? fast : slow).push_back(a);
  }
  // Rows that a reduction walks along are transposed in registers while it does.
  const auto turned = [&](int v) {
    return std::any_of(n.loads.begin(), n.loads.end(), [&](const Access& l) { return !streams_along(n, l, v); }) &&
           std::all_of(n.loads.begin(), n.loads.end(), [&](const Access& l) {
             if (l.index) return !l.depends(v);
             if (streams_along(n, l, v)) return true;
             if (l.epilogue || l.stride[v] == kIrregular || l.constant) return false;
             for (int a = n.spatial; a < static_cast<int>(n.extent.size()); ++a)
               if (a != n.scan && l.stride[a] == 1) return true;
             return false;
           });
  };
  std::vector<int> rows;
  if (n.reorderable && !fast.empty()) {
    for (int v : slow)
      if (!n.guard_varies[v] && turned(v)) rows.push_back(v);
  }
  // A spatial axis needs no combination at the end.
  std::stable_partition(fast.begin(), fast.end(), [&](int a) { return a < n.spatial; });
  fast.insert(fast.end(), rows.begin(), rows.end());
  if (gathers) *gathers = fast.empty();
  return fast.empty() ? slow : fast;
}

std::vector<Micro> micro_candidates(const NestInfo& n, const Target& t) {
  std::vector<Micro> out = {Micro()};
  if (t.device != DeviceKind::kCpu) return out;
  const int64_t budget = t.vector_registers;
  auto legal = [&](const Micro& m) {
    // Without a reduction nothing is held from one step to the next: a single vector of any expression can be computed.
    if (!n.reduces && m.vectors == 1 && m.axis[0] < 0 && m.axis[1] < 0) return true;
    return registers_needed(n, t, m) <= budget;
  };
  const int full = full_lanes(n, t);
  std::vector<int> axes;
  if (full > 1) axes = vector_axes(n, nullptr);
  const bool vectors = !axes.empty();
  if (!vectors) axes = {-1};

  std::vector<Micro> rows, one, other, two;  // no tiled axis; the best tiled axis; another one; two of them
  for (int v : axes) {
    std::vector<int> widths = {1};
    if (vectors) {
      widths = {full};
      for (int w = full / 2; w >= 2 && w >= full / 4; w /= 2) {
        if (n.extent[v] <= w) widths.push_back(w);  // a narrower vector does it as well
      }
    }
    const std::vector<int> tiled = tiled_axes(n, v);
    for (int lanes : widths) {
      Micro m;
      m.vector_axis = v;
      m.lanes = lanes;
      const int64_t most = vectors ? ceil_div(n.extent[v], lanes) : 1;
      for (int64_t nv : {1, 2, 3, 4, 5, 6, 8, 12, 13}) {
        if (nv > most || (nv > 1 && nv < most && ceil_div(most, nv) == ceil_div(most, nv - 1))) continue;
        m.vectors = nv;
        m.axis[0] = m.axis[1] = -1;
        m.tile[0] = m.tile[1] = 1;
        if (vectors && legal(m)) rows.push_back(m);
        for (size_t i = 0; i < tiled.size() && i < 3; ++i) {
          m.axis[0] = tiled[i];
          const int64_t few = turned_along(n, v, tiled[i]) ? std::max(4, lanes) : 4;
          const int64_t cap = n.reduces && reused_along(n, tiled[i]) ? budget : few;
          for (int64_t p : tile_extents(n.extent[tiled[i]], cap)) {
            m.tile[0] = p;
            m.axis[1] = -1;
            m.tile[1] = 1;
            if (!legal(m)) break;  // more points never need fewer registers
            (i == 0 ? one : other).push_back(m);
            if (i != 1 || p > 4 || !n.reduces) continue;
            // Two axes: the best two, one of them in small steps.
            m.axis[1] = tiled[0];
            for (int64_t q : tile_extents(n.extent[tiled[0]], budget)) {
              m.tile[1] = q;
              if (!legal(m)) break;
              two.push_back(m);
            }
          }
        }
      }
    }
  }
  thin(n, rows, 16);
  thin(n, one, 48);
  thin(n, other, 24);
  thin(n, two, 31);
  for (const auto* list : {&rows, &one, &other, &two}) out.insert(out.end(), list->begin(), list->end());
  return out;
}

namespace {

std::vector<Choice> candidates(const Context& c, const Sketch& s, int) {
  std::vector<Choice> out;
  for (const Micro& m : micro_candidates(*s.info, c.target)) out.push_back(m.choice());
  return out;
}

// Spatial axes with several points, outermost first. The largest operand set is streamed, the others are held across it: so the
// axes that only the held ones depend on are the inner ones, and what all depend on is outside. Without a reduction: as the
// output lies in memory.
std::vector<int> point_order(const NestInfo& n, const Micro& m) {
  const Access* streamed = nullptr;
  for (const Access& l : n.loads) {
    if (l.index || l.epilogue) continue;
    if (!streamed || operand_registers(n, m, l) > operand_registers(n, m, *streamed)) streamed = &l;
  }
  std::vector<std::pair<int64_t, int>> ranked;
  for (int a = 0; a < n.spatial; ++a) {
    if (m.registers_along(a) * (a == m.vector_axis ? m.lanes : 1) == 1) continue;
    bool held = false;
    for (const Access& l : n.loads) held = held || (&l != streamed && !l.index && !l.epilogue && l.depends(a));
    const int64_t rank = streamed && streamed->depends(a) ? (held ? 0 : 1) : 2;
    ranked.push_back({n.reduces || n.stores.empty() ? rank : -std::abs(n.stores[0].stride[a]), a});
  }
  std::sort(ranked.begin(), ranked.end());
  std::vector<int> out;
  for (auto [rank, a] : ranked) out.push_back(a);
  return out;
}

void apply(const Context&, Sketch& s, int, const Choice& choice) {
  const Micro m = Micro::from(choice);
  NestPlan& n = nest_plan(s);
  n.vector_axis = m.vector_axis;
  n.lanes = m.lanes;
  if (m.vector_axis >= 0) n.axes[m.vector_axis].tile = m.lanes * m.vectors;
  for (int i : {0, 1}) {
    if (m.axis[i] >= 0) n.axes[m.axis[i]].tile = m.tile[i];
  }
  n.unroll_order = point_order(*s.info, m);
  if (m.vector_axis >= s.info->spatial) n.unroll_order.insert(n.unroll_order.begin(), m.vector_axis);
}

// What one register tile reads of an operand over the whole reduction.
double panel_bytes(const NestInfo& n, const Micro& m, const Access& load) {
  std::vector<int64_t> span = n.extent;
  for (int a = 0; a < n.spatial; ++a)
    span[a] = std::min(span[a], m.registers_along(a) * (a == m.vector_axis ? m.lanes : 1));
  return footprint_bytes(load, span);
}

// Points of tiles that are none of the nest's; updates for each register of the operand with the largest panel, in quarter octaves
// from a half; accumulators; updates for each operand register of a step; memory of that panel, of the others. First what leaves
// good tiles whatever the extents are: who says 24 accumulators first may find that the extents have none but bad ones.
std::vector<int64_t> consequences(const Context&, const Sketch& s, int, const Choice& choice) {
  const NestInfo& n = *s.info;
  const Micro m = Micro::from(choice);
  const int64_t accumulators = accumulator_registers(n, m);
  int64_t operands = 0, streamed = 0;
  double panel = 0, panels = 0;
  for (const Access& l : n.loads) {
    if (l.epilogue || l.index) continue;
    const double bytes = panel_bytes(n, m, l);
    operands += operand_registers(n, m, l);
    panels += bytes;
    if (bytes > panel) {
      panel = bytes;
      streamed = operand_registers(n, m, l);
    }
  }
  const auto updates = [&](int64_t registers) {
    return log_steps(static_cast<double>(accumulators) / static_cast<double>(std::max<int64_t>(1, registers)), 0.5, 4);
  };
  return {sixteenths(1 - useful_share(n, m)), updates(streamed),   accumulators,
          updates(operands),                  kilobytes(panel), kilobytes(panels - panel)};
}

}  // namespace

Rule micro_rule() {
  return {DecisionKind::kMicro, [](const Context&, const Sketch&) { return 1; }, candidates, apply,
          [](const Context&, const Sketch& s, int) {
            std::vector<int64_t> facts;
            for (size_t a = 0; s.subgraph && a < s.info->extent.size(); ++a)  // else the prompt says them
              if (s.info->extent[a] > 1) facts.insert(facts.end(), {static_cast<int64_t>(a), s.info->extent[a]});
            return facts;
          },
          consequences};
}

}  // namespace tlm::space
