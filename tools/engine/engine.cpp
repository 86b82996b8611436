#include "tlm/tools/engine/engine.h"

#include <optional>
#include <thread>

#include "tlm/codegen/package_writer.h"
#include "tlm/core/error.h"
#include "tlm/core/stopwatch.h"
#include "tlm/ir/passes/pass_list.h"

namespace tlm {

Engine::Engine(EngineOptions options) : options_(std::move(options)) {
  if (options_.jobs <= 0) options_.jobs = std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  options_.scheduler = resolved_scheduler(options_);
  if (options_.scheduler != "lm") return;
  const Stopwatch time;
  options_.lm.strategies.make(resolved_decode(options_.lm, 1));  // refused here rather than after the import
  options_.lm.loaded = language_model(options_.lm);
  load_ms_ = time.ms();
}

ir::Graph Engine::import(const std::filesystem::path& onnx, const ir::OnnxOptions& options) const {
  Stopwatch since_lap;
  const auto lap = [&](const std::string& step) {
    if (options_.time) options_.time(step, since_lap.ms());
    since_lap = Stopwatch();
  };
  ir::Graph g = ir::read_onnx(onnx, options);
  lap("read");
  if (options_.dump) options_.dump("graph", "after read\n" + ir::print(g));
  options_.cancel.check();
  ir::run_graph_passes(g, [&](const std::string& pass, const ir::Graph& now) {
    lap("pass " + pass);
    options_.cancel.check();
    options_.log.debug("graph pass " + pass);
    if (options_.dump) options_.dump("graph", "after " + pass + "\n" + ir::print(now));
  });
  return g;
}

ModelSearch Engine::search(const ir::Graph& g, const std::map<uint64_t, space::Schedule>& given) const {
  lm_use_.reset();
  ModelSearch found = search_model(g, given, options_, lm_use_);
  if (lm_use_) lm_use_->load_ms = load_ms_;
  if (options_.time) options_.time("search", 1000 * found.seconds);
  return found;
}

codegen::CompiledModel Engine::compile(const ir::Graph& g, std::map<uint64_t, space::Schedule> schedules,
                                       bool check_errors) const {
  lm_use_.reset();
  if (options_.measures()) {
    for (auto& [hash, found] : search(g, schedules).workloads) schedules[hash] = std::move(found.schedule);
  }
  std::optional<codegen::BinaryCache> cache;
  if (!options_.cache.empty()) cache.emplace(options_.cache);
  codegen::CompileOptions options;
  options.target = options_.target;
  options.jobs = options_.jobs;
  options.c_compiler = options_.c_compiler;
  options.cache = cache ? &*cache : nullptr;
  options.schedules = std::move(schedules);
  options.check_errors = check_errors;
  options.cancel = options_.cancel;
  options.progress = options_.progress;
  options.dump = options_.dump;
  const auto scheduler = make_scheduler(options_);
  codegen::CompiledModel model = codegen::compile(g, *scheduler, options);
  if (auto use = tlm::lm_use(*scheduler, resolved_decode(options_.lm, 1)); use && use->report.workloads > 0) {
    lm_use_ = std::move(use);
    lm_use_->load_ms = load_ms_;
  }
  if (options_.time) {
    options_.time("schedule", model.report.schedule_ms);
    options_.time("lower and print", model.report.codegen_ms);
    options_.time("compile C", model.report.compile_ms);
    options_.time("check", model.report.check_ms);
  }
  return model;
}

std::shared_ptr<const runtime::Package> Engine::load(const codegen::CompiledModel& model) const {
  auto bytes = std::make_shared<const std::vector<std::byte>>(codegen::package_bytes(model));
  return runtime::Package::load_memory(*bytes, bytes);
}

std::shared_ptr<const runtime::Package> Engine::compile_file(const std::filesystem::path& onnx,
                                                             const ir::OnnxOptions& options) const {
  return load(compile(import(onnx, options)));
}

}  // namespace tlm
