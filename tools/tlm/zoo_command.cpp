#include <CLI/CLI.hpp>

#include "tlm/ir/onnx/onnx_writer.h"
#include "tlm/tools/tlm/command.h"
#include "tlm/tools/zoo/zoo.h"

namespace tlm::tools {

void add_zoo_command(CLI::App& app, CommandContext& context) {
  struct Options {
    std::string name, out;
    int64_t batch = 1;
    uint64_t seed = 0;
  };
  auto o = std::make_shared<Options>();
  std::string names;
  for (const std::string& n : zoo_names()) names += (names.empty() ? "" : ", ") + n;
  CLI::App* command = app.add_subcommand("zoo", "Write a well-known network with seeded weights as ONNX");
  command->add_option("NAME", o->name, "One of: " + names)->required();
  command->add_option("-o,--output", o->out, "The ONNX file to write")->required();
  command->add_option("--batch", o->batch, "Batch size")->check(CLI::Range(1, 1 << 20));
  command->add_option("--seed", o->seed, "Seed of the weights");
  command->callback([o, &context] {
    context.run = [o] {
      ir::write_onnx(make_zoo(o->name, o->batch, o->seed), o->out);
      return 0;
    };
  });
}

}  // namespace tlm::tools
