// The subcommands of the command line: each adds itself, its options and what it does.
#pragma once

#include <functional>
#include <string>

#include "tlm/core/cancel.h"
#include "tlm/core/log.h"

namespace CLI {
class App;
}

namespace tlm::tools {

// What every command is given.
struct CommandContext {
  CancelToken cancel;  // set by SIGINT and SIGTERM
  Log log;
  std::function<int()> run;  // the chosen command, set while the arguments are read; returns the exit code
};

void add_zoo_command(CLI::App& app, CommandContext& context);
void add_target_command(CLI::App& app, CommandContext& context);
void add_inspect_command(CLI::App& app, CommandContext& context);
void add_compile_command(CLI::App& app, CommandContext& context);
void add_run_command(CLI::App& app, CommandContext& context);
void add_verify_command(CLI::App& app, CommandContext& context);
void add_bench_command(CLI::App& app, CommandContext& context);
void add_records_command(CLI::App& app, CommandContext& context);
void add_train_command(CLI::App& app, CommandContext& context);
void add_conformance_command(CLI::App& app, CommandContext& context);
void add_collect_command(CLI::App& app, CommandContext& context);
void add_workloads_command(CLI::App& app, CommandContext& context);
void add_decode_command(CLI::App& app, CommandContext& context);
void add_eval_command(CLI::App& app, CommandContext& context);

}  // namespace tlm::tools
