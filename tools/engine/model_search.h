// Schedules chosen by measuring, for a whole model: its distinct workloads on this machine, by the scheduler "search" or by the
// best of a few proposals of another scheduler.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>

#include "tlm/ir/graph/graph.h"
#include "tlm/space/search/network_search.h"

namespace tlm {

struct EngineOptions;
struct LmUse;

struct SearchSettings {
  int trials = 64;                // of the scheduler "search": schedules measured for each workload, at most
  int measure = 0;                // of the others: proposals measured for each workload; 0: none, the first one is taken
  std::filesystem::path records;  // what is known already, and where batches are written as they are measured; empty: nowhere
  std::shared_ptr<space::Measurer> measurer;  // null: codegen's, on this machine
};

struct ModelSearch {
  std::map<uint64_t, space::SearchOutcome> workloads;  // by hash
  int measured = 0;                                    // schedules
  double seconds = 0;
  double network_ms = 0, anchor_ms = 0;  // all workloads as often as the model runs them: found schedules, constructive ones
};

// Workloads with a schedule in `given` are left out. Throws Error: kInterrupted (finished batches are in the records),
// kEnvironment, kUnsupported (a target that is not this machine, unless the records hold all trials). `use`: what the language
// model did, if it proposed.
ModelSearch search_model(const ir::Graph& g, const std::map<uint64_t, space::Schedule>& given, const EngineOptions& options,
                         std::optional<LmUse>& use);

}  // namespace tlm
