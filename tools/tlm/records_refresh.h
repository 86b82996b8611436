// `tlm records refresh` and `tlm records noise`: the two that measure.
#pragma once

#include <string>

#include "tlm/tools/tlm/command.h"

namespace tlm::tools {

struct RefreshFlags {
  int top = 10;
  bool all = false;
  int programs = 200, occasions = 3;
  int jobs = 0;
  std::string c_compiler;

  void add_refresh_options(CLI::App& command);
  void add_noise_options(CLI::App& command);
};

int refresh_records(const std::string& file, const RefreshFlags& flags, const CommandContext& context);
int records_noise(const std::string& file, const RefreshFlags& flags, const CommandContext& context);

}  // namespace tlm::tools
