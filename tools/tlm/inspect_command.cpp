#include <cmath>
#include <cstdio>
#include <map>

#include <CLI/CLI.hpp>

#include "tlm/core/error.h"
#include "tlm/core/hash.h"
#include "tlm/ir/partition.h"
#include "tlm/space/language/sentence.h"
#include "tlm/tools/tlm/command.h"
#include "tlm/tools/tlm/engine_flags.h"
#include "tlm/tools/tlm/table.h"

namespace tlm::tools {
namespace {

struct Options {
  std::string model;
  int subgraph = -1;
  bool sentence = false;
  EngineFlags flags;
};

std::string ports_text(const char* kind, const std::vector<runtime::PortDesc>& ports) {
  std::string text;
  for (const runtime::PortDesc& p : ports)
    text += std::string(kind) + " " + p.name + " " + std::string(dtype_name(p.dtype)) + to_string(p.shape) + "\n";
  return text;
}

int inspect_package(const Options& o) {
  if (o.subgraph >= 0 || o.sentence)
    throw Error(ErrorCode::kUsage, "a package holds no expressions: give the ONNX file", o.model);
  const runtime::Manifest m = runtime::read_package_manifest(o.model);
  std::printf("package %s\nengine %s, compiler %s\n", m.model_name.c_str(), m.engine_version.c_str(), m.compiler.c_str());
  std::fputs((ports_text("input", m.inputs) + ports_text("output", m.outputs)).c_str(), stdout);
  for (const runtime::VariantDesc& v : m.variants) {
    std::string features;
    for (const std::string& f : v.features) features += " " + f;
    std::printf("\nvariant %s:%s\narena %llu bytes\n", v.arch.c_str(), features.c_str(), static_cast<unsigned long long>(v.arena_bytes));
    std::vector<std::vector<std::string>> rows = {{"step", "workload", "Mflop", "phases", "workspace"}};
    for (const runtime::StepDesc& s : v.steps)
      rows.push_back({s.name, s.call.empty() ? to_hex(s.workload) : "call " + s.call, fixed(s.flops * 1e-6, 2), std::to_string(s.phases.size()),
                      std::to_string(s.workspace_bytes)});
    std::fputs(table_text(rows).c_str(), stdout);
  }
  return 0;
}

void print_subgraph(const ir::Step& step, int number, const Target& target) {
  const auto space = space::Space::build(step.subgraph, target);
  std::printf("subgraph %d: %s, workload %s\n%s\n", number, step.name.c_str(), to_hex(ir::workload_hash(step.subgraph)).c_str(),
              ir::print(step.subgraph).c_str());
  std::printf("size of the space: 10^%.1f schedules\ndecisions along the default schedule:\n", space->log10_size());
  space::Walk walk = space->walk();
  walk.complete();
  std::vector<std::vector<std::string>> rows = {{"decision", "candidates", "default"}};
  const space::Schedule schedule = walk.schedule();
  for (const space::Decision& d : walk.decisions()) {
    const std::string* text = schedule.find(d.name);
    rows.push_back({d.name, std::to_string(d.candidates.size()), text ? *text : ""});
  }
  std::fputs(table_text(rows).c_str(), stdout);
}

void print_sentence(const ir::Step& step, const Target& target) {
  space::Walk walk = space::Space::build(step.subgraph, target)->walk();
  walk.complete();
  std::printf("%s\n", space::sentence_text(walk).c_str());
}

int inspect_model(const Options& o, const CommandContext& context) {
  const Engine engine(o.flags.engine_options(context, nullptr));
  const Target& target = engine.options().target;
  const ir::Graph g = engine.import(o.model, o.flags.onnx_options());
  const ir::Partition partition = ir::partition(g);
  const int count = static_cast<int>(partition.steps.size());
  if (o.subgraph >= count)
    throw Error(ErrorCode::kUsage, "there is no subgraph " + std::to_string(o.subgraph) + ": the model has " + std::to_string(count) + ", counted from 0");
  if (o.subgraph >= 0 || o.sentence) {
    for (int s = o.subgraph >= 0 ? o.subgraph : 0; s < (o.subgraph >= 0 ? o.subgraph + 1 : count); ++s) {
      const ir::Step& step = partition.steps[static_cast<size_t>(s)];
      if (step.kind != ir::StepKind::kSubgraph) {
        if (!o.sentence) std::printf("step %d: %s, runtime call %s\n", s, step.name.c_str(), step.call.c_str());
        continue;
      }
      o.sentence ? print_sentence(step, target) : print_subgraph(step, s, target);
    }
    return 0;
  }
  std::printf("model %s: %zu nodes, %d subgraphs\n", g.name.c_str(), g.nodes.size(), count);
  std::vector<std::vector<std::string>> rows = {{"#  subgraph", "workload", "stages", "Mflop", "log10 size"}};
  std::map<uint64_t, double> sizes;
  for (int s = 0; s < count; ++s) {
    const ir::Step& step = partition.steps[static_cast<size_t>(s)];
    const std::string name = std::to_string(s) + "  " + step.name;
    if (step.kind != ir::StepKind::kSubgraph) {
      rows.push_back({name, "call " + step.call});
      continue;
    }
    const uint64_t hash = ir::workload_hash(step.subgraph);
    const auto [it, fresh] = sizes.try_emplace(hash, 0);
    if (fresh) it->second = space::Space::build(step.subgraph, target)->log10_size(200);
    rows.push_back({name, to_hex(hash), std::to_string(step.subgraph.stages.size()), fixed(ir::flops(step.subgraph) * 1e-6, 2), fixed(it->second, 1)});
  }
  std::fputs(table_text(rows).c_str(), stdout);
  std::printf("\n%zu distinct workloads\n", sizes.size());
  return 0;
}

}  // namespace

void add_inspect_command(CLI::App& app, CommandContext& context) {
  auto o = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand("inspect", "Show a model's subgraphs, stages, decisions and sentences, or what a package holds");
  command->add_option("MODEL", o->model, "ONNX file or package (.tlm)")->required();
  command->add_option("--subgraph", o->subgraph, "Show subgraph K: stages, decisions, size of the space")->check(CLI::NonNegativeNumber);
  command->add_flag("--sentence", o->sentence, "Print the tensor sentence (of all subgraphs, or of --subgraph K)");
  o->flags.add_model_options(*command);
  o->flags.add_compile_options(*command);
  command->callback([o, &context] {
    context.run = [o, &context] { return is_package(o->model) ? inspect_package(*o) : inspect_model(*o, context); };
  });
}

}  // namespace tlm::tools
