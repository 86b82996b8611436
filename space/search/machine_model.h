// A model of one core, good enough to prefer sensible programs: issue slots, latency of a dependent operation, traffic between
// caches. Its numbers are ratios that hold for the usual out-of-order cores; it never asks which one.
#pragma once

#include "tlm/core/target.h"
#include "tlm/space/rules/analysis.h"

namespace tlm::space {

// Cycles that instructions take if every operand is in L1.
double compute_cycles(const NestInfo& n, const NestPlan& plan, const Target& t);
// Cycles of the whole nest: `compute` (compute_cycles), moving data between caches with the loops of the plan (order ++
// inner_order), and the time that cores wait for one another.
double nest_cycles(const NestInfo& n, const NestPlan& plan, const Target& t, double compute);
// Factor by which time grows when the loops that may be shared do not feed every core evenly. 1 on one core or for little work.
double imbalance(const NestInfo& n, const NestPlan& plan, const Target& t);

}  // namespace tlm::space
