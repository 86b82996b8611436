// Work of a nest and the loops that cores can share.
#pragma once

#include <vector>

#include "tlm/space/rules/analysis.h"

namespace tlm::space {

inline constexpr double kWorkWorthSharing = 30000;  // operations: waking a worker costs some microseconds
inline constexpr int64_t kMaxChunks = 4;            // merged iterations for each core, beyond which another loop is not needed

// Iterations of the leading loops of order ++ inner_order that may be merged into one parallel loop; loops of one iteration
// skipped.
std::vector<int64_t> shareable_loops(const NestInfo& n, const NestPlan& plan);
// Rough operations of the whole nest.
double work(const NestInfo& n);

}  // namespace tlm::space
