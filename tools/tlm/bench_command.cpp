#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <map>

#include <nlohmann/json.hpp>

#include "tlm/codegen/random_tensor.h"
#include "tlm/core/error.h"
#include "tlm/core/file.h"
#include "tlm/core/hash.h"
#include "tlm/core/median.h"
#include "tlm/kernels/cpu/fma_peak.h"
#include "tlm/kernels/cpu/memory_stream.h"
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
  bool steps = false;
  EngineFlags flags;
};

// Steps with the same workload are one row.
struct Row {
  std::string name;
  int count = 0;
  double flops = 0, bytes = 0;  // of one step
  std::vector<double> ms;       // summed over the steps, one for each run
};

struct Bench {
  std::vector<double> total_ms, overhead_ms, overhead_part;  // one for each run
  std::vector<Row> rows;
  std::vector<std::vector<double>> step_ms;  // step → runs
};

// What the machine can do with the session's threads, measured.
struct Machine {
  double peak_gflops = 0, stream_gbps = 0;

  // The shortest time of so much work.
  double roofline_ms(double flops, double bytes) const { return std::max(flops / peak_gflops, bytes / stream_gbps) * 1e-6; }
};

Machine measure_machine(const runtime::Session& session) {
  const runtime::Package& package = session.package();
  size_t bytes = session.arena_bytes() + package.weights().size();
  for (size_t i = 0; i < package.manifest().inputs.size(); ++i) bytes += session.input_bytes(static_cast<int>(i));
  for (size_t i = 0; i < package.manifest().outputs.size(); ++i) bytes += session.output_bytes(static_cast<int>(i));
  // Many short rounds: on a machine with other work some of them run alone.
  return {kernels::measure_peak_gflops(session.threads(), 10, 4), kernels::measure_stream_gbps(session.threads(), bytes, 10, 4)};
}

Bench measure(runtime::Session& session, int repeat, const CancelToken& cancel) {
  const auto& steps = session.package().variant().steps;
  Bench bench;
  std::map<std::pair<uint64_t, std::string>, size_t> row_of;
  std::vector<size_t> step_row;
  for (const runtime::StepDesc& s : steps) {
    const auto [it, fresh] = row_of.try_emplace({s.workload, s.workload ? "" : s.name}, bench.rows.size());
    if (fresh) bench.rows.push_back({s.name, 0, s.flops, s.bytes, {}});
    bench.rows[it->second].count++;
    step_row.push_back(it->second);
  }
  bench.step_ms.resize(steps.size());
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
    bench.overhead_part.push_back(profile.overhead_ms / std::max(profile.total_ms, 1e-9));
    std::vector<double> sums(bench.rows.size(), 0);
    for (size_t s = 0; s < steps.size(); ++s) sums[step_row[s]] += profile.step_ms[s];
    for (size_t s = 0; s < steps.size(); ++s) bench.step_ms[s].push_back(profile.step_ms[s]);
    for (size_t k = 0; k < sums.size(); ++k) bench.rows[k].ms.push_back(sums[k]);
  }
  return bench;
}

