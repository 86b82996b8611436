// Graph + Scheduler → a model that a Session can run.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tlm/codegen/build/binary_cache.h"
#include "tlm/core/cancel.h"
#include "tlm/core/progress.h"
#include "tlm/core/runtime/manifest.h"
#include "tlm/core/target.h"
#include "tlm/ir/graph/graph.h"
#include "tlm/ir/partition.h"
#include "tlm/ir/tensor/subgraph.h"
#include "tlm/space/scheduler.h"

namespace tlm::codegen {

struct CompileOptions {
  Target target;
  int jobs = 1;                                       // workers; never changes a byte of the result
  std::string c_compiler;                             // program; empty: the system's
  const BinaryCache* cache = nullptr;
  std::map<uint64_t, space::Schedule> schedules;      // by workload hash: replayed instead of asking the scheduler
  bool check_errors = false;                          // run each workload against the interpreter (host targets only)
  CancelToken cancel;                                 // set: Error(kInterrupted)
  Progress* progress = nullptr;
  // For people: "space" (the schedule), "sentence" and "loops" of each workload, "source" of each unit.
  std::function<void(const std::string& name, const std::string& text)> dump;
};

struct WorkloadReport {
  uint64_t hash = 0;
  std::string name;                  // of the first step that has it
  int count = 0;                     // steps
  double flops = 0;                  // of one
  space::Schedule schedule;
  std::optional<double> max_error;   // max |a-b| / max(1, max|b|) against the interpreter
};

struct CompileReport {
  double schedule_ms = 0, codegen_ms = 0, compile_ms = 0, total_ms = 0;
  double check_ms = 0;               // of check_errors; not part of total_ms
  int subgraphs = 0;                 // steps with generated code
  int runtime_calls = 0;
  std::vector<WorkloadReport> workloads;
};

// One constant of the weights section, packed when it is written.
struct WeightBlock {
  Tensor source;
  std::vector<std::shared_ptr<const ir::Subgraph>> recipes;  // evaluated on it first, in order
  std::vector<ir::PackedDim> packed;
  uint64_t offset = 0, bytes = 0;
};

struct CompiledModel {
  runtime::Manifest manifest;        // one variant; section numbers are set by the package writer
  std::vector<std::byte> code;
  std::vector<WeightBlock> weights;
  uint64_t weights_bytes = 0;
  CompileReport report;
};

// `g` has been through the graph passes. Throws Error; InternalError for bugs.
CompiledModel compile(const ir::Graph& g, space::Scheduler& scheduler, const CompileOptions& options);

}  // namespace tlm::codegen
