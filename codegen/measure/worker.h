// What a measuring process does: checks each program of a batch once, then times them in turn.
#pragma once

#include <vector>

#include "tlm/codegen/measure/batch_programs.h"
#include "tlm/codegen/measure/cold_memory.h"
#include "tlm/codegen/measure/worker_process.h"
#include "tlm/codegen/measure/workload_data.h"

namespace tlm::codegen {

struct WorkerTask {
  const space::Space* space = nullptr;
  const BatchPrograms* batch = nullptr;
  const WorkloadData* data = nullptr;
  ColdMemory* cold = nullptr;
  std::vector<int> programs;  // that still count; the anchor first, if it is among them
  std::vector<bool> checked;  // by program: an earlier worker has found its results right
  int anchor = 0;             // never cut for slowness
  int rounds = 7;
  double round_ms = 0.2;
  double slow_factor = 3;
};

// Bytes of the constants of `kernel` that are read cold, each rounded up to whole cache lines.
size_t cold_constant_bytes(const ir::Subgraph& g, const ir::Kernel& kernel);

// Sends kBegin before whatever a program may spoil, kChecked or kWrong for each once, kSample for each round. Programs that are
// wrong, or too slow after the first round, are left out of what follows.
void run_worker(const WorkerTask& task, const SendMessage& send);

}  // namespace tlm::codegen
