#include "tlm/tools/tlm/explain.h"

#include <memory>
#include <vector>

#include "tlm/codegen/lower/lower.h"
#include "tlm/codegen/source/source_c.h"
#include "tlm/codegen/source/source_cuda.h"
#include "tlm/core/error.h"
#include "tlm/core/hash.h"
#include "tlm/ir/partition.h"
#include "tlm/space/language/sentence.h"

namespace tlm::tools {

std::string explain_subgraph(const Engine& engine, const ir::Graph& g, int number,
                             const std::map<uint64_t, space::Schedule>& schedules) {
  const ir::Partition partition = ir::partition(g);
  if (number >= static_cast<int>(partition.steps.size()))
    throw Error(ErrorCode::kUsage, "there is no subgraph " + std::to_string(number), "",
                "the model has " + std::to_string(partition.steps.size()) + ", counted from 0");
  const ir::Step& step = partition.steps[static_cast<size_t>(number)];
  if (step.kind != ir::StepKind::kSubgraph)
    throw Error(ErrorCode::kUsage,
                "step " + std::to_string(number) + " is the runtime call " + step.call + ": it has no schedule");
  const Target& target = engine.options().target;
  const auto space = space::Space::build(step.subgraph, target);
  const uint64_t hash = ir::workload_hash(step.subgraph);
  const auto given = schedules.find(hash);
  const space::Schedule schedule =
      given != schedules.end() ? given->second
                               : make_scheduler(engine.options())->schedule({space}).at(0).at(0);
  Result<space::Walk> walk = space->replay(schedule);
  if (!walk) throw Error(ErrorCode::kUsage, "the given schedule is not legal: " + walk.reason(), step.name);
  const ir::Kernel kernel = codegen::lower(walk->subgraph(), walk->plan(), target);

  std::string text = "== subgraph " + std::to_string(number) + ": " + step.name + ", workload " + to_hex(hash) + "\n";
  text += ir::print(step.subgraph);
  if (walk->shared_subgraph() != space->shared_subgraph()) text += "\n== with other algorithms\n" + ir::print(walk->subgraph());
  text += "\n== sentence\n" + space::sentence_text(*walk) + "\n";
  text += "\n== schedule\n" + print(walk->schedule()) + "\n" + space::print(walk->plan(), walk->subgraph());
  text += "\n== loops\n" + ir::print(kernel);
  text += "\n== source\n";
  if (target.device == DeviceKind::kCuda) {
    text += codegen::write_cuda(kernel, target);
  } else {
    const ir::Kernel* kernels[] = {&kernel};
    const uint32_t entries[] = {0};
    text += codegen::write_c(kernels, entries, target);
  }
  return text;
}

}  // namespace tlm::tools
