// What a model was made of, for people: MODEL_CARD.md beside its weights.
#pragma once

#include <string>

#include "tlm/lm/training/train_model.h"

namespace tlm::lm {

std::string model_card(const TrainedModel& model, const Datasets& data, const LabelCounts& labels, const Recipe& recipe,
                       const std::string& command);

}  // namespace tlm::lm
