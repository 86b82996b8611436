// tlm: compiles neural networks and runs them. `tlm --help` teaches.
#include <cstdio>
#include <exception>
#include <filesystem>
#include <new>

#include "tlm/core/error.h"
#include "tlm/core/version.h"
#include "tlm/tools/tlm/arguments.h"
#include "tlm/tools/tlm/command.h"
#include "tlm/tools/tlm/signals.h"
#include "tlm/tools/tlm/table.h"

namespace {

constexpr char kFooter[] = R"(
From nothing to a running network:
  tlm zoo resnet50 -o resnet50.onnx          make a network with seeded weights
  tlm compile resnet50.onnx -o resnet50.tlm  compile it for this machine
  tlm run resnet50.tlm                       run it on random input
  tlm bench resnet50.tlm                     latency, and a table of its subgraphs

`tlm COMMAND --help` explains a command, with examples.

Exit codes: 0 ok, 1 mismatch, 2 usage, 3 bad model or package, 4 unsupported, 5 environment (files, compiler, CPU),
70 a bug in tlm, 130 interrupted. Results go to stdout; progress, logs and errors to stderr.
Environment: TMPDIR (intermediate files), XDG_CACHE_HOME (compiled code is kept in its folder tlm; default ~/.cache),
TLM_DUMP=graph,space,sentence,loops,source (any of them, written to tlm-dump/), TLM_TIME=1 (time of each step on stderr).)";

constexpr int kUsage = static_cast<int>(tlm::ErrorCode::kUsage);
constexpr int kEnvironment = static_cast<int>(tlm::ErrorCode::kEnvironment);

void say_error(const std::string& text) { std::fprintf(stderr, "tlm: error: %s\n", tlm::tools::printable(text, true).c_str()); }
void say_bug(const std::string& text) {
  std::fprintf(stderr, "tlm: internal error: %s\n", tlm::tools::printable(text, true).c_str());
}

int guarded(const std::function<int()>& run) {
  try {
    return run();
  } catch (const tlm::InternalError& e) {
    say_bug(e.what());
    return static_cast<int>(e.code());
  } catch (const tlm::Error& e) {
    if (e.code() == tlm::ErrorCode::kInterrupted) {
      std::fprintf(stderr, "tlm: interrupted\n");
    } else {
      say_error(e.what());
    }
    return static_cast<int>(e.code());
  } catch (const std::filesystem::filesystem_error& e) {
    say_error(e.code().message() + "\n  at: " + e.path1().string());
    return kEnvironment;
  } catch (const std::bad_alloc&) {
    say_error("out of memory");
    return kEnvironment;
  } catch (const std::exception& e) {
    say_bug(std::string(e.what()) + "\n  try: this is a bug in tlm: please report it with the input that shows it");
    return static_cast<int>(tlm::ErrorCode::kInternal);
  }
}

// Everything is on standard output, or the error is told.
int finish(int code) {
  if (tlm::tools::flush_standard_output()) return code;
  say_error("cannot write to standard output");
  return code != 0 ? code : kEnvironment;
}

}  // namespace

int main(int argc, char** argv) {
  using namespace tlm::tools;
  CommandContext context;
  occupy_standard_streams();
  install_signal_handlers(context.cancel);

  CLI::App app{"tlm compiles neural networks (ONNX) into packages and runs them.", "tlm"};
  app.footer(kFooter);
  app.require_subcommand(0, 1);
  app.formatter(std::make_shared<HelpFormatter>());
  app.set_help_flag("-h,--help", "Explain the command and exit");
  bool version = false, json = false, verbose = false;
  app.add_flag("--version", version, "Print the version (with --json: as JSON) and exit");
  app.add_flag("--json", json, "With --version: print it as JSON")->group("");
  app.add_flag("-v,--verbose", verbose, "Say more about what is done (before the command's name)");

  add_zoo_command(app, context);
  add_target_command(app, context);
  add_inspect_command(app, context);
  add_compile_command(app, context);
  add_run_command(app, context);
  add_verify_command(app, context);
  add_bench_command(app, context);
  add_records_command(app, context);
  add_collect_command(app, context);
  add_workloads_command(app, context);
  add_decode_command(app, context);
  add_eval_command(app, context);
  add_train_command(app, context);
  add_conformance_command(app, context);
  for (CLI::App* command : app.get_subcommands(nullptr)) command->group("Commands");
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& e) {
    return finish(app.exit(e));
  } catch (const CLI::ParseError& e) {
    say_error(usage_error_text(app, e));
    return kUsage;
  }
  if (verbose) context.log = tlm::Log(tlm::stderr_log_sink(), tlm::LogLevel::kDebug);
  if (version) {
    std::printf(json ? "{\"name\":\"tlm\",\"version\":\"%s\"}\n" : "tlm %s\n", tlm::kEngineVersion);
    return finish(0);
  }
  if (!context.run) {
    std::fputs(app.help().c_str(), stderr);
    return kUsage;
  }
  return finish(guarded(context.run));
}
