#include <algorithm>
#include <climits>
#include <cstdio>
#include <map>

#include "tlm/core/error.h"
#include "tlm/core/hash.h"
#include "tlm/ir/partition.h"
#include "tlm/space/language/sentence.h"
#include "tlm/tools/tlm/arguments.h"
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

std::string port_text(const char* kind, const std::string& name, DType dtype, const Shape& shape) {
  return std::string(kind) + " " + printable(name) + " " + std::string(dtype_name(dtype)) + to_string(shape) + "\n";
}

int inspect_package(const Options& o) {
  if (o.subgraph >= 0 || o.sentence)
    throw Error(ErrorCode::kUsage, "a package holds code and no expressions", o.model,
                "give the ONNX file that it was made from");
  const runtime::Manifest m = runtime::read_package_manifest(o.model);
  std::printf("package  %s\nengine   tlm %s\ncompiler %s\n", printable(m.model_name).c_str(), printable(m.engine_version).c_str(),
              m.compiler.empty() ? "none (no generated code)" : printable(m.compiler).c_str());
  for (const runtime::PortDesc& p : m.inputs) std::fputs(port_text("input   ", p.name, p.dtype, p.shape).c_str(), stdout);
  for (const runtime::PortDesc& p : m.outputs) std::fputs(port_text("output  ", p.name, p.dtype, p.shape).c_str(), stdout);
  for (const runtime::VariantDesc& v : m.variants) {
    std::string features;
    for (const std::string& f : v.features) features += " " + f;
    std::printf("\ntarget   %s, needs:%s\narena    %s MB\n\n", printable(v.arch).c_str(),
                features.empty() ? " nothing more" : printable(features).c_str(),
                number(static_cast<double>(v.arena_bytes) * 1e-6).c_str());
    std::vector<std::vector<std::string>> rows = {{"step", "", "workload", "Mflop", "phases", "workspace bytes"}};
    for (size_t s = 0; s < v.steps.size(); ++s) {
      const runtime::StepDesc& step = v.steps[s];
      const bool generated = step.call.empty();
      rows.push_back({std::to_string(s), step.name, generated ? to_hex(step.workload) : "call " + step.call,
                      generated ? number(step.flops * 1e-6) : "", generated ? std::to_string(step.phases.size()) : "",
                      std::to_string(step.workspace_bytes)});
    }
    std::fputs(table_text(rows, "rl").c_str(), stdout);
  }
  return 0;
}

// The candidates but the taken one, as many as fit.
std::string others_text(const space::Decision& d, const std::string& taken, const std::vector<std::string>& axes) {
  constexpr size_t kRoom = 60;
  std::string text;
  for (const space::Choice& c : d.candidates) {
    const std::string candidate = choice_text(d, c, axes);
    if (candidate == taken) continue;
    if (text.size() + candidate.size() > kRoom) return text + " | …";
    text += (text.empty() ? "" : " | ") + candidate;
  }
  return text;
}

void print_subgraph(const ir::Step& step, int number, const Target& target) {
  const auto space = space::Space::build(step.subgraph, target);
  std::printf("subgraph %d: %s, workload %s\n\n%s\n", number, printable(step.name).c_str(),
              to_hex(ir::workload_hash(step.subgraph)).c_str(), printable(ir::print(step.subgraph), true).c_str());
  const space::Walk walk = space->constructive();
  const space::Schedule schedule = walk.schedule();
  std::printf("space: 10^%.1f schedules; decisions along the constructive schedule:\n\n", space->log10_size());
  std::vector<std::vector<std::string>> rows = {{"decision", "candidates", "constructive", "others"}};
  for (const space::Decision& d : walk.decisions()) {
    const std::string* text = schedule.find(d.name);
    const std::string taken = text ? *text : "";
    const auto axes = space::axis_names(d, walk.subgraph());
    rows.push_back({d.name, std::to_string(d.candidates.size()), taken, others_text(d, taken, axes)});
  }
  std::fputs(table_text(rows, "lrll").c_str(), stdout);
}

void print_sentence(const ir::Step& step, const Target& target) {
  std::printf("%s\n", space::sentence_text(space::Space::build(step.subgraph, target)->constructive()).c_str());
}

