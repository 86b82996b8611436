// Everything that a training depends on but its data: kept beside the model, so that it can be resumed and repeated.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tlm/lm/config.h"
#include "tlm/lm/prompt_form.h"
#include "tlm/lm/training/adamw.h"
#include "tlm/lm/training/learning_rate.h"
#include "tlm/lm/training/packing.h"

namespace tlm::lm {

inline constexpr std::string_view kNoLists = "none";

struct Recipe {
  std::vector<std::string> records;  // files
  std::string lists = "lm/data";     // of what is held out: a folder, or kNoLists

  int64_t layers = 4, heads = 6, width = 192, context = 768;

  double epochs = 4;
  int64_t steps = -1;                       // instead of epochs; -1: by epochs
  double time_s = 0;                        // instead of both: as many steps as fit into so many seconds; 0: no
  double rate = 2e-3;                       // the peak
  double warm_up = 0.05, last_rate = 0.05;  // LearningRate
  double weight_decay = 0.1, clip = 1;
  uint64_t seed = 1;

  std::string quality = "best";  // QualityMode
  int64_t buckets = 8, enough = 24, best = 3;
  double tie = 0.06, growth = 1.5, soft = 0.1;
  int64_t branches = 16, batch = 8192;  // PackingOptions
  double balance = 0.5, unknown_target = 0.2, withheld = 0.2;
  std::string loss = "legal";  // or "all"

  int64_t pretrain = 0;  // shapes; 0: no such phase
  double pretrain_epochs = 2;
  int64_t taught = 0;  // shapes whose schedules a Teacher writes; learned beside what was measured

  std::string blind = "nothing", numbers = "bits";  // PromptForm
  double fraction = 1;
  std::vector<std::string> leave_out_kinds, leave_out_variants;

  PromptForm form() const;
  PackingOptions packing() const;
  LearningRate learning_rate() const { return {rate, last_rate, warm_up}; }
  AdamWOptions adamw() const;
  Config config(int64_t vocabulary) const;
  bool untrained() const { return steps == 0 && time_s == 0; }
  int quality_buckets() const;  // of the model's language: 0 in mode best
};

// Sizes by name: "small" (what the study trains), "base" (the default). Throws Error(kUsage) that lists them.
void set_size(Recipe& recipe, const std::string& name);
// Throws Error(kUsage) for what cannot be: a share above 1, an unknown name, a width that the heads do not divide.
void check(const Recipe& recipe);

std::string print_recipe(const Recipe& recipe);                        // JSON
Recipe parse_recipe(std::string_view json, const std::string& where);  // throws Error(kBadModel)
// Names of the settings in which two recipes differ (where the files are is none).
std::vector<std::string> differences(const Recipe& a, const Recipe& b);

}  // namespace tlm::lm
