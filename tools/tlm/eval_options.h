// What the parts of `tlm eval` share.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "tlm/space/measurer.h"
#include "tlm/tools/eval/eval_workload.h"
#include "tlm/tools/tlm/command.h"

namespace tlm::tools {

struct EvalOptions {
  bool reference = false, race = false;
  std::string data = "lm/data";  // folder of lists and reference
  std::string split = "test";
  std::string workloads;  // list; empty: of the split
  std::string variant;    // of this machine (collect/variants.h); empty: as it is, with each workload's own cores
  std::vector<std::string> only;
  std::string out, c_compiler;
  int jobs = 0, seconds = 0, rounds = 15;
  uint64_t seed = 0;
  // --reference
  std::string records;
  int trials = 1000;
  // --race
  std::string against;              // reference file; empty: of the data folder, if it is there
  std::string best_of;              // record file whose best schedules are the reference
  std::vector<std::string> models;  // NAME=FOLDER
  std::vector<std::string> decode, decode_k;
  std::vector<std::string> training;  // record files that rivals learn from
  int k = 10;
  bool blind_target = false, no_rivals = false;

  std::vector<eval::EvalWorkload> list() const;  // the chosen ones
  Target machine() const;
  std::unique_ptr<space::Measurer> measurer(const CommandContext& context, int rounds, double slow_factor) const;
  std::function<bool()> stop_after_time() const;  // from now on
};

int make_reference(const EvalOptions& o, const CommandContext& context);
int race(const EvalOptions& o, const CommandContext& context);

}  // namespace tlm::tools
