#include "tlm/space/records/workload_kind.h"

#include <algorithm>
#include <array>

#include "tlm/space/rules/window_sum.h"

namespace tlm::space {
namespace {

using ir::Expr;
using ir::Op;

constexpr std::array<std::string_view, 9> kNames = {
    "product", "batched-product", "matrix-vector", "window", "window-other", "depthwise", "pool", "row-wise", "map"};

constexpr int64_t kWindowExtent = 3, kEnoughChannels = 16;  // as minimal filtering wants them

// Axes of more than one point that occur in the loads of an expression.
std::vector<bool> axes_of(const Expr& e, const ir::Stage& s) {
  std::vector<bool> found(s.axes.size(), false);
  ir::visit(e, [&](const Expr& load) {
    if (load->op != Op::kLoad) return;
    for (const Expr& index : load->args)
      ir::visit(index, [&](const Expr& x) {
        const auto a = static_cast<size_t>(x->id);
        if (x->op == Op::kVar && s.axes[a].extent > 1) found[a] = true;
      });
  });
  return found;
}

// Reduction axes that slide: each moves an index together with a spatial axis.
std::vector<bool> sliding_axes(const ir::Stage& s) {
  std::vector<bool> found(s.axes.size(), false);
  for (const Expr& body : s.body)
    ir::visit(body, [&](const Expr& load) {
      if (load->op != Op::kLoad) return;
      for (const Expr& index : load->args) {
        const auto affine = ir::as_affine(index, static_cast<int>(s.axes.size()));
        if (!affine) continue;
        bool spatial = false;
        for (size_t a = 0; a < s.axes.size(); ++a)
          spatial = spatial || (s.axes[a].kind == ir::AxisKind::kSpatial && s.axes[a].extent > 1 && affine->coef[a] != 0);
        for (size_t a = 0; spatial && a < s.axes.size(); ++a)
          if (s.axes[a].kind == ir::AxisKind::kReduce && s.axes[a].extent > 1 && affine->coef[a] != 0) found[a] = true;
      }
    });
  return found;
}

// Σ a·b with loads on both sides.
bool sums_products(const ir::Stage& s) {
  const auto loads = [](const Expr& e) {
    bool some = false;
    ir::visit(e, [&](const Expr& x) { some = some || x->op == Op::kLoad; });
    return some;
  };
  return s.combiner.kind == ir::CombinerKind::kSum && s.body.size() == 1 && s.body[0]->op == Op::kMul &&
         loads(s.body[0]->args[0]) && loads(s.body[0]->args[1]);
}

bool filters_minimally(const ir::Subgraph& g, int stage) {
  const auto window = find_window_sum(g, stage, kWindowExtent);
  if (!window) return false;
  const auto points = [&](const std::vector<int>& axes) {
    int64_t n = 1;
    for (const int a : axes) n *= g.stages[static_cast<size_t>(stage)].axes[static_cast<size_t>(a)].extent;
    return n;
  };
  return points(window->depth) >= kEnoughChannels && points(window->columns) >= kEnoughChannels;
}

WorkloadKind kind_of_stage(const ir::Subgraph& g, int stage) {
  const ir::Stage& s = g.stages[static_cast<size_t>(stage)];
  const std::vector<bool> slides = sliding_axes(s);
  const bool window = std::find(slides.begin(), slides.end(), true) != slides.end();
  if (!sums_products(s)) return window && !s.has_scan() ? WorkloadKind::kPool : WorkloadKind::kRowWise;
  const std::vector<bool> a = axes_of(s.body[0]->args[0], s), b = axes_of(s.body[0]->args[1], s);
  bool both = false, only_a = false, only_b = false, depth = false;
  for (size_t i = 0; i < s.axes.size(); ++i) {
    if (s.axes[i].kind == ir::AxisKind::kReduce) {
      depth = depth || (a[i] && b[i] && !slides[i]);
    } else {
      both = both || (a[i] && b[i]);
      only_a = only_a || (a[i] && !b[i]);
      only_b = only_b || (b[i] && !a[i]);
    }
  }
  if (window) {
    if (!depth && !(only_a && only_b)) return WorkloadKind::kDepthwise;
    return filters_minimally(g, stage) ? WorkloadKind::kWindow : WorkloadKind::kWindowOther;
  }
  if (only_a && only_b) return both ? WorkloadKind::kBatchedProduct : WorkloadKind::kProduct;
  return only_a || only_b ? WorkloadKind::kMatrixVector : WorkloadKind::kRowWise;
}

}  // namespace

std::string_view workload_kind_name(WorkloadKind k) { return kNames[static_cast<size_t>(k)]; }

std::optional<WorkloadKind> parse_workload_kind(std::string_view name) {
  for (const WorkloadKind k : workload_kinds())
    if (workload_kind_name(k) == name) return k;
  return std::nullopt;
}

const std::vector<WorkloadKind>& workload_kinds() {
  static const std::vector<WorkloadKind> all = [] {
    std::vector<WorkloadKind> kinds;
    for (size_t k = 0; k < kNames.size(); ++k) kinds.push_back(static_cast<WorkloadKind>(k));
    return kinds;
  }();
  return all;
}

WorkloadKind workload_kind(const ir::Subgraph& g) {
  int heaviest = -1;
  double most = -1;
  for (size_t i = 0; i < g.stages.size(); ++i) {
    if (!g.stages[i].has_reduction() && !g.stages[i].has_scan()) continue;
    if (const double f = ir::flops(g.stages[i]); f > most) most = f, heaviest = static_cast<int>(i);
  }
  return heaviest < 0 ? WorkloadKind::kMap : kind_of_stage(g, heaviest);
}

}  // namespace tlm::space
