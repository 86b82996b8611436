#include "tlm/tools/tlm/records_spaces.h"

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

struct Seen {
  Record best;                        // highest ratio
  std::map<uint64_t, double> random;  // by schedule: its ratio; 0: none
  std::vector<double> gflops, gbytes_s;
  int programs = 0;
};

double median(std::vector<double> v) {
  std::nth_element(v.begin(), v.begin() + static_cast<int64_t>(v.size() / 2), v.end());
  return v[v.size() / 2];
}

// Bytes that must come from or go to memory once.
double traffic_bytes(const ir::Subgraph& g) {
  double bytes = 0;
  for (const ir::TensorDecl& t : g.tensors)
    if (t.role != ir::TensorRole::kInternal)
      bytes += static_cast<double>(element_count(t.shape)) * static_cast<double>(dtype_size(t.dtype));
  return bytes;
}

std::string percent(double part, double whole) { return whole > 0 ? fixed(100 * part / whole, 1) : "-"; }

}  // namespace

int records_spaces(const std::string& file) {
  const space::RecordStore store(file, space::StoreAccess::kRead);
  std::vector<std::pair<uint64_t, uint64_t>> order;
  std::map<std::pair<uint64_t, uint64_t>, Seen> seen;
  store.for_each([&](const Record& r) {
    const auto key = std::make_pair(r.workload_hash, r.target_hash);
    auto [it, fresh] = seen.try_emplace(key);
    if (fresh) order.push_back(key);
    Seen& s = it->second;
    ++s.programs;
    if (r.status == space::MeasureStatus::kOk && r.ratio > s.best.ratio) s.best = r;
    if (r.origin == "random") s.random[r.schedule_hash] = r.status == space::MeasureStatus::kOk ? r.ratio : 0;
    s.gflops.push_back(r.before.gflops);
    s.gbytes_s.push_back(r.before.gbytes_s);
  });
  std::vector<std::vector<std::string>> table = {{"workload", "name", "threads", "log10 schedules", "records", "random",
                                                  "% within 2x", "% within 1.1x", "best ms", "best / default", "GFLOP/s",
                                                  "bound by", "% of roofline"}};
  for (const auto& key : order) {
    const Seen& s = seen[key];
    if (s.best.ratio <= 0) continue;
    const ir::Subgraph g = ir::parse_subgraph(s.best.workload);
    const Target target = parse_target_json(s.best.target, "record");
    double near2 = 0, near11 = 0;
    for (const auto& [schedule, ratio] : s.random) {
      near2 += ratio * 2 >= s.best.ratio;
      near11 += ratio * 1.1 >= s.best.ratio;
    }
    const double flops = ir::flops(g), drawn = static_cast<double>(s.random.size());
    const double compute_ms = flops / (median(s.gflops) * 1e6), memory_ms = traffic_bytes(g) / (median(s.gbytes_s) * 1e6);
    table.push_back(
        {to_hex(key.first), g.name, std::to_string(s.best.threads), fixed(space::Space::build(g, target)->log10_size(), 1),
         std::to_string(s.programs), std::to_string(s.random.size()), percent(near2, drawn), percent(near11, drawn),
         number(s.best.median_ms), fixed(s.best.ratio, 2), fixed(flops / (s.best.median_ms * 1e6), 1),
         compute_ms > memory_ms ? "compute" : "memory", fixed(100 * std::max(compute_ms, memory_ms) / s.best.median_ms, 1)});
  }
  std::fputs(table_text(table, "ll").c_str(), stdout);
  return 0;
}

}  // namespace tlm::tools
