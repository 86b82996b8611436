// The model of `tlm collect --model`.
#pragma once

#include <string>

#include "tlm/tools/collect/collector.h"

namespace tlm::tools {

// Schedules of the model in `folder`, drawn without replacement: the same for the same seed. Throws Error.
collect::ModelFactory collect_model(const std::string& folder);

}  // namespace tlm::tools