void print_steps(const std::vector<runtime::StepDesc>& steps, const Bench& bench) {
  std::vector<std::vector<std::string>> table = {{"step", "name", "ms", "sum"}};
  double sum = 0;
  for (size_t s = 0; s < steps.size(); ++s) {
    const double ms = median(bench.step_ms[s]);
    sum += ms;
    table.push_back({std::to_string(s), steps[s].name, number(ms), number(sum)});
  }
  std::fputs(table_text(table, "rl").c_str(), stdout);
  std::printf("(ms: medians; sum: with all steps before)\n\n");
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

  Machine machine = measure_machine(session);
  const Bench bench = measure(session, o.repeat, context.cancel);
  const Machine after = measure_machine(session);
  machine = {std::max(machine.peak_gflops, after.peak_gflops), std::max(machine.stream_gbps, after.stream_gbps)};
  const double minimum = *std::min_element(bench.total_ms.begin(), bench.total_ms.end());

  nlohmann::ordered_json j;
  j["model"] = package->manifest().model_name;
  j["threads"] = session.threads();
  j["latency_ms"] = {{"min", minimum}, {"median", median(bench.total_ms)}};
  j["overhead_ms"] = median(bench.overhead_ms);
  j["overhead_fraction"] = median(bench.overhead_part);
  j["peak_gflops"] = machine.peak_gflops;
  j["stream_gbps"] = machine.stream_gbps;
  j["subgraphs"] = nlohmann::ordered_json::array();
  std::vector<std::vector<std::string>> table = {
      {"subgraph", "count", "Mflop", "MB", "ms", "GFLOP/s", "% of peak", "GB/s", "bound by", "% of roofline"}};
  double all_flops = 0, all_bytes = 0, all_ms = 0, all_roofline = 0;
  int all_count = 0;
  const auto add_line = [&](const std::string& name, int count, double flops, double bytes, double ms, double roofline,
                            const std::string& bound) {
    const double per_second = ms > 0 ? 1e-6 / ms : 0;
    table.push_back({name, std::to_string(count), number(flops * 1e-6), bytes > 0 ? number(bytes * 1e-6) : "", number(ms),
                     fixed(flops * per_second, 1), fixed(100 * flops * per_second / machine.peak_gflops, 1),
                     bytes > 0 ? fixed(bytes * per_second, 1) : "", bound, fixed(ms > 0 ? 100 * roofline / ms : 0, 1)});
  };
  for (const Row& row : bench.rows) {
    const double ms = median(row.ms), flops = row.flops * row.count, bytes = row.bytes * row.count;
    const double roofline = machine.roofline_ms(flops, bytes);
    const bool compute = flops / machine.peak_gflops >= bytes / machine.stream_gbps;
    add_line(row.name, row.count, flops, bytes, ms, roofline, compute ? "compute" : "memory");
    const double gflops = ms > 0 ? flops / ms * 1e-6 : 0;
    j["subgraphs"].push_back({{"name", row.name},
                              {"count", row.count},
                              {"flops", row.flops},
                              {"bytes", row.bytes},
                              {"ms", ms},
                              {"min_ms", *std::min_element(row.ms.begin(), row.ms.end())},
                              {"gflops", gflops},
                              {"peak_fraction", gflops / machine.peak_gflops},
                              {"gbps", ms > 0 ? bytes / ms * 1e-6 : 0},
                              {"bound", compute ? "compute" : "memory"},
                              {"roofline_fraction", ms > 0 ? roofline / ms : 0}});
    all_flops += flops, all_bytes += bytes, all_ms += ms, all_roofline += roofline, all_count += row.count;
  }
  j["steps"] = nlohmann::ordered_json::array();
  const auto& steps = package->variant().steps;
  for (size_t s = 0; s < steps.size(); ++s)
    j["steps"].push_back({{"name", steps[s].name}, {"workload", to_hex(steps[s].workload)}, {"ms", median(bench.step_ms[s])}});
  add_line("all", all_count, all_flops, all_bytes, all_ms, all_roofline, "");
  std::fputs(table_text(table).c_str(), stdout);
  std::printf("(Mflop, MB, ms: of one run, summed over a subgraph's uses; medians)\n\n");
  if (o.steps) print_steps(steps, bench);
  std::printf("latency         min %s ms, median %s ms (%d runs on %d thread%s)\n", number(minimum).c_str(),
              number(median(bench.total_ms)).c_str(), o.repeat, session.threads(), session.threads() == 1 ? "" : "s");
  std::printf("outside kernels %s ms, %s %% of a run\n", number(median(bench.overhead_ms)).c_str(),
              fixed(100 * median(bench.overhead_part), 2).c_str());
  std::printf("machine         %s GFLOP/s peak, %s GB/s stream, measured on as many threads\n",
              fixed(machine.peak_gflops, 1).c_str(), fixed(machine.stream_gbps, 1).c_str());
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
  add_text(*command, "--json", o->json, "FILE.json", "Write the results: latency, overhead, peak, stream, subgraphs, steps");
  command->add_flag("--steps", o->steps, "Show the time of each step as well, in order");
  o->flags.add_model_options(*command);
  command->footer(R"(
Inputs are random, seed 0. GFLOP/s count a multiply-add as two; the peak is what a loop of multiply-adds in registers
reaches on this machine with as many threads. GB/s count inputs, outputs and constants once; the stream runs
over as much memory as the session has. The roofline is the least time that both allow.
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
