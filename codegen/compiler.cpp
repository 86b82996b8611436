#include "tlm/codegen/compiler.h"

#include "tlm/codegen/buffer_binding.h"
#include "tlm/codegen/build/compile_c.h"
#include "tlm/codegen/build/run_jobs.h"
#include "tlm/codegen/check_workload.h"
#include "tlm/codegen/lower/lower.h"
#include "tlm/codegen/source/source_c.h"
#include "tlm/codegen/workloads.h"
#include "tlm/core/error.h"
#include "tlm/core/runtime/runtime_calls.h"
#include "tlm/core/stopwatch.h"
#include "tlm/core/version.h"
#include "tlm/space/language/sentence.h"

namespace tlm::codegen {
namespace {

// Kernels in one translation unit: few enough that several compilers can share the work, many enough to amortise a process.
constexpr size_t kKernelsPerUnit = 4;

class Compilation {
 public:
  Compilation(const ir::Graph& g, space::Scheduler& scheduler, const CompileOptions& options)
      : g_(g), scheduler_(scheduler), options_(options) {
    if (options.target.device != DeviceKind::kCpu)
      throw Error(ErrorCode::kUnsupported, "packages for GPU targets cannot be made yet", options.target.name,
                  "choose a CPU target; `tlm compile --explain` prints CUDA source");
  }

  CompiledModel run() {
    const Stopwatch total;
    partition_ = ir::partition(g_);
    workloads_ = distinct_workloads(partition_, workload_of_);
    const Stopwatch schedule_time;
    choose_schedules();
    model_.report.schedule_ms = schedule_time.ms();
    const Stopwatch codegen_time;
    lower_workloads();
    const std::vector<std::string> units = write_sources();
    model_.report.codegen_ms = codegen_time.ms();
    const Stopwatch compile_time;
    if (!workloads_.empty()) build(units);
    model_.report.compile_ms = compile_time.ms();
    write_manifest();
    model_.report.total_ms = total.ms();
    const Stopwatch check_time;
    report_workloads();
    model_.report.check_ms = check_time.ms();
    return std::move(model_);
  }

 private:
  Progress& progress() const { return options_.progress && !workloads_.empty() ? *options_.progress : no_progress(); }

  void choose_schedules() {
    ProgressTask task(progress(), "schedule", static_cast<int64_t>(workloads_.size()));
    std::vector<std::shared_ptr<const space::Space>> open;
    std::vector<Workload*> open_workloads;
    for (Workload& w : workloads_) {
      options_.cancel.check();
      w.space = space::Space::build(w.step->subgraph, options_.target);
      const auto given = options_.schedules.find(w.hash);
      if (given == options_.schedules.end()) {
        open.push_back(w.space);
        open_workloads.push_back(&w);
        continue;
      }
      const Result<space::Walk> walk = w.space->replay(given->second);
      if (!walk) throw Error(ErrorCode::kUsage, "the given schedule is not legal: " + walk.reason(), w.step->name);
      w.schedule = walk->schedule();
    }
    if (open.empty()) return;
    options_.cancel.check();
    const auto chosen = scheduler_.schedule(open);
    TLM_CHECK(chosen.size() == open.size());
    task.advance(static_cast<int64_t>(workloads_.size()));
    for (size_t i = 0; i < chosen.size(); ++i) open_workloads[i]->schedule = chosen[i].at(0);
  }

  void lower_workloads() {
    ProgressTask task(progress(), "lower", static_cast<int64_t>(workloads_.size()));
    run_jobs(options_.jobs, static_cast<int>(workloads_.size()), [&](int i) {
      options_.cancel.check();
      Workload& w = workloads_[static_cast<size_t>(i)];
      const space::Walk walk = w.space->replay(w.schedule).value();
      w.program = walk.shared_subgraph();
      w.kernel = lower(*w.program, walk.plan(), options_.target);
      task.advance();
    });
    uint32_t entry = 0;
    for (Workload& w : workloads_) {
      w.first_entry = entry;
      entry += static_cast<uint32_t>(w.kernel.phases.size());
      if (!options_.dump) continue;
      options_.dump("space", w.step->name + "\n" + print(w.schedule) + "\n");
      options_.dump("sentence", space::sentence_text(w.space->replay(w.schedule).value()) + "\n");
      options_.dump("loops", ir::print(w.kernel));
    }
    phase_count_ = entry;
  }

  std::vector<std::string> write_sources() {
    std::vector<std::string> units((workloads_.size() + kKernelsPerUnit - 1) / kKernelsPerUnit);
    run_jobs(options_.jobs, static_cast<int>(units.size()), [&](int u) {
      std::vector<const ir::Kernel*> kernels;
      std::vector<uint32_t> entries;
      const size_t first = static_cast<size_t>(u) * kKernelsPerUnit;
      for (size_t i = first; i < std::min(first + kKernelsPerUnit, workloads_.size()); ++i) {
        kernels.push_back(&workloads_[i].kernel);
        entries.push_back(workloads_[i].first_entry);
      }
      units[static_cast<size_t>(u)] = write_c(kernels, entries, options_.target);
    });
    units.push_back(write_c_module(phase_count_, options_.target));
    if (options_.dump)
      for (const std::string& unit : units) options_.dump("source", unit);
    return units;
  }

  void build(const std::vector<std::string>& units) {
    const CToolchain toolchain = find_c_toolchain(options_.target, options_.c_compiler, options_.cancel);
    BuildOptions build;
    build.jobs = options_.jobs;
    build.cache = options_.cache;
    build.cancel = options_.cancel;
    build.progress = options_.progress;
    model_.code = build_image(units, options_.target, toolchain, build);
    model_.manifest.compiler = toolchain.identity;
  }

