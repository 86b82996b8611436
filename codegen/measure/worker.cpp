#include "tlm/codegen/measure/worker.h"

#include <pthread.h>
#include <sched.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstring>
#include <map>
#include <memory>

#include "tlm/codegen/measure/guarded_memory.h"
#include "tlm/codegen/derived_constants.h"
#include "tlm/codegen/pack_constant.h"
#include "tlm/core/error.h"
#include "tlm/core/runtime/code_loader.h"
#include "tlm/core/runtime/float_environment.h"
#include "tlm/core/thread_pool.h"
#include "tlm/ir/tensor/placement.h"

namespace tlm::codegen {
namespace {

constexpr double kWarmBelowMs = 5;  // longer programs leave nothing in a cache for the next run anyway
constexpr double kMaxRuns = 1000;   // in one round

// Constants that may be replaced by any bytes: floats, and bytes (of quantized weights; no index is that short). Others may be
// indices.
bool any_bytes_will_do(DType t) { return is_float(t) || t == DType::kI8 || t == DType::kU8; }

size_t whole_lines(size_t bytes) { return (bytes + 63) / 64 * 64; }

size_t param_bytes(const ir::Subgraph& g, const ir::KernelParam& p) {
  return static_cast<size_t>(p.elements) * dtype_size(g.tensors[static_cast<size_t>(p.tensor)].dtype);
}

bool read_cold(const ir::Subgraph& g, const ir::KernelParam& p) {
  const ir::TensorDecl& t = g.tensors[static_cast<size_t>(p.tensor)];
  return t.role == ir::TensorRole::kConstant && any_bytes_will_do(t.dtype);
}

void pin_to(int cpu) {
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(cpu, &one);
  pthread_setaffinity_np(pthread_self(), sizeof one, &one);
}

// Each thread of the pool on a core of its own, where there are enough.
void pin_threads(ThreadPool& pool) {
  cpu_set_t usable;
  if (sched_getaffinity(0, sizeof usable, &usable) != 0 || CPU_COUNT(&usable) < pool.width()) return;
  struct Gathering {
    int width;
    std::vector<int> cpus;
    std::atomic<int> here{0};
  } g{pool.width()};
  for (int c = 0; c < CPU_SETSIZE; ++c)
    if (CPU_ISSET(c, &usable)) g.cpus.push_back(c);
  pin_to(g.cpus[0]);
  if (pool.width() == 1) return;
  // All threads take part when none leaves before the last has come (or a tenth of a second has passed).
  pool.parallel_for(
      pool.width(),
      [](void* context, int64_t, int worker) {
        auto& all = *static_cast<Gathering*>(context);
        pin_to(all.cpus[static_cast<size_t>(worker)]);
        all.here.fetch_add(1);
        const auto late = std::chrono::steady_clock::now() + std::chrono::milliseconds(100);
        while (all.here.load() < all.width && std::chrono::steady_clock::now() < late) sched_yield();
      },
      &g);
}

class Worker {
 public:
  Worker(const WorkerTask& task, const SendMessage& send)
      : task_(task), send_(send), g_(task.space->subgraph()), pool_({std::max(1, task.space->target().cores)}) {
    pin_threads(pool_);
    for (const auto& image : task.batch->images) images_.push_back(std::make_unique<runtime::LoadedCode>(image, g_.name));
    make_buffers();
  }

  void run() {
    std::vector<int> alive;
    for (const int p : task_.programs)
      if (check(p)) alive.push_back(p);
    if (std::any_of(alive.begin(), alive.end(),
                    [&](int p) { return cold_constant_bytes(*program(p).subgraph, program(p).kernel) > 0; }))
      task_.cold->touch();
    std::vector<double> first_round;
    double best = INFINITY;
    for (const int p : alive) {
      first_round.push_back(time_round(p));
      best = std::min(best, first_round.back());
    }
    std::vector<int> kept;
    for (size_t i = 0; i < alive.size(); ++i)
      if (alive[i] == task_.anchor || first_round[i] <= task_.slow_factor * best) kept.push_back(alive[i]);
    for (int round = 1; round < task_.rounds; ++round)
      for (const int p : kept) time_round(p);
  }

 private:
  using Clock = std::chrono::steady_clock;
  static double ms_since(Clock::time_point begin) {
    return std::chrono::duration<double, std::milli>(Clock::now() - begin).count();
  }

  const BatchProgram& program(int p) const { return task_.batch->programs[static_cast<size_t>(p)]; }