void print_table(const Options& o, const ir::Graph& g, const ir::Partition& partition, const Target& target,
                 const CancelToken& cancel) {
  std::vector<std::vector<std::string>> rows = {{"K", "subgraph", "workload", "stages", "Mflop", "space"}};
  std::map<uint64_t, double> sizes;
  int calls = 0;
  double flops = 0;
  for (size_t s = 0; s < partition.steps.size(); ++s) {
    cancel.check();
    const ir::Step& step = partition.steps[s];
    if (step.kind != ir::StepKind::kSubgraph) {
      rows.push_back({std::to_string(s), step.name, "call " + step.call, "", "", ""});
      ++calls;
      continue;
    }
    const uint64_t hash = ir::workload_hash(step.subgraph);
    const auto [it, fresh] = sizes.try_emplace(hash, 0);
    if (fresh) it->second = space::Space::build(step.subgraph, target)->log10_size(200);
    flops += ir::flops(step.subgraph);
    rows.push_back({std::to_string(s), step.name, to_hex(hash), std::to_string(step.subgraph.stages.size()),
                    number(ir::flops(step.subgraph) * 1e-6), "10^" + fixed(it->second, 1)});
  }
  std::printf("model    %s: %zu nodes, %s Mflop\n", printable(g.name.empty() ? o.model : g.name).c_str(), g.nodes.size(),
              number(flops * 1e-6).c_str());
  for (const ir::ValueId v : g.inputs)
    std::fputs(port_text("input   ", g.value(v).name, g.value(v).dtype, g.value(v).shape).c_str(), stdout);
  for (const ir::ValueId v : g.outputs)
    std::fputs(port_text("output  ", g.value(v).name, g.value(v).dtype, g.value(v).shape).c_str(), stdout);
  std::printf("target   %s: %s, %d-bit vectors, %d vector registers, %d core%s\n", printable(target.name).c_str(),
              target.arch.c_str(), target.vector_bits, target.vector_registers, target.cores, target.cores == 1 ? "" : "s");
  std::printf("steps    %zu subgraphs (%zu distinct workloads), %d runtime calls\n\n",
              partition.steps.size() - static_cast<size_t>(calls), sizes.size(), calls);
  std::fputs(table_text(rows, "rl").c_str(), stdout);
}

int inspect_model(const Options& o, const CommandContext& context) {
  const Engine engine(o.flags.engine_options(context, nullptr));
  const Target& target = engine.options().target;
  const ir::Graph g = engine.import(o.model, o.flags.onnx_options());
  const ir::Partition partition = ir::partition(g);
  const int count = static_cast<int>(partition.steps.size());
  if (o.subgraph >= count)
    throw Error(ErrorCode::kUsage, "there is no subgraph " + std::to_string(o.subgraph), o.model,
                "the model has " + std::to_string(count) + ", counted from 0: tlm inspect " + o.model);
  if (o.subgraph < 0 && !o.sentence) {
    print_table(o, g, partition, target, context.cancel);
    return 0;
  }
  for (int s = std::max(0, o.subgraph); s < (o.subgraph >= 0 ? o.subgraph + 1 : count); ++s) {
    context.cancel.check();
    const ir::Step& step = partition.steps[static_cast<size_t>(s)];
    if (step.kind != ir::StepKind::kSubgraph) {
      if (!o.sentence)
        std::printf("step %d: %s, runtime call %s: no stages, nothing to schedule\n", s, printable(step.name).c_str(),
                    step.call.c_str());
      continue;
    }
    o.sentence ? print_sentence(step, target) : print_subgraph(step, s, target);
  }
  return 0;
}

}  // namespace

void add_inspect_command(CLI::App& app, CommandContext& context) {
  auto o = std::make_shared<Options>();
  CLI::App* command =
      app.add_subcommand("inspect", "Show a model's subgraphs, stages, decisions and sentences, or what a package holds");
  add_text(*command, "MODEL", o->model, "", "ONNX file or package (.tlm)")->required();
  add_number(*command, "--subgraph", o->subgraph, "K",
             "Only subgraph K, counted from 0: its stages, decisions, size of the space", 0, INT_MAX);
  command->add_flag("--sentence", o->sentence,
                    "Print the tensor sentence (prompt and constructive schedule), of all subgraphs or of --subgraph K");
  o->flags.add_model_options(*command);
  o->flags.add_target_options(*command);
  command->footer(R"(
Columns: K, for --subgraph and `compile --explain`; workload, a hash that equal subgraphs share; Mflop, a multiply-add counts as
two; space, the number of legal schedules (estimated when large).
Examples:
  tlm inspect resnet50.onnx
  tlm inspect resnet50.onnx --subgraph 3
  tlm inspect resnet50.onnx --subgraph 3 --sentence --target x86-64-v3
  tlm inspect resnet50.tlm)");
  command->callback([o, &context] {
    context.run = [o, &context] { return is_package(o->model) ? inspect_package(*o) : inspect_model(*o, context); };
  });
}

}  // namespace tlm::tools