  runtime::StepDesc describe_call(const ir::Step& s) const {
    runtime::StepDesc d;
    d.call = s.call;
    for (const ir::ValueId v : s.binding) {
      runtime::TensorDesc t;
      t.present = v.valid();
      if (v.valid()) t.dtype = g_.value(v).dtype, t.shape = g_.value(v).shape;
      d.tensors.push_back(std::move(t));
    }
    for (const runtime::TensorDesc& t : d.tensors)
      if (t.present) d.bytes += static_cast<double>(element_count(t.shape)) * static_cast<double>(dtype_size(t.dtype));
    const ir::Node& node = g_.node(s.nodes.at(0));
    d.call_inputs = static_cast<int>(node.inputs.size());
    for (const auto& [key, value] : s.attrs) add_attribute(d, key, value);
    d.workspace_bytes = runtime::runtime_call_workspace(d.call, d.tensors, d.numbers);
    return d;
  }

  static void add_attribute(runtime::StepDesc& d, const std::string& key, const ir::AttrValue& value) {
    if (const auto* i = std::get_if<int64_t>(&value)) {
      d.numbers[key] = {static_cast<double>(*i)};
    } else if (const auto* f = std::get_if<double>(&value)) {
      d.numbers[key] = {*f};
    } else if (const auto* s = std::get_if<std::string>(&value)) {
      d.strings[key] = *s;
    } else if (const auto* is = std::get_if<std::vector<int64_t>>(&value)) {
      d.numbers[key].assign(is->begin(), is->end());
    } else if (const auto* fs = std::get_if<std::vector<double>>(&value)) {
      d.numbers[key] = *fs;
    } else if (const auto* ss = std::get_if<std::vector<std::string>>(&value)) {
      std::string& joined = d.strings[key];
      for (const std::string& item : *ss) joined += (joined.empty() ? "" : ",") + item;
    }
  }

  runtime::StepDesc describe_kernel(const Workload& w) const {
    runtime::StepDesc d;
    d.workload = w.hash;
    d.flops = ir::flops(w.step->subgraph);
    d.bytes = ir::port_bytes(w.step->subgraph);
    d.workspace_bytes = static_cast<uint64_t>(w.kernel.workspace_bytes);
    d.worker_bytes = static_cast<uint64_t>(w.kernel.worker_bytes);
    for (size_t p = 0; p < w.kernel.phases.size(); ++p)
      d.phases.push_back({w.first_entry + static_cast<uint32_t>(p), w.kernel.phases[p].extent, w.kernel.phases[p].grain});
    return d;
  }

  void write_manifest() {
    runtime::Manifest& m = model_.manifest;
    m.engine_version = kEngineVersion;
    m.model_name = g_.name;
    m.metadata = g_.metadata;
    for (const ir::ValueId v : g_.inputs) m.inputs.push_back({g_.value(v).name, g_.value(v).dtype, g_.value(v).shape});
    for (const ir::ValueId v : g_.outputs) m.outputs.push_back({g_.value(v).name, g_.value(v).dtype, g_.value(v).shape});
    runtime::VariantDesc variant;
    Target nameless = options_.target;  // a name is for people: equal hardware gives equal bytes
    nameless.name.clear();
    variant.target_json = target_json(nameless);
    variant.arch = options_.target.arch;
    variant.features = options_.target.features;
    std::vector<uint64_t> workspace;
    for (size_t s = 0; s < partition_.steps.size(); ++s) {
      const ir::Step& step = partition_.steps[s];
      const bool generated = step.kind == ir::StepKind::kSubgraph;
      variant.steps.push_back(generated ? describe_kernel(workloads_[static_cast<size_t>(workload_of_[s])])
                                        : describe_call(step));
      variant.steps.back().name = step.name;
      workspace.push_back(variant.steps.back().workspace_bytes);
      ++(generated ? model_.report.subgraphs : model_.report.runtime_calls);
    }
    BufferBinding binding = bind_buffers(g_, partition_, workloads_, workload_of_, workspace);
    for (size_t s = 0; s < variant.steps.size(); ++s) {
      variant.steps[s].args = std::move(binding.args[s]);
      variant.steps[s].workspace_offset = binding.workspace_offsets[s];
    }
    variant.arena_bytes = binding.arena_bytes;
    model_.weights = std::move(binding.weights);
    model_.weights_bytes = binding.weights_bytes;
    m.variants.push_back(std::move(variant));
  }

  void report_workloads() {
    ProgressTask task(options_.check_errors ? progress() : no_progress(), "check", static_cast<int64_t>(workloads_.size()));
    for (size_t i = 0; i < workloads_.size(); ++i) {
      const Workload& w = workloads_[i];
      WorkloadReport r{w.hash, w.step->name, w.count, ir::flops(w.step->subgraph), w.schedule, std::nullopt};
      if (options_.check_errors && missing_features(options_.target.features).empty()) {
        options_.cancel.check();
        r.max_error = check_workload(w, model_.code).max_error;
      }
      model_.report.workloads.push_back(std::move(r));
      task.advance();
    }
  }

  const ir::Graph& g_;
  space::Scheduler& scheduler_;
  const CompileOptions& options_;
  ir::Partition partition_;
  std::vector<Workload> workloads_;
  std::vector<int> workload_of_;
  uint32_t phase_count_ = 0;
  CompiledModel model_;
};

}  // namespace

CompiledModel compile(const ir::Graph& g, space::Scheduler& scheduler, const CompileOptions& options) {
  return Compilation(g, scheduler, options).run();
}

}  // namespace tlm::codegen
