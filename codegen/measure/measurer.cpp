#include "tlm/codegen/measure/measurer.h"

#include <algorithm>
#include <ctime>
#include <map>
#include <random>

#include "tlm/codegen/build/compile_c.h"
#include "tlm/codegen/emitter_version.h"
#include "tlm/codegen/measure/batch_programs.h"
#include "tlm/codegen/measure/probe.h"
#include "tlm/codegen/measure/worker.h"
#include "tlm/codegen/source/c_flags.h"
#include "tlm/core/error.h"
#include "tlm/core/hash.h"
#include "tlm/core/median.h"

namespace tlm::codegen {
namespace {

using space::Measurement;
using space::MeasureStatus;

std::string utc_now() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  gmtime_r(&now, &parts);
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts);
  return text;
}

std::string unique_id() {
  std::random_device device;
  return to_hex(static_cast<uint64_t>(device()) << 32 | device());
}

// One batch on its way through the workers.
class Run {
 public:
  Run(const space::Space& space, const BatchPrograms& batch, const WorkloadData& data, ColdMemory& cold,
      const MeasureOptions& options, const CancelToken& cancel)
      : batch_(batch), options_(options), cancel_(cancel), results_(batch.programs.size()) {
    task_.space = &space;
    task_.batch = &batch;
    task_.data = &data;
    task_.cold = &cold;
    task_.checked.assign(batch.programs.size(), false);
    task_.rounds = options.rounds;
    task_.round_ms = options.round_ms;
    task_.slow_factor = options.slow_factor;
    for (size_t p = 0; p < batch.programs.size(); ++p) {
      results_[p].source_hash = batch.programs[p].source_hash;
      if (batch.programs[p].failure.empty()) {
        task_.programs.push_back(static_cast<int>(p));
      } else {
        condemn(static_cast<int>(p), MeasureStatus::kFailed, batch.programs[p].failure);
      }
    }
  }

  // Times all programs that have not failed so far, from the beginning.
  void time_all() {
    while (!task_.programs.empty()) {
      for (const int p : task_.programs) results_[static_cast<size_t>(p)].samples_ms.clear();
      if (one_worker()) return;
    }
  }

  std::vector<Measurement> take_results() {
    for (const int p : task_.programs) {
      Measurement& m = results_[static_cast<size_t>(p)];
      m.status = static_cast<int>(m.samples_ms.size()) < options_.rounds ? MeasureStatus::kSlow : MeasureStatus::kOk;
      m.median_ms = median(m.samples_ms);
    }
    const double anchor = results_[0].median_ms;
    for (Measurement& m : results_)
      if (m.timed() && anchor > 0) m.ratio = anchor / m.median_ms;
    return std::move(results_);
  }

 private:
  void condemn(int program, MeasureStatus status, const std::string& reason) {
    Measurement& m = results_[static_cast<size_t>(program)];
    m.status = status;
    m.reason = reason;
    m.samples_ms.clear();
    std::erase(task_.programs, program);
    const bool hung = status == MeasureStatus::kTimedOut;  // or only slow beyond measure
    options_.log.write(hung ? LogLevel::kWarning : LogLevel::kError,
                       "a program is " + std::string(space::measure_status_name(status)) + " (" + reason + ")" +
                           (hung ? "" : ", which is a bug in tlm") + ": workload " + to_hex(task_.data->workload_hash) +
                           ", schedule " + print(batch_.programs[static_cast<size_t>(program)].schedule));
  }

  void receive(const WorkerMessage& m) {
    const auto p = static_cast<size_t>(m.program);
    switch (m.event) {
      case WorkerEvent::kBegin: current_ = m.program; break;
      case WorkerEvent::kChecked: task_.checked[p] = true; break;
      case WorkerEvent::kWrong: wrong_.emplace_back(m.program, m.text); break;
      case WorkerEvent::kSample: results_[p].samples_ms.push_back(m.value); break;
      case WorkerEvent::kFailed: failure_ = m.text; break;
      case WorkerEvent::kEnd: break;
    }
  }

  // False: a program ended the worker and is out; the others are to be timed again.
  bool one_worker() {
    current_ = -1;
    wrong_.clear();
    failure_.clear();
    const WorkerTask task = task_;
    const WorkerExit end = run_worker_process([&](const SendMessage& send) { run_worker(task, send); },
                                              [&](const WorkerMessage& m) { receive(m); }, options_.deadline_s, cancel_);
    for (const auto& [program, text] : wrong_) condemn(program, MeasureStatus::kWrong, text);
    if (!failure_.empty()) throw Error(ErrorCode::kEnvironment, "a measuring process gave up: " + failure_);
    if (end.finished) return true;
    const std::string how = end.timed_out
                                ? "no answer within " + std::to_string(static_cast<int>(options_.deadline_s * 1000)) + " ms"
                            : end.signal ? "ended by signal " + std::to_string(end.signal)
                                         : "ended its process with code " + std::to_string(end.exit_code);
    const bool blamed = std::find(task_.programs.begin(), task_.programs.end(), current_) != task_.programs.end();
    if (!blamed) throw Error(ErrorCode::kEnvironment, "a measuring process came to nothing: " + how);
    condemn(current_, end.timed_out ? MeasureStatus::kTimedOut : MeasureStatus::kCrashed, how);
    return false;
  }

