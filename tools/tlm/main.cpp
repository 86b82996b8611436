// tlm: compiles neural networks and runs them. `tlm --help` teaches.
#include <csignal>
#include <cstdio>
#include <exception>
#include <new>

#include <CLI/CLI.hpp>

#include "tlm/core/error.h"
#include "tlm/core/version.h"
#include "tlm/tools/tlm/command.h"

namespace {

tlm::CancelToken* g_cancel = nullptr;  // for the signal handler

extern "C" void on_signal(int) { g_cancel->cancel(); }

void install_signal_handlers(tlm::CancelToken& cancel) {
  g_cancel = &cancel;
  struct sigaction action {};
  action.sa_handler = on_signal;
  action.sa_flags = SA_RESETHAND;  // a second signal ends the process at once
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
}

constexpr char kExamples[] = R"(
Examples:
  tlm zoo resnet50 -o resnet50.onnx          make a network with seeded weights
  tlm compile resnet50.onnx -o resnet50.tlm  compile it for this machine
  tlm run resnet50.tlm                       run it on random input
  tlm bench resnet50.tlm                     latency, and a table of its subgraphs
  tlm inspect resnet50.onnx --subgraph 3     stages, decisions and size of the space of a subgraph

Exit codes: 0 ok, 1 mismatch, 2 usage, 3 bad model or package, 4 unsupported, 5 environment (files, compiler, CPU),
70 a bug in tlm, 130 interrupted. Results go to stdout; progress, logs and errors to stderr.)";

int guarded(const std::function<int()>& run) {
  try {
    return run();
  } catch (const tlm::InternalError& e) {
    std::fprintf(stderr, "tlm: this is a bug in tlm, please report it: %s\n", e.what());
    return static_cast<int>(e.code());
  } catch (const tlm::Error& e) {
    std::fprintf(stderr, "tlm: error: %s\n", e.what());
    return static_cast<int>(e.code());
  } catch (const std::bad_alloc&) {
    std::fprintf(stderr, "tlm: error: out of memory\n");
    return static_cast<int>(tlm::ErrorCode::kEnvironment);
  } catch (const std::exception& e) {
    std::fprintf(stderr, "tlm: this is a bug in tlm, please report it: %s\n", e.what());
    return static_cast<int>(tlm::ErrorCode::kInternal);
  }
}

}  // namespace

int main(int argc, char** argv) {
  tlm::tools::CommandContext context;
  install_signal_handlers(context.cancel);

  CLI::App app{"tlm compiles neural networks (ONNX) into packages and runs them."};
  app.footer(kExamples);
  app.require_subcommand(0, 1);
  app.get_formatter()->column_width(36);
  bool version = false, json = false;
  app.add_flag("--version", version, "Print the version (with --json: as JSON)");
  app.add_flag("--json", json, "With --version: print it as JSON")->group("");
  bool verbose = false;
  app.add_flag("-v,--verbose", verbose, "Say more about what is done");

  using namespace tlm::tools;
  add_zoo_command(app, context);
  add_target_command(app, context);
  add_inspect_command(app, context);
  add_compile_command(app, context);
  add_run_command(app, context);
  add_verify_command(app, context);
  add_bench_command(app, context);
  add_conformance_command(app, context);
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& e) {
    return app.exit(e);
  } catch (const CLI::ParseError& e) {
    app.exit(e);
    return static_cast<int>(tlm::ErrorCode::kUsage);
  }
  if (verbose) context.log = tlm::Log(tlm::stderr_log_sink(), tlm::LogLevel::kDebug);
  if (version) {
    std::printf(json ? "{\"name\":\"tlm\",\"version\":\"%s\"}\n" : "tlm %s\n", tlm::kEngineVersion);
    return 0;
  }
  if (!context.run) {
    std::fputs(app.help().c_str(), stderr);
    return static_cast<int>(tlm::ErrorCode::kUsage);
  }
  const int code = guarded(context.run);
  if (std::fflush(stdout) != 0 || std::ferror(stdout)) {
    std::fprintf(stderr, "tlm: error: cannot write to standard output\n");
    return code != 0 ? code : static_cast<int>(tlm::ErrorCode::kEnvironment);
  }
  return code;
}
