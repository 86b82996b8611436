#include "tlm/tools/tlm/training_sources.h"

#include <filesystem>
#include <set>

#include "tlm/core/error.h"
#include "tlm/space/records/exclusion.h"
#include "tlm/space/records/packed_records.h"
#include "tlm/space/records/split_key.h"
#include "tlm/tools/collect/obstacle.h"
#include "tlm/tools/collect/variants.h"
#include "tlm/tools/collect/workload_list.h"
#include "tlm/tools/collect/workload_sampler.h"

namespace tlm::tools {
namespace {

// Other workloads than those that are collected: these are sampled with small seeds.
constexpr uint64_t kPretrainingSeed = 0x70726574;

// Half of them the machine as it is, with one core and with two.
lm::SpaceSource pretraining_shapes(std::shared_ptr<const space::Exclusion> held_out) {
  std::vector<Target> targets;
  for (const collect::Variant& v : collect::hardware_variants(host_target()))
    if (!v.held_out) targets.push_back(v.target);
  const size_t others = targets.size();
  for (size_t i = 0; targets.size() < 2 * (others - 2); ++i) targets.push_back(targets[i % 2]);
  const collect::WorkloadSampler sampler(kPretrainingSeed);
  return [held_out, targets, sampler](int64_t i) -> std::shared_ptr<const space::Space> {
    collect::SampledWorkload w = sampler.at(i);
    const Target& target = targets[static_cast<size_t>(i) % targets.size()];
    if (space::split_of(space::split_key(w.subgraph)) != space::Split::kTrain) return nullptr;
    if (!collect::obstacle(held_out.get(), w.subgraph, target).empty()) return nullptr;
    return space::Space::build(std::move(w.subgraph), target);
  };
}

std::string variant_name(const Target& t) {
  const auto variant = collect::variant_of(t);
  return variant ? variant->name : lm::plain_variant(t);
}

}  // namespace

void read_training_records(const std::vector<std::string>& files, const CancelToken& cancel, Progress& progress,
                           const std::function<void(const space::Record&)>& visit) {
  for (const std::string& file : files) {
    ProgressTask task(progress, "read " + std::filesystem::path(file).filename().string(), 0);
    const auto take = [&](const space::Record& r) {
      cancel.check();
      visit(r);
      task.advance();
    };
    space::read_record_file(file, take);
  }
}

void set_training_sources(lm::TrainModelOptions& options, const std::string& lists) {
  std::shared_ptr<const space::Exclusion> held_out;
  std::set<uint64_t> tested;
  if (lists != lm::kNoLists) {
    if (!std::filesystem::is_directory(lists))
      throw Error(ErrorCode::kUsage, "no lists of held-out workloads", lists,
                  "--data FOLDER (lm/data of the source tree), or --data none: nothing but the keys of dev and test is held out");
    held_out = std::make_shared<const space::Exclusion>(collect::read_exclusion(lists));
    for (const collect::ListedWorkload& w : collect::read_workload_list(std::filesystem::path(lists) / collect::kTestList))
      tested.insert(ir::workload_hash(w.subgraph));
  }
  options.data.is_test = [tested](const ir::Subgraph& g) { return tested.contains(ir::workload_hash(g)); };
  options.data.variant = variant_name;
  options.data.obstacle = [held_out](const ir::Subgraph& g, const Target& t) { return collect::obstacle(held_out.get(), g, t); };
  options.unmeasured = pretraining_shapes(held_out);
}

}  // namespace tlm::tools
