// What is drawn from a dataset, epoch by epoch, and how it becomes batches: one prompt with many of its programs as branches.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "tlm/lm/training/backward.h"
#include "tlm/lm/training/dataset.h"
#include "tlm/lm/training/quality.h"

namespace tlm::lm {

struct PackingOptions {
  QualityMode quality = QualityMode::kToken;
  QualityScale scale;
  // Workloads with fewer programs never give the top bucket, nor the best of mode kBest. (docs/training.md, Quality: why 24)
  int enough = 24;
  int best = 3;           // the best of a workload: its tie set, at least so many
  double soft = 0;        // mode kBest: programs are drawn by exp(-gap / soft); 0: evenly from the best alone
  int branches = 16;      // of one prompt, at most
  int64_t tokens = 8192;  // of one batch, about: at least one prompt with its branches
  // 0: each program is drawn once in an epoch; 1: each workload and target gives equally many; in between: by a power of how many
  // programs it has.
  double balance = 0.5;
  double unknown_target = 0.2;  // share of prompts whose target is withheld
  double withheld = 0;          // share of the numbers of all prompts that are, each time others
  bool legal_loss = true;       // over legal tokens, choices alone; else over the vocabulary, every token of the decisions
  bool any_quality = false;     // programs of unknown quality: one at random is claimed
};

// One prompt and some of its programs.
struct Item {
  uint32_t group = 0;
  bool unknown_target = false;
  uint64_t withheld = 0;           // seed of what numbers are
  std::vector<uint32_t> programs;  // of the group
  std::vector<uint8_t> qualities;  // one for each, in modes with quality
};

// The batches of an epoch: a function of its arguments alone, so that training goes on anywhere without a memory of what was
// drawn.
std::vector<std::vector<Item>> plan_epoch(const Dataset& data, const PackingOptions& options, uint64_t seed, int64_t epoch);

// Share of an epoch's programs that a teacher wrote.
double taught_share(const Dataset& data, const PackingOptions& options);

// Bucket of a program. Slow ones have the last.
int quality_of(const PromptGroup& g, const TrainingSentence& s, const PackingOptions& options);
// How many of the group's programs (which come fastest first) are its best; 0: it has too few of them to know.
size_t best_of(const PromptGroup& g, const PackingOptions& options);

TrainingBatch pack(const Dataset& data, std::span<const Item> items, const PackingOptions& options);

}  // namespace tlm::lm
