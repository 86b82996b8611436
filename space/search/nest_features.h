// Features of one loop nest.
#pragma once

#include <array>
#include <cstddef>

#include "tlm/core/target.h"
#include "tlm/space/rules/analysis.h"

namespace tlm::space {

// X(name, over nests: sum or maximum, written as log2(1 + x) or as it is)
#define TLM_NEST_FEATURES(X)                                                              \
  X(work, kSum, kLog)           /* operations */                                          \
  X(compute_cycles, kSum, kLog) /* machine model: operands in L1 */                       \
  X(cycles, kSum, kLog)         /* machine model: all */                                  \
  X(traffic_l1, kSum, kLog)     /* bytes into each cache */                               \
  X(traffic_l2, kSum, kLog)                                                               \
  X(traffic_l3, kSum, kLog)                                                               \
  X(footprint, kSum, kLog) /* bytes touched */                                            \
  X(footprint_cache_tile, kMax, kLog)                                                     \
  X(footprint_register_tile, kMax, kLog) /* over the whole reduction */                   \
  X(store_bytes, kSum, kLog)                                                              \
  X(accumulators, kMax, kLog) /* registers */                                             \
  X(registers, kMax, kRaw)    /* used / there */                                          \
  X(lanes, kMax, kLog)                                                                    \
  X(vectors, kMax, kLog)                                                                  \
  X(largest_tile, kMax, kLog) /* points off the vector axis */                            \
  X(second_tile, kMax, kLog)                                                              \
  X(scalar, kMax, kRaw)     /* no vector axis */                                          \
  X(horizontal, kMax, kRaw) /* the vector axis is reduced */                              \
  X(streams, kMax, kRaw)    /* share of loads: next to one another along the vector */    \
  X(broadcasts, kMax, kRaw) /* the same along the vector */                               \
  X(gathers, kMax, kRaw)                                                                  \
  X(unroll, kMax, kLog)                                                                   \
  X(updates, kMax, kLog)    /* in one body */                                             \
  X(remainders, kMax, kRaw) /* share of points outside full register tiles */             \
  X(idle_lanes, kMax, kRaw)                                                               \
  X(loads_per_update, kMax, kLog)                                                         \
  X(stores_per_update, kMax, kLog)                                                        \
  X(tiles, kSum, kLog)           /* register tiles */                                     \
  X(reduction, kMax, kLog)       /* steps of a register tile */                           \
  X(inner_reduction, kMax, kLog) /* iterations of the innermost reduction loop */         \
  X(inner_spatial, kMax, kLog)   /* iterations of the innermost register-tile loop */     \
  X(reduction_loops, kMax, kRaw)                                                          \
  X(cache_loops, kMax, kRaw)                                                              \
  X(cache_tile, kMax, kLog) /* points */                                                  \
  X(parallel, kMax, kLog)   /* merged iterations */                                       \
  X(grain, kMax, kLog)                                                                    \
  X(chunks_per_core, kMax, kLog)                                                          \
  X(imbalance, kMax, kLog)                                                                \
  X(serial, kSum, kRaw)                                                                   \
  X(packed, kSum, kRaw) /* constants in panels */                                         \
  X(unpacked, kSum, kRaw)                                                                 \
  X(prefetch, kSum, kRaw)                                                                 \
  X(epilogues, kSum, kRaw)                                                                \
  X(reduction_stride, kMax, kLog) /* bytes between iterations of the innermost loop */    \
  X(store_stride, kMax, kLog)     /* bytes of the output, innermost register-tile loop */ \
  X(guards, kMax, kRaw)           /* axes along which a guard varies */                   \
  X(tails, kSum, kRaw)            /* axes that do not divide */                           \
  X(shifted, kSum, kRaw)                                                                  \
  X(balanced, kSum, kRaw)

enum class NestFeature : size_t {
#define X(name, over, scale) name,
  TLM_NEST_FEATURES(X)
#undef X
      kCount
};
inline constexpr size_t kNestFeatures = static_cast<size_t>(NestFeature::kCount);

using NestFeatures = std::array<double, kNestFeatures>;  // raw quantities

NestFeatures nest_features(const NestInfo& n, const NestPlan& plan, const SchedulePlan& whole, const Target& t);

}  // namespace tlm::space
