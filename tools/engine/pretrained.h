// The weights that are built into the engine: lm/pretrained at the time of the build.
#pragma once

#include <memory>

#include "tlm/lm/language_model.h"

namespace tlm {

// Read at the first call, then shared; null when lm/pretrained held no model.
std::shared_ptr<const lm::LanguageModel> pretrained_model();

}  // namespace tlm
