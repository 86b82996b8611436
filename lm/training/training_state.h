// Where a training stands, as a folder that appears whole: weights, optimiser, position. A training that was killed goes on from
// the last one and ends in the same bits.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>

#include "tlm/lm/language_model.h"
#include "tlm/lm/training/adamw.h"
#include "tlm/lm/weights.h"

namespace tlm::lm {

// What a step draws is a function of the seed and its number, so the number is all there is to remember of them.
struct TrainingPosition {
  int64_t step = 0;       // done
  int64_t tokens = 0;     // read so far
  double seconds = 0;     // spent so far
  uint64_t identity = 0;  // of data and settings
};

// FOLDER/checkpoint-N, itself a model's folder (language_model.h) with optimizer.safetensors and state.json beside it. Written
// under another name and renamed; older ones are then removed. Throws Error(kEnvironment); the last one then still stands.
void save_training_state(const std::filesystem::path& folder, const Weights& weights, const LanguageInfo& language,
                         const AdamW& optimizer, const TrainingPosition& position);

// The last one of the folder; none: nothing to go on from.
std::optional<std::filesystem::path> last_training_state(const std::filesystem::path& folder);
// Throws Error(kBadModel): damaged, or of another model.
TrainingPosition load_training_position(const std::filesystem::path& state);
void load_training_state(const std::filesystem::path& state, Weights& weights, AdamW& optimizer);

}  // namespace tlm::lm
