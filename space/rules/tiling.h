// Footprints: how much memory a part of a nest touches.
#pragma once

#include <vector>

#include "tlm/core/target.h"
#include "tlm/space/rules/analysis.h"

namespace tlm::space {

// Bytes that `span[i]` consecutive points of each axis touch, every distinct element once (windows that overlap are merged).
double footprint_bytes(const Access& a, const std::vector<int64_t>& span);
double footprint_bytes(const NestInfo& n, const std::vector<int64_t>& span);
// Distinct elements that they read, of each operand of the reduction: what one body of register tiles loads.
double operand_elements(const NestInfo& n, const std::vector<int64_t>& span);
// Whether some data that does not fit in cache is used more than once, or by lines in another order than it is stored.
bool tiling_helps(const NestInfo& n, const Target& t);

}  // namespace tlm::space
