#include "tlm/ir/onnx/onnx_writer.h"
#include "tlm/tools/tlm/arguments.h"
#include "tlm/tools/tlm/command.h"
#include "tlm/tools/zoo/zoo.h"

namespace tlm::tools {

void add_zoo_command(CLI::App& app, CommandContext& context) {
  struct Options {
    std::string name, out;
    int batch = 1;
    uint64_t seed = 0;
  };
  auto o = std::make_shared<Options>();
  std::string names;
  for (const std::string& n : zoo_names()) names += (names.empty() ? "" : ", ") + n;
  CLI::App* command = app.add_subcommand("zoo", "Write a well-known network with seeded weights as ONNX");
  add_text(*command, "NAME", o->name, "", "One of: " + names)->required();
  add_text(*command, "-o,--output", o->out, "FILE.onnx", "The ONNX file to write")->required();
  add_number(*command, "--batch", o->batch, "N", "Batch size (default: 1)", 1, 1 << 20);
  add_number(*command, "--seed", o->seed, "S", "Seed of the weights: the same seed gives the same bytes everywhere (default: 0)");
  command->footer(R"(
Example:
  tlm zoo resnet50 -o resnet50.onnx --batch 8)");
  command->callback([o, &context] {
    context.run = [o, &context] {
      const ir::Graph g = make_zoo(o->name, o->batch, o->seed);
      context.cancel.check();
      ir::write_onnx(g, o->out);
      return 0;
    };
  });
}

}  // namespace tlm::tools
