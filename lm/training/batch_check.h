// What a training batch must satisfy.
#pragma once

#include "tlm/lm/config.h"
#include "tlm/lm/training/backward.h"

namespace tlm::lm {

// Throws Error(kUsage) unless the batch is well formed and fits the model. Returns the number of targets, at least one.
int64_t check(const TrainingBatch& batch, const Config& config);

}  // namespace tlm::lm
