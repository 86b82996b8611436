#include "tlm/tools/collect/workload_sampler.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "tlm/core/error.h"
#include "tlm/core/hash.h"
#include "tlm/ir/partition.h"
#include "tlm/ir/passes/pass_list.h"
#include "tlm/space/records/split_key.h"
#include "tlm/tools/collect/families.h"

namespace tlm::collect {
namespace {

using Kind = space::WorkloadKind;

struct Share {
  Kind kind;
  int percent;
};
// Networks spend their time in windows and products.
constexpr Share kShares[] = {{Kind::kProduct, 25}, {Kind::kBatchedProduct, 8}, {Kind::kMatrixVector, 7},
                             {Kind::kWindow, 18},  {Kind::kWindowOther, 13},   {Kind::kDepthwise, 13},
                             {Kind::kPool, 4},     {Kind::kRowWise, 8},        {Kind::kMap, 4}};

// Of one run: what measuring can afford, and is worth it.
constexpr double kMostFlops = 1e9, kMostBytes = 4e7, kLeastWork = 4e4;
// Products and windows with less work are kept the less often the smaller they are: most shapes are small, most layers are not.
constexpr double kUsualFlops = 3e7;

bool kept(const ir::Subgraph& g, Kind kind, Rng& rng) {
  const double flops = ir::flops(g), bytes = ir::port_bytes(g);
  if (flops > kMostFlops || bytes > kMostBytes || flops + bytes < kLeastWork) return false;
  if (kind != Kind::kProduct && kind != Kind::kWindow && kind != Kind::kWindowOther) return true;
  return flops >= kUsualFlops || rng.uniform() < std::sqrt(flops / kUsualFlops);
}

// One of the sizes beyond their range is an extent of the main stage: itself, merged with others, or after a step of 2 or 4.
bool is_beyond(const ir::Subgraph& g, const Sizes& sizes) {
  for (const int64_t e : space::key_extents(g))
    for (const int64_t b : sizes.beyond())
      if (e % b == 0 || e == (b + 1) / 2 || e == (b + 3) / 4) return true;
  return false;
}

const Family& draw_family(Kind kind, Rng& rng) {
  std::vector<const Family*> all;
  for (const auto& families : {image_families(), transformer_families(), random_families()})
    for (const Family& f : families)
      if (std::find(f.kinds.begin(), f.kinds.end(), kind) != f.kinds.end()) all.insert(all.end(), f.weight, &f);
  return *all[rng.below(all.size())];
}

}  // namespace

SampledWorkload WorkloadSampler::at(int64_t index) const {
  Rng rng(Hasher().text("workload kind 2").number(static_cast<int64_t>(seed_)).number(index).value());
  auto place = static_cast<int>(rng.below(100));
  for (const Share& s : kShares) {
    if (place < s.percent) return at(index, s.kind);
    place -= s.percent;
  }
  TLM_CHECK(false) << "shares do not add up";
  return {};
}

SampledWorkload WorkloadSampler::at(int64_t index, Kind kind) const {
  Rng rng(Hasher()
              .text("workload 2")
              .number(static_cast<int64_t>(seed_))
              .number(static_cast<int64_t>(range_))
              .number(static_cast<int64_t>(kind))
              .number(index)
              .value());
  constexpr int kAttempts = 1000;
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    const Family& family = draw_family(kind, rng);
    LayerBuilder builder;
    Sizes sizes(rng, range_);
    family.build(builder, sizes);
    if (range_ == SizeRange::kBeyond && sizes.beyond().empty()) continue;
    ir::Graph g = builder.finish();
    ir::run_graph_passes(g);
    ir::Partition partition = ir::partition(g);
    std::vector<ir::Step*> fitting;
    for (ir::Step& s : partition.steps) {
      if (s.kind != ir::StepKind::kSubgraph || s.name.starts_with(kAround)) continue;
      if (range_ == SizeRange::kBeyond && !is_beyond(s.subgraph, sizes)) continue;
      if (space::workload_kind(s.subgraph) == kind && kept(s.subgraph, kind, rng)) fitting.push_back(&s);
    }
    if (fitting.empty()) continue;
    SampledWorkload w;
    w.name = std::string(family.name) + " " + std::to_string(index);
    w.kind = kind;
    w.subgraph = std::move(fitting[rng.below(fitting.size())]->subgraph);
    w.subgraph.name = w.name;
    return w;
  }
  TLM_CHECK(false) << "no workload of kind " << space::workload_kind_name(kind) << " in " << kAttempts << " attempts";
  return {};
}

}  // namespace tlm::collect
