// Searches the space of one subgraph, given as text, on one core of this machine:
//   bin/bench_search_subgraph tests/data/contractions/attention_scores.txt 200 [records.db]
// With a record file a search goes on where it ended, and `tlm records spaces` tells more.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <optional>

#include "tlm/codegen/build/temp_folder.h"
#include "tlm/codegen/measure/measurer.h"
#include "tlm/core/file.h"
#include "tlm/core/median.h"
#include "tlm/ir/tensor/merge_axes.h"
#include "tlm/space/search/network_search.h"

namespace {

using namespace tlm;

int search(const std::string& file, int trials, const char* records) {
  Target target = host_target();
  target.cores = 1;
  const auto space = space::Space::build(ir::merge_axes(ir::parse_subgraph(read_file(file))), target);
  const auto measurer = codegen::make_measurer({.jobs = 2});
  std::optional<codegen::TempFolder> folder;
  if (!records) folder.emplace();
  space::RecordStore store(records ? std::filesystem::path(records) : folder->path() / "records.db");
  ConsoleProgress progress;
  space::SearchOptions options;
  options.trials = trials;
  options.progress = &progress;
  const space::SearchResult found = search_network({{space, 1, space->subgraph().name}}, *measurer, &store, options);

  std::vector<double> gflops, gbytes_s;  // of the machine, as the batches' probes saw it
  for (const space::Record& r : store.of_workload(ir::workload_hash(space->subgraph()))) {
    gflops.push_back(r.before.gflops);
    gbytes_s.push_back(r.before.gbytes_s);
  }
  const double flops = ir::flops(space->subgraph());
  const double roof_ms = std::max(flops / median(gflops), ir::port_bytes(space->subgraph()) / median(gbytes_s)) * 1e-6;
  const auto line = [&](const char* what, double ms) {
    std::printf("%s %.4f ms  %.1f GFLOP/s  %.0f %% of the roofline\n", what, ms, flops / ms * 1e-6, 100 * roof_ms / ms);
  };
  std::printf("machine  %.0f GFLOP/s, %.0f GB/s (medians of the batches' probes)\n", median(gflops), median(gbytes_s));
  std::printf("space    10^%.1f schedules\n", space->log10_size());
  line("default ", found.anchor_ms);
  line("searched", found.workloads[0].best_ms);
  std::printf("%s\n", print(found.workloads[0].schedule).c_str());
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2 || argc > 4) {
    std::fprintf(stderr, "Usage: bench_search_subgraph FILE [TRIALS [RECORDS]]\n");
    return 2;
  }
  try {
    return search(argv[1], argc > 2 ? std::atoi(argv[2]) : 100, argc > 3 ? argv[3] : nullptr);
  } catch (const std::exception& e) {
    std::fprintf(stderr, "bench_search_subgraph: %s\n", e.what());
    return 1;
  }
}
