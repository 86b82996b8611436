// A model of one core, good enough to prefer sensible programs: issue slots, latency of a dependent operation, traffic between caches.
// Its numbers are ratios that hold for the usual out-of-order cores; it never asks which one.
#pragma once

#include "tlm/core/target.h"
#include "tlm/space/rules/analysis.h"

namespace tlm::space {

// Cycles that instructions take if every operand is in L1.
double compute_cycles(const NestInfo& n, const NestPlan& plan, const Target& t);
// Cycles that moving data into L1 and into L2 adds, with the loops of the plan (order ++ inner_order).
double traffic_cycles(const NestInfo& n, const NestPlan& plan, const Target& t);
// Factor by which time grows when the loops that may be shared do not feed every core evenly. 1 on one core or for little work.
double imbalance(const NestInfo& n, const NestPlan& plan, const Target& t);

}  // namespace tlm::space
