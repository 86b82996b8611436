// What rivals learn from: the labels that models are trained on (lm/training/labels.h), with the same held out.
#pragma once

#include "tlm/lm/training/cost_model_fit.h"

namespace tlm::eval {

using TrainingProgram = lm::LabelledProgram;
using TrainingWorkload = lm::MeasuredWorkload;
using lm::Obstacle;

}  // namespace tlm::eval
