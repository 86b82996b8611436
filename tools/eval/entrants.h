// Everybody who races: models with their strategies, rivals, the reference.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "tlm/core/executor.h"
#include "tlm/core/log.h"
#include "tlm/core/target.h"
#include "tlm/tools/eval/eval_workload.h"
#include "tlm/tools/eval/models.h"
#include "tlm/tools/eval/race/contender.h"
#include "tlm/tools/eval/reference/reference_file.h"

namespace tlm::eval {

struct EntrantOptions {
  std::vector<ModelChoice> models;               // name and folder; the rest is set here
  std::vector<std::string> decode = {"greedy"};  // each with every model, nothing measured
  std::vector<std::string> decode_k;             // … and k measured
  int k = 10;
  bool blind_target = false;  // each model once more that does not see the target
  bool rivals = true;
  std::vector<std::filesystem::path> training;  // records that rivals learn from
  std::filesystem::path lists;                  // folder of the lists that are held out
  uint64_t seed = 0;
};

// Models first: what some rivals may spend is the first model's wall-clock. Rivals that learn are left out, with a warning, where
// there are no records.
std::vector<Entrant> make_entrants(const EntrantOptions& options, Executor& executor, const Log& log);

// The schedule `s` of the workload `name`, as today's space has it. Throws Error(kUsage) if it does not.
space::Schedule checked(const space::Space& space, const space::Schedule& s, const std::string& name, const std::string& where);

// The searches of the reference after fewer and fewer trials, the reference itself last: three schedules, of which the fastest
// in the selection counts. Throws Error(kUsage) for a workload without reference on this machine, or a schedule that today's
// space does not have.
std::vector<Contender> reference_contenders(const std::vector<Reference>& references, const std::vector<EvalWorkload>& list,
                                            const Target& machine, const std::string& where);

}  // namespace tlm::eval
