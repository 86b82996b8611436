#include <cstdio>

#include <CLI/CLI.hpp>

#include "tlm/core/target.h"
#include "tlm/tools/tlm/command.h"

namespace tlm::tools {

void add_target_command(CLI::App& app, CommandContext& context) {
  auto name = std::make_shared<std::string>("native");
  std::string names;
  for (const std::string& n : target_names()) names += (names.empty() ? "" : ", ") + n;
  CLI::App* command = app.add_subcommand("target", "Print a target as JSON: what schedules and code may know of the hardware");
  command->add_option("NAME", *name, "One of: " + names + "; or a JSON file (default: native)");
  command->callback([name, &context] {
    context.run = [name] {
      std::printf("%s\n", target_json(load_target(*name)).c_str());
      return 0;
    };
  });
}

}  // namespace tlm::tools
