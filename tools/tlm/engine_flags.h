// Options that commands share: how a model is read and compiled.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "tlm/tools/engine/engine.h"
#include "tlm/tools/tlm/command.h"

namespace tlm::tools {

struct EngineFlags {
  std::string target = "native";
  int threads = 0;
  int jobs = 0;
  std::string scheduler = "default";
  std::string lm_model, decode;
  uint64_t seed = 0;
  std::string numerics = "fast";
  std::string c_compiler;
  bool no_cache = false;
  std::vector<std::string> dims;

  void add_model_options(CLI::App& command);    // what is needed to import a model
  void add_target_options(CLI::App& command);   // … to know its schedule spaces
  void add_lm_options(CLI::App& command);       // … to load and run a language model
  void add_compile_options(CLI::App& command);  // … to choose schedules and generate code

  EngineOptions engine_options(const CommandContext& context, Progress* progress) const;
  ir::OnnxOptions onnx_options() const;
};

bool is_package(const std::filesystem::path& file);  // by its first bytes

// A package file, or a model compiled in memory.
std::shared_ptr<const runtime::Package> open_package(const std::filesystem::path& file, const EngineFlags& flags,
                                                     const CommandContext& context);

}  // namespace tlm::tools
