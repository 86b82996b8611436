#include "tlm/tools/tlm/records_spaces.h"
#include "tlm/core/median.h"

#include <algorithm>
#include <cstdio>
#include <map>

#include "tlm/core/hash.h"
#include "tlm/ir/tensor/subgraph.h"
#include "tlm/space/records/record_store.h"
#include "tlm/space/space.h"
#include "tlm/tools/tlm/table.h"

namespace tlm::tools {
namespace {

using space::Record;

std::string percent(double part, double whole) { return whole > 0 ? fixed(100 * part / whole, 1) : "-"; }

}  // namespace

int records_spaces(const std::string& file) {
  const space::RecordStore store(file, space::StoreAccess::kRead);
  std::vector<std::vector<std::string>> table = {{"workload", "name", "threads", "log10 schedules", "records", "random",
                                                  "% within 2x", "% within 1.1x", "best ms", "best / default", "GFLOP/s",
                                                  "bound by", "% of roofline"}};
  for (const space::WorkloadSummary& w : store.workloads()) {
    const std::vector<space::RankedSchedule> best = store.best(w.workload_hash, w.target_hash, 1);
    if (best.empty()) continue;
    std::map<uint64_t, double> random;  // by schedule: its ratio to the default; 0: none
    std::vector<double> gflops, gbytes_s;
    for (const Record& r : store.of_workload(w.workload_hash, w.target_hash)) {
      gflops.push_back(r.before.gflops);
      gbytes_s.push_back(r.before.gbytes_s);
      if (r.origin == "random") random[r.schedule_hash] = r.status == space::MeasureStatus::kOk ? r.ratio : 0;
    }
    double near2 = 0, near11 = 0;
    for (const auto& [schedule, ratio] : random) {
      near2 += ratio * 2 >= best[0].ratio;
      near11 += ratio * 1.1 >= best[0].ratio;
    }
    const Record& r = best[0].record;
    const ir::Subgraph g = ir::parse_subgraph(r.workload);
    const double flops = ir::flops(g), drawn = static_cast<double>(random.size()), ms = best[0].median_ms;
    const double compute_ms = flops / (median(gflops) * 1e6), memory_ms = ir::port_bytes(g) / (median(gbytes_s) * 1e6);
    const bool compute = compute_ms > memory_ms;
    // The stream is one thread's: no roof for more.
    const std::string roof = compute || r.threads == 1 ? percent(std::max(compute_ms, memory_ms), ms) : "-";
    table.push_back({to_hex(w.workload_hash), g.name, std::to_string(r.threads),
                     fixed(space::Space::build(g, parse_target_json(r.target, "record"))->log10_size(), 1),
                     std::to_string(w.records), std::to_string(random.size()), percent(near2, drawn), percent(near11, drawn),
                     number(ms), fixed(best[0].ratio, 2), fixed(flops / (ms * 1e6), 1), compute ? "compute" : "memory", roof});
  }
  std::fputs(table_text(table, "ll").c_str(), stdout);
  return 0;
}

}  // namespace tlm::tools
