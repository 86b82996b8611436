// Searches the space of one subgraph, given as text, on one core of this machine:
//   bin/bench_search_subgraph tests/data/contractions/attention_scores.txt 200
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <exception>

#include "tlm/codegen/measure/measurer.h"
#include "tlm/core/file.h"
#include "tlm/ir/tensor/merge_axes.h"
#include "tlm/kernels/cpu/fma_peak.h"
#include "tlm/space/search/evolutionary.h"

namespace {

using namespace tlm;

// Bytes that must be read and written once.
double traffic_bytes(const ir::Subgraph& g) {
  double bytes = 0;
  for (const ir::TensorDecl& t : g.tensors) {
    if (t.role == ir::TensorRole::kInternal) continue;
    bytes += static_cast<double>(element_count(t.shape)) * static_cast<double>(dtype_size(t.dtype));
  }
  return bytes;
}

int search(const std::string& file, int trials) {
  constexpr int kBatch = 32;
  Target target = host_target();
  target.cores = 1;
  const auto space = space::Space::build(ir::merge_axes(ir::parse_subgraph(read_file(file))), target);
  const auto measurer = codegen::make_measurer({.jobs = 2});
  space::EvolutionarySearch search(space, {});
  space::CostModel model;
  double anchor_ms = 0, gflops = 0, gbytes_s = 0;
  for (int done = 0; done < trials;) {
    const std::vector<space::Schedule> wanted = search.propose(std::min(kBatch, trials - done), model);
    if (wanted.empty()) break;
    done += static_cast<int>(wanted.size());
    const space::Batch batch = measurer->measure(*space, wanted, {});
    for (size_t i = 0; i < wanted.size(); ++i) {
      if (batch.programs[i].status == space::MeasureStatus::kWrong) std::printf("WRONG %s\n", print(wanted[i]).c_str());
      search.observe(wanted[i], batch.programs[i].ratio, batch.programs[i].status == space::MeasureStatus::kOk);
    }
    if (anchor_ms == 0 || batch.anchor.median_ms < anchor_ms) anchor_ms = batch.anchor.median_ms;
    gflops = std::max(gflops, batch.before.gflops), gbytes_s = std::max(gbytes_s, batch.before.gbytes_s);
    std::vector<std::vector<float>> rows;
    std::vector<float> labels;
    search.add_rows(rows, labels);
    model.fit(rows, labels);
    std::fprintf(stderr, "%d of %d: %.2f times the default\n", done, trials, search.best_ratio());
  }
  const double best_ms = anchor_ms / std::max(1.0, search.best_ratio());
  const double roof_ms =
      std::max(ir::flops(space->subgraph()) / gflops, traffic_bytes(space->subgraph()) / gbytes_s) * 1e-6;
  std::printf("space    10^%.1f schedules\n", space->log10_size());
  std::printf("default  %.4f ms  %.1f GFLOP/s  %.0f %% of the roofline\n", anchor_ms, ir::flops(space->subgraph()) / anchor_ms * 1e-6,
              100 * roof_ms / anchor_ms);
  std::printf("searched %.4f ms  %.1f GFLOP/s  %.0f %% of the roofline (%.0f GFLOP/s, %.0f GB/s, measured)\n", best_ms,
              ir::flops(space->subgraph()) / best_ms * 1e-6, 100 * roof_ms / best_ms, gflops, gbytes_s);
  std::printf("%s\n", print(search.best()).c_str());
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2 || argc > 3) {
    std::fprintf(stderr, "Usage: bench_search_subgraph FILE [TRIALS]\n");
    return 2;
  }
  try {
    return search(argv[1], argc > 2 ? std::atoi(argv[2]) : 100);
  } catch (const std::exception& e) {
    std::fprintf(stderr, "bench_search_subgraph: %s\n", e.what());
    return 1;
  }
}
