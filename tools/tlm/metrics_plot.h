// The course of a training as a figure.
#pragma once

#include <string>
#include <vector>

#include "tlm/lm/training/metrics.h"

namespace tlm::tools {

// Loss of the steps (means of neighbours) and of dev over the steps, as SVG.
std::string metrics_svg(const std::vector<lm::StepMetrics>& metrics);

}  // namespace tlm::tools
