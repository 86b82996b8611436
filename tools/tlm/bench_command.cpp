#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <map>

#include <nlohmann/json.hpp>

#include "tlm/codegen/random_tensor.h"
#include "tlm/core/error.h"
#include "tlm/core/file.h"
#include "tlm/kernels/cpu/fma_peak.h"
#include "tlm/tools/tlm/arguments.h"
#include "tlm/tools/tlm/command.h"
#include "tlm/tools/tlm/data_set.h"
#include "tlm/tools/tlm/engine_flags.h"
#include "tlm/tools/tlm/output_files.h"
#include "tlm/tools/tlm/table.h"

namespace tlm::tools {
namespace {

struct Options {
  std::string model, json;
  int run_threads = 0, repeat = 20;
  EngineFlags flags;
};

// Steps with the same workload are one row.
struct Row {
  std::string name;
  int count = 0;
  double flops = 0;        // of one step
  std::vector<double> ms;  // summed over the steps, one for each run
};

double median(std::vector<double> v) {
  if (v.empty()) return 0;
  std::sort(v.begin(), v.end());
  return v.size() % 2 ? v[v.size() / 2] : (v[v.size() / 2 - 1] + v[v.size() / 2]) / 2;
}

struct Bench {
  std::vector<double> total_ms, overhead_ms;
  std::vector<Row> rows;
};

Bench measure(runtime::Session& session, int repeat, const CancelToken& cancel) {
  const auto& steps = session.package().variant().steps;
  Bench bench;
  std::map<std::pair<uint64_t, std::string>, size_t> row_of;
  std::vector<size_t> step_row;
  for (const runtime::StepDesc& s : steps) {
    const auto [it, fresh] = row_of.try_emplace({s.workload, s.workload ? "" : s.name}, bench.rows.size());
    if (fresh) bench.rows.push_back({s.name, 0, s.flops, {}});
    bench.rows[it->second].count++;
    step_row.push_back(it->second);
  }
  runtime::RunProfile profile;
  profile.step_ms.resize(steps.size());
  runtime::RunOptions plain, timed;
  plain.cancel = timed.cancel = &cancel.flag();
  timed.profile = &profile;
  for (int i = 0; i < std::max(2, repeat / 10); ++i) session.run_or_throw(plain);  // warm up
  for (int r = 0; r < repeat; ++r) {
    session.run_or_throw(plain);
    const auto begin = std::chrono::steady_clock::now();
    session.run_or_throw(plain);
    bench.total_ms.push_back(std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count());
    session.run_or_throw(timed);
    bench.overhead_ms.push_back(profile.overhead_ms);
    std::vector<double> sums(bench.rows.size(), 0);
    for (size_t s = 0; s < steps.size(); ++s) sums[step_row[s]] += profile.step_ms[s];
    for (size_t k = 0; k < sums.size(); ++k) bench.rows[k].ms.push_back(sums[k]);
  }
  return bench;
}

int run(const Options& o, const CommandContext& context) {
  check_output_files({{"--json", o.json}}, {o.model});
  const auto package = open_package(o.model, o.flags, context);
  runtime::SessionOptions options;
  options.threads = o.run_threads;
  runtime::Session session(package, options);
  Rng rng(0);
  std::vector<NamedTensor> inputs;
  for (const runtime::PortDesc& port : package->manifest().inputs)
    inputs.push_back({port.name, codegen::random_tensor(port.dtype, port.shape, rng)});
  set_inputs(session, inputs);
  for (size_t i = 0; i < package->manifest().outputs.size(); ++i) session.output(static_cast<int>(i));

  const double peak = kernels::measure_peak_gflops(session.threads());
  const Bench bench = measure(session, o.repeat, context.cancel);
  const double minimum = *std::min_element(bench.total_ms.begin(), bench.total_ms.end());

  nlohmann::ordered_json j;
  j["model"] = package->manifest().model_name;
  j["threads"] = session.threads();
  j["latency_ms"] = {{"min", minimum}, {"median", median(bench.total_ms)}};
  j["overhead_ms"] = median(bench.overhead_ms);
  j["peak_gflops"] = peak;
  j["subgraphs"] = nlohmann::ordered_json::array();
  std::vector<std::vector<std::string>> table = {{"subgraph", "count", "Mflop", "ms", "GFLOP/s", "% of peak"}};
  double all_flops = 0, all_ms = 0;
  int all_count = 0;
  const auto add_line = [&](const std::string& name, int count, double flops, double ms) {
    const double gflops = ms > 0 ? flops / ms * 1e-6 : 0;
    table.push_back(
        {name, std::to_string(count), number(flops * 1e-6), number(ms), fixed(gflops, 1), fixed(100 * gflops / peak, 1)});
    return gflops;
  };
  for (const Row& row : bench.rows) {
    const double ms = median(row.ms), flops = row.flops * row.count;
    const double gflops = add_line(row.name, row.count, flops, ms);
    j["subgraphs"].push_back({{"name", row.name},
                              {"count", row.count},
                              {"flops", row.flops},
                              {"ms", ms},
                              {"min_ms", *std::min_element(row.ms.begin(), row.ms.end())},
                              {"gflops", gflops},
                              {"peak_fraction", gflops / peak}});
    all_flops += flops, all_ms += ms, all_count += row.count;
  }
  add_line("all", all_count, all_flops, all_ms);
  std::fputs(table_text(table).c_str(), stdout);
  std::printf("(Mflop, ms: of one run, summed over a subgraph's uses; medians)\n\n");
  std::printf("latency         min %s ms, median %s ms (%d runs on %d thread%s)\n", number(minimum).c_str(),
              number(median(bench.total_ms)).c_str(), o.repeat, session.threads(), session.threads() == 1 ? "" : "s");
  std::printf("outside kernels %s ms\n", number(median(bench.overhead_ms)).c_str());
  std::printf("machine         %s GFLOP/s peak, measured\n", fixed(peak, 1).c_str());
  std::printf("memory          %s MB arena, %s MB weights\n", number(static_cast<double>(session.arena_bytes()) * 1e-6).c_str(),
              number(static_cast<double>(package->weights().size()) * 1e-6).c_str());
  if (!o.json.empty()) write_file_atomic(o.json, j.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n");
  return 0;
}

}  // namespace

void add_bench_command(CLI::App& app, CommandContext& context) {
  auto o = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand("bench", "Measure latency, and the speed of each kind of subgraph");
  add_text(*command, "MODEL", o->model, "", "Package (.tlm) or ONNX file")->required();
  add_number(*command, "--threads", o->run_threads, "T",
             "Threads to run on; an ONNX file is compiled for as many (default: all cores)", 1, kMaxThreads);
  add_number(*command, "--repeat", o->repeat, "N", "Runs that are timed (default: 20)", 1, 1 << 24);
  add_text(*command, "--json", o->json, "FILE.json", "Write the results: latency_ms, overhead_ms, peak_gflops, subgraphs");
  o->flags.add_model_options(*command);
  command->footer(R"(
Inputs are random, seed 0. GFLOP/s count a multiply-add as two; the peak is what a loop of multiply-adds in registers
reaches on this machine, measured beforehand.
Example:
  tlm bench resnet50.tlm --threads 1 --repeat 50 --json resnet50.json)");
  command->callback([o, &context] {
    context.run = [o, &context] {
      o->flags.threads = o->run_threads;
      return run(*o, context);
    };
  });
}

}  // namespace tlm::tools