  const BatchPrograms& batch_;
  const MeasureOptions& options_;
  const CancelToken& cancel_;
  WorkerTask task_;
  std::vector<Measurement> results_;  // by program
  int current_ = -1;
  std::vector<std::pair<int, std::string>> wrong_;
  std::string failure_;
};

class ProcessMeasurer : public space::Measurer {
 public:
  explicit ProcessMeasurer(MeasureOptions options) : options_(std::move(options)) {
    TLM_CHECK(options_.rounds >= 1 && options_.max_repeats >= 0);
  }

  space::Batch measure(const space::Space& space, const std::vector<space::Schedule>& schedules,
                       const CancelToken& cancel) override {
    const Target& target = space.target();
    if (const std::string obstacle = measure_obstacle(target); !obstacle.empty())
      throw Error(ErrorCode::kUnsupported, obstacle, target.name, "measure on the machine that the target describes");
    space::Batch batch;
    batch.anchor_schedule = space.constructive().schedule();
    std::vector<space::Schedule> all = {batch.anchor_schedule};
    all.insert(all.end(), schedules.begin(), schedules.end());

    const CToolchain& toolchain = toolchain_for(target, cancel);
    BuildOptions build;
    build.jobs = options_.jobs;
    build.cache = options_.cache;
    build.cancel = cancel;
    const BatchPrograms programs = build_batch(space, all, toolchain, build, options_.plant);
    cancel.check();
    prepare_data(space.subgraph());
    prepare_memory(programs);

    Run run(space, programs, data_, *cold_, options_, cancel);
    for (;; ++batch.repeats) {
      batch.before = probe(target.cores);
      run.time_all();
      batch.after = probe(target.cores);
      batch.unsteady = drift(batch.before, batch.after) > options_.drift;
      if (!batch.unsteady || batch.repeats >= options_.max_repeats) break;
    }
    const std::vector<Measurement> results = run.take_results();
    batch.anchor = results[0];
    for (size_t i = 1; i < all.size(); ++i) batch.programs.push_back(results[static_cast<size_t>(programs.program_of[i])]);

    batch.id = unique_id();
    batch.threads = target.cores;
    batch.cache_state = "weights cold and mapped, activations warm";
    batch.compiler = toolchain.identity;
    for (const std::string& flag : c_flags(target)) batch.flags += (batch.flags.empty() ? "" : " ") + flag;
    batch.emitter_version = kEmitterVersion;
    batch.date = utc_now();
    return batch;
  }

 private:
  const CToolchain& toolchain_for(const Target& target, const CancelToken& cancel) {
    auto it = toolchains_.find(target.arch);
    if (it == toolchains_.end())
      it = toolchains_.emplace(target.arch, find_c_toolchain(target, options_.c_compiler, cancel)).first;
    return it->second;
  }

  void prepare_data(const ir::Subgraph& g) {
    if (data_.values.empty() || data_.workload_hash != ir::workload_hash(g)) data_ = make_workload_data(g, options_.seed);
  }

  void prepare_memory(const BatchPrograms& programs) {
    size_t needed = 0;
    for (const BatchProgram& p : programs.programs)
      if (p.subgraph) needed = std::max(needed, cold_constant_bytes(*p.subgraph, p.kernel));
    const size_t bytes = cold_bytes(needed, options_.max_weight_bytes);
    if (cold_ && cold_->size() >= bytes) return;
    cold_.reset();
    cold_ = std::make_unique<ColdMemory>(bytes);
  }

  space::Probe probe(int threads) const {
    return options_.probe ? options_.probe() : probe_machine(threads, {cold_->data(), cold_->size()});
  }

  const MeasureOptions options_;
  std::map<std::string, CToolchain> toolchains_;  // by architecture
  WorkloadData data_;                             // of the last workload
  std::unique_ptr<ColdMemory> cold_;
};

}  // namespace

std::string measure_obstacle(const Target& t) {
  if (t.device != DeviceKind::kCpu) return "programs for GPUs cannot be measured yet";
  if (t.arch != host_arch())
    return "code for " + t.arch + " cannot be measured on this machine, which is " + std::string(host_arch());
  const std::vector<std::string> missing = missing_features(t.features);
  return missing.empty() ? "" : "the target has " + missing[0] + ", which this machine lacks";
}

std::unique_ptr<space::Measurer> make_measurer(MeasureOptions options) {
  return std::make_unique<ProcessMeasurer>(std::move(options));
}

}  // namespace tlm::codegen
