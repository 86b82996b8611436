// How one subgraph of a model becomes source, step by step, as text.
#pragma once

#include <map>
#include <string>

#include "tlm/ir/graph/graph.h"
#include "tlm/tools/engine/engine.h"

namespace tlm::tools {

// Stages, sentence, schedule, loops and source of step `number` of the partition. Throws Error(kUsage) when there is no such step
// or it is a runtime call.
std::string explain_subgraph(const Engine& engine, const ir::Graph& g, int number,
                             const std::map<uint64_t, space::Schedule>& schedules);

}  // namespace tlm::tools
