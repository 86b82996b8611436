#include <cstdio>

#include "tlm/core/target.h"
#include "tlm/tools/tlm/arguments.h"
#include "tlm/tools/tlm/command.h"

namespace tlm::tools {

void add_target_command(CLI::App& app, CommandContext& context) {
  auto name = std::make_shared<std::string>("native");
  std::string names;
  for (const std::string& n : target_names()) names += (names.empty() ? "" : ", ") + n;
  CLI::App* command = app.add_subcommand("target", "Print a target as JSON: what schedules and code may know of the hardware");
  add_text(*command, "NAME", *name, "", "One of: " + names + "; or a JSON file, which is checked (default: native)");
  command->footer(R"(
Example: a machine like x86-64-v3, with other caches
  tlm target x86-64-v3 > mine.json     and edit the numbers
  tlm compile net.onnx -o net.tlm --target mine.json)");
  command->callback([name, &context] {
    context.run = [name] {
      std::fputs(target_json(load_target(*name)).c_str(), stdout);
      return 0;
    };
  });
}

}  // namespace tlm::tools
