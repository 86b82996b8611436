// `tlm workloads`: what models are trained on and judged by.
#include <cstdio>
#include <filesystem>
#include <map>

#include "tlm/core/error.h"
#include "tlm/core/file.h"
#include "tlm/core/hash.h"
#include "tlm/ir/onnx/onnx_reader.h"
#include "tlm/space/records/split_key.h"
#include "tlm/tools/collect/make_lists.h"
#include "tlm/tools/collect/workload_sampler.h"
#include "tlm/tools/tlm/arguments.h"
#include "tlm/tools/tlm/command.h"
#include "tlm/tools/tlm/table.h"

namespace tlm::tools {
namespace {

namespace fs = std::filesystem;

struct Options {
  std::string folder;
  std::vector<std::string> models;
  std::string list;
  uint64_t seed = 0;
  int count = 20;
  bool beyond = false, force = false;
};

void write_list(const fs::path& file, const std::vector<collect::ListedWorkload>& list) {
  std::string text;
  for (const collect::ListedWorkload& w : list) text += collect::workload_list_line(w) + "\n";
  write_file_atomic(file, text);
}

int make_lists(const Options& o, const CommandContext& context) {
  if (!fs::is_directory(o.folder)) throw Error(ErrorCode::kUsage, "the folder is not there", o.folder, "create it first");
  const fs::path folder(o.folder);
  for (const char* list : {collect::kTestList, collect::kDevList, collect::kNetworkList})
    if (!o.force && fs::exists(folder / list))
      throw Error(
          ErrorCode::kUsage, "the list is there already, and this tlm may draw another one", (folder / list).string(),
          "write to another folder; --force replaces all three lists, and what was judged by them before compares no longer");
  std::vector<std::pair<std::string, ir::Graph>> models;
  for (const std::string& file : o.models) {
    context.cancel.check();
    const fs::path path(file);
    const std::string name = path.stem() == "model" ? path.parent_path().filename() : path.stem();
    models.emplace_back("handed " + name, ir::read_onnx(path));
  }
  const collect::WorkloadLists lists = collect::make_workload_lists(std::move(models));
  write_list(folder / collect::kTestList, lists.test);
  write_list(folder / collect::kDevList, lists.dev);
  write_list(folder / collect::kNetworkList, lists.networks);
  std::fprintf(stderr, "tlm: %zu test workloads, %zu dev workloads, %zu keys of networks\n", lists.test.size(), lists.dev.size(),
               lists.networks.size());
  return 0;
}

void add_row(std::vector<std::vector<std::string>>& table, const std::string& name, const std::string& kind,
             const std::string& set, const std::string& cores, const ir::Subgraph& g) {
  std::string extents;
  for (const int64_t e : space::key_extents(g)) extents += (extents.empty() ? "" : " ") + std::to_string(e);
  table.push_back({to_hex(ir::workload_hash(g)), name, kind, set, cores, fixed(ir::flops(g) / 1e6, 3),
                   fixed(ir::port_bytes(g) / 1e3, 1), std::string(space::split_name(space::split_of(space::split_key(g)))),
                   extents});
}

int show(std::vector<std::vector<std::string>> rows) {
  std::vector<std::vector<std::string>> table = {
      {"workload", "name", "kind", "set", "cores", "Mflop", "KB", "split", "main stage"}};
  std::map<std::string, int> kinds;
  for (auto& row : rows) {
    ++kinds[row[2]];
    table.push_back(std::move(row));
  }
  std::fputs(table_text(table, "llll").c_str(), stdout);
  for (const space::WorkloadKind k : space::workload_kinds())
    std::printf("%-16s %d\n", std::string(space::workload_kind_name(k)).c_str(),
                kinds[std::string(space::workload_kind_name(k))]);
  return 0;
}

int show_list(const Options& o) {
  std::vector<std::vector<std::string>> rows;
  for (const collect::ListedWorkload& w : collect::read_workload_list(o.list))
    add_row(rows, printable(w.name), std::string(space::workload_kind_name(w.kind)), printable(w.set), std::to_string(w.cores),
            w.subgraph);
  return show(std::move(rows));
}

int show_sample(const Options& o, const CommandContext& context) {
  const collect::WorkloadSampler sampler(o.seed, o.beyond ? collect::SizeRange::kBeyond : collect::SizeRange::kTraining);
  std::vector<std::vector<std::string>> rows;
  for (int i = 0; i < o.count; ++i) {
    context.cancel.check();
    const collect::SampledWorkload w = sampler.at(i);
    add_row(rows, w.name, std::string(space::workload_kind_name(w.kind)), "-", "-", w.subgraph);
  }
  return show(std::move(rows));
}

}  // namespace

void add_workloads_command(CLI::App& app, CommandContext& context) {
  auto o = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand("workloads", "What models are trained on and judged by: samples and lists");
  command->require_subcommand(1);
  const auto add = [&](const char* name, const char* description) {
    CLI::App* sub = command->add_subcommand(name, description)->group("Commands");
    sub->footer("`tlm workloads --help` shows examples.");
    return sub;
  };

  CLI::App* sample_command = add("sample", "Workloads as the sampler draws them");
  add_number(*sample_command, "--seed", o->seed, "S", "Seed of the sampler (default: 0)");
  add_number(*sample_command, "--count", o->count, "N", "So many (default: 20)", 1, 1 << 20);
  sample_command->add_flag("--beyond", o->beyond, "Shapes beyond the range of training, primes");
  sample_command->callback([o, &context] { context.run = [o, &context] { return show_sample(*o, context); }; });

  CLI::App* list_command = add("list", "The workloads of a list");
  add_text(*list_command, "FILE", o->list, "", "A list (JSON lines)")->required();
  list_command->callback([o, &context] { context.run = [o] { return show_list(*o); }; });

  CLI::App* lists_command = add("lists", "Write the lists: test, dev, and all workloads of the networks at hand");
  add_text(*lists_command, "FOLDER", o->folder, "", "Where they are written")->required();
  lists_command->add_option("MODELS", o->models, "ONNX files of further networks whose workloads nothing is learned from");
  lists_command->add_flag("--force", o->force, "Replace lists that are there");
  lists_command->callback([o, &context] { context.run = [o, &context] { return make_lists(*o, context); }; });

  command->footer(R"(
Examples:
  tlm workloads sample --count 100
  tlm workloads list lm/data/test_workloads.jsonl
  tlm workloads lists NEW_FOLDER model.onnx)");
}

}  // namespace tlm::tools
