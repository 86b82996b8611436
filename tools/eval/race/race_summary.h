// The figures of race_tables for programs: JSON.
#pragma once

#include <string>
#include <vector>

#include "tlm/tools/eval/race/race_table.h"

namespace tlm::eval {

// {"workloads", "reference",
//  "contenders": [{"name", "k", "model", "workloads", "failures", "ratio": {"mean", "low", "high"}, "least", "least_name",
//                  "seconds", "roofline", "distinct", "duplicates", "sets": {SET: ratio}, "kinds": {KIND: mean}}],
//  "paired": [{"model", "rival", "mean", "low", "high"}]}
std::string race_summary(const std::vector<RaceRow>& rows, const TableOptions& options);

}  // namespace tlm::eval
