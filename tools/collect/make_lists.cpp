#include "tlm/tools/collect/make_lists.h"

#include <map>
#include <optional>
#include <set>

#include "tlm/codegen/workloads.h"
#include "tlm/core/error.h"
#include "tlm/ir/partition.h"
#include "tlm/ir/passes/pass_list.h"
#include "tlm/space/records/split_key.h"
#include "tlm/tools/collect/workload_sampler.h"
#include "tlm/tools/zoo/zoo.h"

namespace tlm::collect {
namespace {

using Kind = space::WorkloadKind;
using Counts = std::map<Kind, int>;

constexpr uint64_t kSeed = 1;
constexpr double kLeastWork = 5e5;  // operations and bytes of a workload that is drawn: some microseconds

// How many of each kind are taken from a network (kinds that are not named: none), and from the sampler.
const Counts kOfMobilenet = {{Kind::kProduct, 2}, {Kind::kMatrixVector, 1}, {Kind::kDepthwise, 4}, {Kind::kWindowOther, 1}};
const Counts kOfSqueezenet = {{Kind::kProduct, 1}, {Kind::kWindow, 2}, {Kind::kPool, 2}};
const Counts kInterpolated = {{Kind::kProduct, 1}, {Kind::kBatchedProduct, 2}, {Kind::kMatrixVector, 2},
                              {Kind::kWindow, 1},  {Kind::kWindowOther, 1},    {Kind::kDepthwise, 1},
                              {Kind::kPool, 1},    {Kind::kRowWise, 1},        {Kind::kMap, 3}};
const Counts kExtrapolated = {{Kind::kProduct, 1}, {Kind::kBatchedProduct, 1}, {Kind::kMatrixVector, 1},
                              {Kind::kWindow, 1},  {Kind::kWindowOther, 1},    {Kind::kDepthwise, 1},
                              {Kind::kPool, 1},    {Kind::kRowWise, 1},        {Kind::kMap, 2}};
const Counts kDev = {{Kind::kProduct, 10}, {Kind::kBatchedProduct, 4}, {Kind::kMatrixVector, 4},
                     {Kind::kWindow, 9},   {Kind::kWindowOther, 6},    {Kind::kDepthwise, 6},
                     {Kind::kPool, 3},     {Kind::kRowWise, 4},        {Kind::kMap, 2}};
// As large as most layers of networks are.
const Counts kLargeDev = {{Kind::kProduct, 12}, {Kind::kWindow, 6}, {Kind::kWindowOther, 6}};
constexpr double kLargeWork = 8e7;

std::vector<ListedWorkload> workloads_of(const std::string& name, ir::Graph g) {
  ir::run_graph_passes(g);
  const ir::Partition partition = ir::partition(g);
  std::vector<int> workload_of;
  std::vector<ListedWorkload> out;
  for (const codegen::Workload& w : codegen::distinct_workloads(partition, workload_of)) {
    const ir::Subgraph& s = w.step->subgraph;
    out.push_back({w.step->name, space::workload_kind(s), "network:" + name, 2, s});
  }
  return out;
}

// The wanted number of each kind, evenly spaced; in the order of the network.
std::vector<ListedWorkload> selection(const std::vector<ListedWorkload>& all, const Counts& wanted) {
  std::map<Kind, std::vector<size_t>> of_kind;
  for (size_t i = 0; i < all.size(); ++i) of_kind[all[i].kind].push_back(i);
  std::set<size_t> chosen;
  for (const auto& [kind, count] : wanted) {
    const std::vector<size_t>& those = of_kind[kind];
    for (int i = 0; i < count; ++i)
      if (!those.empty()) chosen.insert(those[static_cast<size_t>(i) * those.size() / static_cast<size_t>(count)]);
  }
  std::vector<ListedWorkload> out;
  for (const size_t i : chosen) out.push_back(all[i]);
  return out;
}

class Maker {
 public:
  WorkloadLists run(std::vector<std::pair<std::string, ir::Graph>> models) {
    std::map<std::string, std::vector<ListedWorkload>> zoo;
    for (const std::string& name : tools::zoo_names()) take_network(zoo[name] = workloads_of(name, tools::make_zoo(name)));
    for (auto& [name, graph] : models) take_network(workloads_of(name, std::move(graph)));
    take_test(zoo["resnet50"]);
    take_test(selection(zoo["mobilenet_v2"], kOfMobilenet));
    take_test(selection(zoo["squeezenet"], kOfSqueezenet));
    take_test(zoo["bert_layer"]);
    draw(lists_.test, "interpolated", SizeRange::kTraining, space::Split::kTest, kInterpolated, kLeastWork);
    draw(lists_.test, "extrapolated", SizeRange::kBeyond, std::nullopt, kExtrapolated, kLeastWork);
    draw(lists_.dev, "dev", SizeRange::kTraining, space::Split::kDev, kDev, kLeastWork);
    draw(lists_.dev, "large", SizeRange::kTraining, space::Split::kDev, kLargeDev, kLargeWork);
    int number = 0;
    for (ListedWorkload& w : lists_.test)
      if (w.set != "network:resnet50") w.cores = 1 + number++ % 2;
    for (ListedWorkload& w : lists_.dev) w.cores = 1 + number++ % 2;
    return std::move(lists_);
  }

 private:
  void take_network(const std::vector<ListedWorkload>& all) {
    for (const ListedWorkload& w : all) {
      held_out_.add(w.name, w.subgraph);
      if (keys_.insert(space::split_key(w.subgraph)).second) lists_.networks.push_back(w);
    }
  }

  // A workload that an earlier network has is listed with that one.
  void take_test(const std::vector<ListedWorkload>& all) {
    for (const ListedWorkload& w : all)
      if (tested_.insert(ir::workload_hash(w.subgraph)).second) lists_.test.push_back(w);
  }

  // Sampled workloads of a split that are far from the networks' and from one another.
  void draw(std::vector<ListedWorkload>& list, const std::string& set, SizeRange range, std::optional<space::Split> split,
            const Counts& wanted, double least_work) {
    const WorkloadSampler sampler(kSeed, range);
    for (const auto& [kind, count] : wanted) {
      int found = 0;
      for (int64_t index = 0; found < count; ++index) {
        SampledWorkload w = sampler.at(index, kind);
        if (split && space::split_of(space::split_key(w.subgraph)) != *split) continue;
        if (ir::flops(w.subgraph) + ir::port_bytes(w.subgraph) < least_work || !held_out_.nearest(w.subgraph).empty()) continue;
        held_out_.add(w.name, w.subgraph);
        list.push_back({w.name, kind, set, 1, std::move(w.subgraph)});
        ++found;
      }
    }
  }

  WorkloadLists lists_;
  space::Exclusion held_out_;
  std::set<uint64_t> keys_, tested_;
};

}  // namespace

WorkloadLists make_workload_lists(std::vector<std::pair<std::string, ir::Graph>> models) {
  return Maker().run(std::move(models));
}

}  // namespace tlm::collect
