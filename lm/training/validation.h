// How well a model does on workloads that it does not learn from, without measuring anything.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "tlm/core/executor.h"
#include "tlm/lm/training/dataset.h"
#include "tlm/lm/training/packing.h"
#include "tlm/lm/weights.h"

namespace tlm::lm {

struct ValidationOptions {
  int groups = 48;    // workloads on targets, spread over the dataset; those with fewer than 8 programs are passed over
  int programs = 24;  // of each: the best, and others spread over the ranks
};

struct Validation {
  double loss = 0;       // mean cross-entropy in nats over legal tokens, of programs opened by their own quality
  double full_loss = 0;  // the same over the whole vocabulary, all tokens of the decisions
  double accuracy = 0;   // share of choices where the likeliest legal token is the program's
  double best_loss = 0;  // like loss: of the best programs, the best quality being asked for
  // Of the programs looked at that which is likeliest when the best quality is asked for: geometric mean over the workloads of
  // the best latency / its own. What choosing at random gives is `random_pick`.
  double pick = 0, random_pick = 0;
  std::map<std::string, double> pick_of_kind;
  int groups = 0, programs = 0;
};

// In the mode kBest no quality is said, and `loss` is of the best programs.
Validation validate(const Weights& weights, const Dataset& dev, const PackingOptions& packing, const ValidationOptions& options,
                    Executor& executor);

}  // namespace tlm::lm