  void make_buffers() {
    buffers_.resize(g_.tensors.size());
    size_t workspace = 0;
    for (const int p : task_.programs) {
      const ir::Kernel& k = program(p).kernel;
      workspace = std::max(workspace, static_cast<size_t>(k.workspace_bytes));
      scratch_bytes_ = std::max(scratch_bytes_, whole_lines(static_cast<size_t>(k.worker_bytes)));
      for (const ir::KernelParam& param : k.params) {
        const auto t = static_cast<size_t>(param.tensor);
        if (program(p).subgraph->tensors[t].role == ir::TensorRole::kConstant || buffers_[t]) continue;
        buffers_[t] = std::make_unique<GuardedMemory>(param_bytes(g_, param));
        if (param.output) continue;
        ir::place_into(g_.tensors[t], task_.data->values[t], buffers_[t]->data());
        buffers_[t]->make_read_only();
      }
    }
    workspace_ = std::make_unique<GuardedMemory>(workspace);
    scratch_ = std::make_unique<GuardedMemory>(scratch_bytes_ * static_cast<size_t>(pool_.width()));
  }

  // A constant as the kernel wants it.
  const std::byte* constant(const ir::Subgraph& g, const ir::KernelParam& param) {
    const ConstantOrigin origin = constant_origin(g, param.tensor);
    std::string key = std::to_string(origin.tensor);
    for (const auto& recipe : origin.recipes) key += " from " + std::to_string(ir::workload_hash(*recipe));
    for (const ir::PackedDim& d : param.packed)
      key += " " + std::to_string(d.dim) + " " + std::to_string(d.extent) + " " + std::to_string(d.step);
    auto& memory = constants_[key];
    if (!memory) {
      const Tensor& source = task_.data->values[static_cast<size_t>(origin.tensor)];
      const std::vector<std::byte> bytes = pack_constant(derive(source, origin.recipes), param.packed);
      TLM_CHECK(bytes.size() == param_bytes(g, param)) << bytes.size() << " bytes, the kernel wants " << param_bytes(g, param);
      memory = std::make_unique<GuardedMemory>(bytes.size());
      std::memcpy(memory->data(), bytes.data(), bytes.size());
      memory->make_read_only();
    }
    return memory->data();
  }

  std::vector<void*> bind(const BatchProgram& p, bool cold) {
    std::vector<void*> pointers;
    const ir::Subgraph& g = *p.subgraph;
    const std::byte* window = cold ? task_.cold->next(cold_constant_bytes(g, p.kernel)) : nullptr;
    for (const ir::KernelParam& param : p.kernel.params) {
      const auto t = static_cast<size_t>(param.tensor);
      const std::byte* at = nullptr;
      if (g.tensors[t].role != ir::TensorRole::kConstant) {
        at = buffers_[t]->data();
      } else if (cold && read_cold(g, param)) {
        at = window;
        window += whole_lines(param_bytes(g, param));
      } else {
        at = constant(g, param);
      }
      pointers.push_back(const_cast<std::byte*>(at));
    }
    return pointers;
  }

  struct PhaseRun {
    TlmPhase phase;
    const TlmKernelArgs* args;
    int64_t extent, grain, chunks;
    std::byte* scratch;
    size_t scratch_bytes;
    std::atomic<int64_t> next{0};
  };

  static void run_chunks(void* context, int64_t index, int) {
    auto& r = *static_cast<PhaseRun*>(context);
    const runtime::FloatEnvironment environment;
    std::byte* scratch = r.scratch + r.scratch_bytes * static_cast<size_t>(index);
    for (int64_t chunk; (chunk = r.next.fetch_add(1, std::memory_order_relaxed)) < r.chunks;)
      r.phase(r.args, chunk * r.grain, std::min(r.extent, (chunk + 1) * r.grain), scratch);
  }

  // As a Session runs a step.
  void run_phases(const BatchProgram& p, void* const* pointers) {
    const TlmKernelArgs args{pointers, nullptr, workspace_->data()};
    const TlmModule& module = images_[static_cast<size_t>(p.image)]->module();
    for (size_t i = 0; i < p.kernel.phases.size(); ++i) {
      const ir::Phase& phase = p.kernel.phases[i];
      const int64_t grain = std::max<int64_t>(phase.grain, 1);
      PhaseRun run{module.phases[p.first_entry + i],
                   &args,
                   phase.extent,
                   grain,
                   (phase.extent + grain - 1) / grain,
                   scratch_->data(),
                   scratch_bytes_};
      const int64_t workers = std::min<int64_t>(pool_.width(), run.chunks);
      if (workers <= 1) {
        run_chunks(&run, 0, 0);
      } else {
        pool_.parallel_for(workers, run_chunks, &run);
      }
    }
  }

