// Committed lists of workloads: what models are judged by (test), what choices are made on (dev), and what the networks at hand
// are made of. A line of JSON each.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "tlm/ir/tensor/subgraph.h"
#include "tlm/space/records/exclusion.h"
#include "tlm/space/records/workload_kind.h"

namespace tlm::collect {

struct ListedWorkload {
  std::string name;
  space::WorkloadKind kind = space::WorkloadKind::kMap;
  std::string set;  // "network:resnet50", "interpolated" (shapes as in training), "extrapolated" (beyond them), "dev"
  int cores = 1;    // of the target that it is measured on
  ir::Subgraph subgraph;
};

// Files in a folder of lists (lm/data of the source tree).
inline constexpr const char* kTestList = "test_workloads.jsonl";
inline constexpr const char* kDevList = "dev_workloads.jsonl";
inline constexpr const char* kNetworkList = "network_workloads.jsonl";

// Throws Error: kEnvironment (cannot be read), kBadModel (the line and what is wrong with it; a kind that the subgraph has not).
std::vector<ListedWorkload> read_workload_list(const std::filesystem::path& file);
std::string workload_list_line(const ListedWorkload& w);  // without its end

// Throws Error(kUsage) that says where the lists are unless they are in the folder.
void check_lists(const std::filesystem::path& folder);
// What no model may learn from: all three lists of a folder.
space::Exclusion read_exclusion(const std::filesystem::path& folder);

}  // namespace tlm::collect
