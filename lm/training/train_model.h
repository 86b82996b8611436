// From labels to a model in a folder: the whole training.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "tlm/core/cancel.h"
#include "tlm/core/executor.h"
#include "tlm/core/log.h"
#include "tlm/core/progress.h"
#include "tlm/lm/training/dataset.h"
#include "tlm/lm/training/labels.h"
#include "tlm/lm/training/metrics.h"
#include "tlm/lm/training/pretraining.h"
#include "tlm/lm/training/recipe.h"

namespace tlm::lm {

struct TrainModelOptions {
  Recipe recipe;
  std::filesystem::path folder;
  bool resume = false;     // go on from the folder's last state if there is one; else the folder must hold no training
  std::string command;     // for the model card; of a training that goes on, the one that it was begun with
  DatasetOptions data;     // obstacle and variant; the rest comes from the recipe
  SpaceSource unmeasured;  // for the recipe's `pretrain` and `taught`; what may not be learned is skipped
  int validations = 12;    // TrainerOptions
  double checkpoint_seconds = 300;
  int64_t checkpoint_steps = 0;
  CancelToken cancel;
  Log log;
};

struct TrainedModel {
  int64_t parameters = 0, steps = 0, pretraining_steps = 0;
  DatasetCounts train, dev;
  int64_t pretraining_sentences = 0, taught_sentences = 0;
  std::vector<StepMetrics> metrics;  // of all steps
};

// The settings that a folder's training was begun with; none: there is none. Throws Error(kBadModel).
std::optional<Recipe> recipe_of(const std::filesystem::path& folder);

// Writes training.json (settings, steps, fingerprint of the data), states, metrics.jsonl and in the end config.json,
// model.safetensors, language.json and MODEL_CARD.md. Without steps: an untrained model, which needs no data.
// Throws Error: kUsage (settings, a folder in use, other data than it was begun with), kInterrupted (resume goes on),
// kEnvironment.
TrainedModel train_model(std::vector<LabelledWorkload> workloads, const LabelCounts& counts, const TrainModelOptions& options,
                         Executor& executor, Progress& progress);

}  // namespace tlm::lm
