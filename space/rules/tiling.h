// Footprints: how much memory a part of a nest touches.
#pragma once

#include <vector>

#include "tlm/space/rules/analysis.h"

namespace tlm::space {

// Bytes that `span[i]` consecutive points of each axis touch, every distinct element once (windows that overlap are merged).
double footprint_bytes(const NestInfo& n, const Access& a, const std::vector<int64_t>& span);
double footprint_bytes(const NestInfo& n, const std::vector<int64_t>& span);

}  // namespace tlm::space
