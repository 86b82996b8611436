// tlm::engine: compile and run networks in process, with the engine's defaults.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "tlm/codegen/compiler.h"
#include "tlm/core/cancel.h"
#include "tlm/core/log.h"
#include "tlm/core/progress.h"
#include "tlm/core/runtime/package.h"
#include "tlm/core/runtime/session.h"
#include "tlm/core/target.h"
#include "tlm/ir/onnx/onnx_reader.h"
#include "tlm/space/scheduler.h"
#include "tlm/tools/engine/model_search.h"
#include "tlm/tools/engine/schedulers.h"

namespace tlm {

struct EngineOptions {
  Target target = host_target();
  std::string scheduler = "default";  // scheduler_names()
  LmSettings lm;                      // of the scheduler "lm"
  uint64_t seed = 0;                  // of schedulers that draw
  SearchSettings search;              // of schedulers that measure
  int jobs = 0;                       // compile workers; 0: one for each core of this machine
  std::filesystem::path cache;        // folder of compiled objects; empty: none is kept
  std::string c_compiler;             // program; empty: the system's
  Log log;
  CancelToken cancel;
  Progress* progress = nullptr;  // borrowed
  // What a model becomes on its way, as text for people: "graph" after each pass, then for each workload "space" (its schedule),
  // "sentence" and "loops", and "source" for each unit.
  std::function<void(const std::string& name, const std::string& text)> dump;
  std::function<void(const std::string& step, double ms)> time;  // how long each step took

  bool measures() const { return scheduler == "search" || search.measure > 0; }
};

// Engines are independent of one another; one engine may be used by one thread at a time.
class Engine {
 public:
  // Reads the language model's weights if its scheduler is the one chosen. Throws Error, see schedulers.h.
  explicit Engine(EngineOptions options = {});

  // Reads an ONNX file and runs the graph passes. Throws Error.
  ir::Graph import(const std::filesystem::path& onnx, const ir::OnnxOptions& options = {}) const;
  // Chooses schedules by measuring (options().measures()) for the workloads of `g` that `given` lacks.
  ModelSearch search(const ir::Graph& g, const std::map<uint64_t, space::Schedule>& given = {}) const;
  // `g` as import returns it. `schedules` (by workload hash) are replayed instead of asking the scheduler.
  codegen::CompiledModel compile(const ir::Graph& g, std::map<uint64_t, space::Schedule> schedules = {},
                                 bool check_errors = false) const;
  // What the language model did in the last call of search or compile; nothing if it was not asked.
  const std::optional<LmUse>& lm_use() const { return lm_use_; }
  // In process, nothing written.
  std::shared_ptr<const runtime::Package> load(const codegen::CompiledModel& model) const;
  std::shared_ptr<const runtime::Package> compile_file(const std::filesystem::path& onnx,
                                                       const ir::OnnxOptions& options = {}) const;

  // As given, but for the default scheduler, which has its own name, and the model, which is loaded.
  const EngineOptions& options() const { return options_; }

 private:
  EngineOptions options_;
  double load_ms_ = 0;  // of the language model
  mutable std::optional<LmUse> lm_use_;
};

}  // namespace tlm
