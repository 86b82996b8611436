#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <mutex>
#include <thread>

#include <nlohmann/json.hpp>

#include "tlm/codegen/build/process.h"
#include "tlm/codegen/build/run_jobs.h"
#include "tlm/core/error.h"
#include "tlm/core/file.h"
#include "tlm/tools/tlm/arguments.h"
#include "tlm/tools/tlm/command.h"
#include "tlm/tools/tlm/compare.h"
#include "tlm/tools/tlm/data_set.h"
#include "tlm/tools/tlm/engine_flags.h"
#include "tlm/tools/tlm/output_files.h"
#include "tlm/tools/tlm/table.h"

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

namespace tlm::tools {
namespace {

constexpr double kCaseDeadline = 120;  // seconds
constexpr char kMarker[] = "tlm-case:";

struct Options {
  std::string folder, json;
  int jobs = 0;
  bool one_case = false;  // `folder` is one case; internal: each case runs in a process of its own
  EngineFlags flags;
};

struct CaseResult {
  std::string name, status, reason, via;  // status: passed, wrong, unsupported, error
};

// How the model was carried out, for passed cases.
std::string via(const runtime::VariantDesc& v) {
  bool generated = false, call = false;
  for (const runtime::StepDesc& s : v.steps) (s.call.empty() ? generated : call) = true;
  return call ? "runtime_call" : generated ? "generated" : "folded";
}

// Runs every test_data_set_* of a case as a compiled package.
CaseResult run_case(const fs::path& folder, const EngineFlags& flags, const CommandContext& context) {
  CaseResult r{folder.filename().string(), "error", "", ""};
  try {
    const Engine engine(flags.engine_options(context, nullptr));
    std::vector<fs::path> sets;
    for (const auto& entry : fs::directory_iterator(folder))
      if (entry.is_directory() && entry.path().filename().string().starts_with("test_data_set_")) sets.push_back(entry.path());
    std::sort(sets.begin(), sets.end());
    if (sets.empty()) throw Error(ErrorCode::kBadModel, "the case has no test_data_set_N", folder.string());
    for (const fs::path& set : sets) {
      std::vector<NamedTensor> inputs, outputs;
      try {
        inputs = read_data_files(set, "input");
        outputs = read_data_files(set, "output");
      } catch (const Error&) {
        // Data that is no tensor (sequences, optional values, strings) belongs to a model that is refused for its types.
        engine.import(folder / "model.onnx", flags.onnx_options());
        throw;
      }
      const ir::Graph g = import_with_data(engine, folder / "model.onnx", flags.onnx_options(), inputs);
      const auto package = engine.load(engine.compile(g));
      runtime::Session session(package);
      set_inputs(session, inputs, unread_inputs(g));
      for (size_t i = 0; i < package->manifest().outputs.size(); ++i) session.output(static_cast<int>(i));
      session.run_or_throw();
      for (size_t i = 0; i < package->manifest().outputs.size(); ++i) {
        if (i >= outputs.size()) throw Error(ErrorCode::kBadModel, "the data has no output_" + std::to_string(i) + ".pb");
        const Tensor actual = get_output(session, static_cast<int>(i));
        // The expected bfloat16 values are truncated where ours are rounded: one unit in the last of their 8 bits.
        const double relative = actual.dtype() == DType::kBF16 ? 0x1p-7 : 1e-3;
        const Comparison c = compare(actual, as_declared(outputs[i].tensor, actual.dtype()), {relative, 0, 1e-7});
        if (!c.ok) {
          r.status = "wrong";
          r.reason = package->manifest().outputs[i].name + ": " + c.reason;
          return r;
        }
      }
      r.via = via(package->variant());
    }
    r.status = "passed";
  } catch (const Error& e) {
    if (e.code() == ErrorCode::kInterrupted) throw;
    r.status = e.code() == ErrorCode::kUnsupported ? "unsupported" : "error";
    r.reason = e.what();
    r.via = "";
  } catch (const std::exception& e) {
    r.reason = e.what();
    r.via = "";
  }
  return r;
}

CaseResult run_case_in_process(const fs::path& folder, const Options& o, const CommandContext& context) {
  std::vector<std::string> argv = {fs::read_symlink("/proc/self/exe").string(),
                                   "conformance",
                                   folder.string(),
                                   "--one-case",
                                   "--jobs",
                                   "1",
                                   "--target",
                                   o.flags.target,
                                   "--scheduler",
                                   o.flags.scheduler,
                                   "--seed",
                                   std::to_string(o.flags.seed)};
  if (o.flags.no_cache) argv.push_back("--no-cache");
  codegen::ProcessOptions options;
  options.deadline_s = kCaseDeadline;
  options.cancel = context.cancel;
  options.grace_s = 5;  // for removing its temporary files
  const codegen::ProcessResult p = codegen::run_process(argv, "", options);
  context.cancel.check();
  CaseResult r{folder.filename().string(), "error", "", ""};
  const size_t at = p.output.rfind(kMarker);
  if (p.timed_out) {
    r.reason = "no answer within " + std::to_string(static_cast<int>(kCaseDeadline)) + " s";
  } else if (at == std::string::npos || p.exit_code != 0) {
    r.reason = "the process ended with code " + std::to_string(p.exit_code) + ": " + p.output.substr(0, 500);
  } else {
    const Json j = Json::parse(p.output.substr(at + sizeof kMarker - 1));
    r.status = j["status"], r.reason = j["reason"], r.via = j["via"];
  }
  return r;
}

int run_one(const Options& o, const CommandContext& context) {
  const CaseResult r = run_case(o.folder, o.flags, context);
  std::printf("%s%s\n", kMarker,
              Json{{"status", r.status}, {"reason", r.reason}, {"via", r.via}}
                  .dump(-1, ' ', false, Json::error_handler_t::replace)
                  .c_str());
  return 0;
}

int run(const Options& o, const CommandContext& context) {
  std::vector<fs::path> cases;
  for (const auto& entry : fs::directory_iterator(o.folder))
    if (fs::exists(entry.path() / "model.onnx")) cases.push_back(entry.path());
  std::sort(cases.begin(), cases.end());
  if (cases.empty()) throw Error(ErrorCode::kUsage, "no CASE/model.onnx below this folder", o.folder);
  check_output_files({{"--json", o.json}}, {});
  const int jobs = o.jobs > 0 ? o.jobs : std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  std::vector<CaseResult> results(cases.size());
  ConsoleProgress console;
  {
    ProgressTask progress(console, "conformance", static_cast<int64_t>(cases.size()));
    codegen::run_jobs(jobs, static_cast<int>(cases.size()), [&](int i) {
      const auto k = static_cast<size_t>(i);
      results[k] = run_case_in_process(cases[k], o, context);
      progress.advance(1, results[k].name);
    });
  }
  std::map<std::string, int> count, via;
  Json list = Json::array();
  for (const CaseResult& r : results) {
    ++count[r.status];
    if (r.status == "passed") ++via[r.via];
    if (r.status == "wrong" || r.status == "error")
      std::printf("%s %s: %s\n", r.status.c_str(), printable(r.name).c_str(), printable(r.reason, true).c_str());
    list.push_back({{"name", r.name}, {"status", r.status}, {"reason", r.reason}, {"via", r.via}});
  }
  std::printf("%d passed (%d generated, %d runtime call, %d folded), %d wrong, %d unsupported, %d error, of %zu\n",
              count["passed"], via["generated"], via["runtime_call"], via["folded"], count["wrong"], count["unsupported"],
              count["error"], cases.size());
  Json j = {{"passed", count["passed"]},
            {"wrong", count["wrong"]},
            {"unsupported", count["unsupported"]},
            {"error", count["error"]},
            {"via", {{"generated", via["generated"]}, {"runtime_call", via["runtime_call"]}, {"folded", via["folded"]}}},
            {"cases", std::move(list)}};
  if (!o.json.empty()) write_file_atomic(o.json, j.dump(2, ' ', false, Json::error_handler_t::replace) + "\n");
  return count["wrong"] + count["error"] == 0 ? 0 : static_cast<int>(ErrorCode::kMismatch);
}

}  // namespace

void add_conformance_command(CLI::App& app, CommandContext& context) {
  auto o = std::make_shared<Options>();
  CLI::App* command =
      app.add_subcommand("conformance", "Run every case of a folder in the ONNX backend-test layout as a compiled package");
  add_text(*command, "DIR", o->folder, "", "Folder of CASE/model.onnx with CASE/test_data_set_N/")
      ->required()
      ->check(CLI::ExistingDirectory);
  add_text(*command, "--json", o->json, "FILE.json", "Write the results: passed, wrong, unsupported, error, via, cases");
  add_number(*command, "--jobs", o->jobs, "J", "Cases at once, each in a process of its own (default: all cores)", 1, kMaxJobs);
  add_text(*command, "--target", o->flags.target, "NAME|FILE.json", "Target to compile for (default: native)");
  add_text(*command, "--scheduler", o->flags.scheduler, "NAME", "Who chooses the schedules (default: default)");
  add_number(*command, "--seed", o->flags.seed, "S", "Seed of a scheduler that draws (default: 0)");
  command->add_flag("--no-cache", o->flags.no_cache, "Compile everything anew and keep nothing for the next time");
  command->footer(R"(
passed: outputs agree with the data (1e-3 relative); wrong: they do not; unsupported: a refusal that names operator and opset;
error: anything else. Exit code 1 when a case is wrong or in error.
Example (Debian's libonnx-testdata):
  tlm conformance /usr/share/libonnx-testdata/data/node --json node.json)");
  command->add_flag("--one-case", o->one_case)->group("");
  command->callback([o, &context] {
    context.run = [o, &context] {
      if (!o->one_case) return run(*o, context);
      o->flags.jobs = 1;
      return run_one(*o, context);
    };
  });
}

}  // namespace tlm::tools
