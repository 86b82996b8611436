#include "tlm/tools/tlm/training_data.h"

#include <filesystem>
#include <optional>

#include "tlm/core/error.h"
#include "tlm/space/records/exclusion.h"
#include "tlm/space/records/packed_records.h"
#include "tlm/space/records/split_key.h"
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
    if (space::split_of(space::split_key(w.subgraph)) != space::Split::kTrain) return nullptr;
    if (held_out && !held_out->nearest(w.subgraph).empty()) return nullptr;
    return space::Space::build(std::move(w.subgraph), targets[static_cast<size_t>(i) % targets.size()]);
  };
}

}  // namespace

std::optional<collect::Variant> variant_of(const Target& t) {
  Target machine = named_target("x86-64-v4");  // has all variants
  machine.l1_kb = t.l1_kb, machine.l2_kb = t.l2_kb, machine.l3_kb = t.l3_kb;
  for (collect::Variant& v : collect::hardware_variants(machine)) {
    Target a = v.target, b = t;
    a.name = b.name = "";
    a.numerics = b.numerics;
    if (!v.main && a == b) return std::move(v);
  }
  return std::nullopt;
}

std::string variant_name(const Target& t) {
  const auto variant = variant_of(t);
  return variant ? variant->name : lm::plain_variant(t);
}

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
  if (lists != "none") {
    if (!std::filesystem::is_directory(lists))
      throw Error(ErrorCode::kUsage, "no lists of held-out workloads", lists,
                  "--data FOLDER (lm/data of the source tree), or --data none: nothing but dev and test is held out");
    held_out = std::make_shared<const space::Exclusion>(collect::read_exclusion(lists));
  }
  options.data.variant = variant_name;
  options.data.obstacle = [held_out](const ir::Subgraph& g, const Target& t) -> std::string {
    const auto variant = variant_of(t);
    if (variant && variant->held_out) return "the hardware " + variant->name + " is held out";
    return held_out ? held_out->nearest(g) : "";
  };
  options.unmeasured = pretraining_shapes(held_out);
}

}  // namespace tlm::tools
