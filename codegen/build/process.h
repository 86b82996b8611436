// Runs a program with an argument vector: never through a shell, with a deadline and a way to stop it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tlm/core/cancel.h"

namespace tlm::codegen {

struct ProcessResult {
  int exit_code = 0;        // 128 + signal when killed by one
  bool timed_out = false;
  bool cancelled = false;
  std::string output;       // stdout and stderr, at most 1 MiB
};

struct ProcessOptions {
  double deadline_s = 120;
  CancelToken cancel;   // looked at about every 20 ms
  double grace_s = 0;   // > 0: on deadline and cancel SIGTERM comes first, SIGKILL so much later
  std::vector<std::string> environment;  // "NAME=value": added to this process's, or in place of its value
};

// argv[0] is searched in PATH. `input` becomes its standard input. The child is the leader of its own process group, which is
// killed whole on deadline and cancel. Throws Error(kEnvironment) when it cannot be started.
ProcessResult run_process(const std::vector<std::string>& argv, std::string_view input, const ProcessOptions& options = {});

// Absolute path of an executable in PATH (or `name` itself if it holds a '/'); empty: not found.
std::string find_program(const std::string& name);

}  // namespace tlm::codegen