  // One run on true weights. False: wrong.
  bool check(int number) {
    const BatchProgram& p = program(number);
    send_({WorkerEvent::kBegin, number});
    const bool is_known = task_.checked[static_cast<size_t>(number)];
    if (is_known && (number != task_.programs[0] || !reference_.empty())) return true;
    for (const ir::KernelParam& param : p.kernel.params)
      if (param.output) poison(*buffers_[static_cast<size_t>(param.tensor)]);
    run_phases(p, bind(p, false).data());
    const std::string difference = compare_outputs();
    if (constants_bytes() > kKeptConstants) constants_.clear();
    WorkerMessage m{difference.empty() ? WorkerEvent::kChecked : WorkerEvent::kWrong, number};
    std::strncpy(m.text, difference.c_str(), sizeof m.text - 1);
    send_(m);
    return difference.empty();
  }

  static void poison(const GuardedMemory& buffer) { std::memset(buffer.data(), 0xff, buffer.size()); }

  // Against the interpreter at some points, and everywhere against the first program that was right.
  std::string compare_outputs() {
    std::map<int, Tensor> outputs;
    for (const ExpectedPoints& expected : task_.data->expected) {
      const auto t = static_cast<size_t>(expected.tensor);
      if (!buffers_[t]) continue;
      Tensor got = ir::gather(g_.tensors[t], buffers_[t]->data());
      std::string difference = compare_points(got, expected);
      if (const auto other = reference_.find(expected.tensor); difference.empty() && other != reference_.end())
        difference = compare_all(got, other->second);
      if (!difference.empty()) return g_.tensors[t].name + ": " + difference;
      outputs.emplace(expected.tensor, std::move(got));
    }
    if (reference_.empty()) reference_ = std::move(outputs);
    return "";
  }

  size_t constants_bytes() const {
    size_t bytes = 0;
    for (const auto& [key, memory] : constants_) bytes += memory->size();
    return bytes;
  }

  // ms of one run, mean over a round. The first run of a round brings activations (and code) into the caches.
  double time_round(int number) {
    const BatchProgram& p = program(number);
    send_({WorkerEvent::kBegin, number});
    double& once = once_ms_[number];
    if (once < kWarmBelowMs) {
      const std::vector<void*> pointers = bind(p, true);
      const auto begin = Clock::now();
      run_phases(p, pointers.data());
      const double ms = ms_since(begin);
      if (once == 0) once = ms;
    }
    const int runs = static_cast<int>(std::clamp(std::ceil(task_.round_ms / std::max(once, 1e-6)), 1.0, kMaxRuns));
    std::vector<std::vector<void*>> pointers;
    for (int i = 0; i < runs; ++i) pointers.push_back(bind(p, true));
    const auto begin = Clock::now();
    for (const std::vector<void*>& b : pointers) run_phases(p, b.data());
    const double ms = ms_since(begin) / runs;
    once = std::min(once, ms);
    send_({WorkerEvent::kSample, number, ms});
    return ms;
  }

  static constexpr size_t kKeptConstants = size_t{64} << 20;

  const WorkerTask& task_;
  const SendMessage& send_;
  const ir::Subgraph& g_;
  ThreadPool pool_;
  std::vector<std::unique_ptr<runtime::LoadedCode>> images_;
  std::vector<std::unique_ptr<GuardedMemory>> buffers_;  // by tensor: inputs and outputs
  std::unique_ptr<GuardedMemory> workspace_, scratch_;
  size_t scratch_bytes_ = 0;  // of one worker
  std::map<std::string, std::unique_ptr<GuardedMemory>> constants_;
  std::map<int, Tensor> reference_;  // outputs of the first program that was right
  std::map<int, double> once_ms_;    // of one run, by program
};

}  // namespace

size_t cold_constant_bytes(const ir::Subgraph& g, const ir::Kernel& kernel) {
  size_t bytes = 0;
  for (const ir::KernelParam& p : kernel.params)
    if (read_cold(g, p)) bytes += whole_lines(param_bytes(g, p));
  return bytes;
}

void run_worker(const WorkerTask& task, const SendMessage& send) { Worker(task, send).run(); }

}  // namespace tlm::codegen
