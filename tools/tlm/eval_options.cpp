#include "tlm/tools/tlm/eval_options.h"

#include <algorithm>
#include <chrono>
#include <thread>

#include "tlm/codegen/measure/measurer.h"
#include "tlm/core/error.h"
#include "tlm/tools/collect/variants.h"
#include "tlm/tools/collect/workload_list.h"

namespace tlm::tools {

std::vector<eval::EvalWorkload> EvalOptions::list() const {
  if (workloads.empty()) collect::check_lists(data);
  const std::string file = workloads.empty() ? data + "/" + split + "_workloads.jsonl" : workloads;
  std::vector<eval::EvalWorkload> list = eval::read_workloads(file);
  if (!variant.empty())
    for (eval::EvalWorkload& w : list) w.cores = machine().cores;
  if (only.empty()) return list;
  for (const std::string& name : only)
    if (std::none_of(list.begin(), list.end(), [&](const auto& w) { return w.name == name; }))
      throw Error(ErrorCode::kUsage, "no workload of the list is called '" + name + "'", file);
  std::erase_if(list, [&](const auto& w) { return std::find(only.begin(), only.end(), w.name) == only.end(); });
  return list;
}

Target EvalOptions::machine() const {
  if (variant.empty()) return host_target();
  const std::vector<collect::Variant> chosen = collect::chosen_variants(host_target(), {variant});
  if (chosen.size() != 1) throw Error(ErrorCode::kUsage, "'" + variant + "' is no single variant", "--variant");
  return chosen[0].target;
}

std::unique_ptr<space::Measurer> EvalOptions::measurer(const CommandContext& context, int rounds, double slow_factor) const {
  codegen::MeasureOptions options;
  options.jobs = jobs > 0 ? jobs : std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  options.c_compiler = c_compiler;
  options.log = context.log;
  options.rounds = rounds;
  if (slow_factor > 0) options.slow_factor = slow_factor;
  return codegen::make_measurer(std::move(options));
}

std::function<bool()> EvalOptions::stop_after_time() const {
  if (seconds == 0) return {};
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(seconds);
  return [end] { return std::chrono::steady_clock::now() >= end; };
}

}  // namespace tlm::tools
