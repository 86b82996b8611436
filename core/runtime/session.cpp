#include "tlm/core/runtime/session.h"

#include <algorithm>
#include <chrono>
#include <cstdio>

#include "tlm/core/error.h"
#include "tlm/core/runtime/float_environment.h"
#include "tlm/core/runtime/runtime_calls.h"
#include "tlm/core/thread_pool.h"

namespace tlm::runtime {
namespace {

using Clock = std::chrono::steady_clock;

constexpr size_t kAlignment = 64;
constexpr size_t kScratchAlignment = 128;  // workers do not share a pair of cache lines

size_t align_up(size_t n, size_t alignment) { return (n + alignment - 1) / alignment * alignment; }

double ms_since(Clock::time_point start) { return std::chrono::duration<double, std::milli>(Clock::now() - start).count(); }

size_t port_bytes(const PortDesc& port) { return static_cast<size_t>(element_count(port.shape)) * dtype_size(port.dtype); }

size_t worker_scratch_bytes(const Package& package) {
  size_t most = 0;
  for (const StepDesc& step : package.variant().steps) most = std::max<size_t>(most, step.worker_bytes);
  return align_up(most, kScratchAlignment);
}

}  // namespace

struct Session::Step {
  const StepDesc* desc;
  size_t first_buffer;
  const RuntimeCall* call;  // null: generated code
  void* workspace;
};

struct Session::Port {
  const PortDesc* desc;
  size_t bytes;
  bool bound;
  std::vector<std::pair<size_t, uint64_t>> uses;  // slots of buffers_ that point into it, at which offset
  SessionMemory own;
};

// One phase while it runs. Workers take chunks [k·grain, (k+1)·grain) until none is left; the chunks do not depend on their
// number.
struct Session::PhaseRun {
  TlmKernelArgs args;
  TlmPhase kernel;
  int64_t extent, grain, chunks;
  std::byte* scratch;
  size_t scratch_bytes;
  const Session* session;
  const RunOptions* options;
  double* busy_ms;  // for each worker; null: not timed
  alignas(64) std::atomic<int64_t> next{0};
};

size_t Session::arena_bytes_needed(const Package& package, int threads) {
  return align_up(package.variant().arena_bytes, kScratchAlignment) +
         worker_scratch_bytes(package) * static_cast<size_t>(threads);
}

Session::Session(std::shared_ptr<const Package> package, const SessionOptions& options)
    : package_(std::move(package)),
      executor_(options.executor ? options.executor : &shared_thread_pool()),
      allocator_(options.allocator) {
  const auto usage = [](bool ok, const std::string& what) {
    if (!ok) throw Error(ErrorCode::kUsage, what);
  };
  usage(options.threads >= 0, "a session of " + std::to_string(options.threads) + " threads");
  usage((allocator_.allocate == nullptr) == (allocator_.release == nullptr), "an allocator needs both allocate and release");
  threads_ = std::max(1, options.threads ? std::min(options.threads, executor_->width()) : executor_->width());
  arena_bytes_ = arena_bytes_needed(*package_, threads_);
  if (options.arena) {
    usage(reinterpret_cast<uintptr_t>(options.arena) % kAlignment == 0, "the arena is not 64-byte aligned");
    usage(options.arena_bytes >= arena_bytes_,
          "the arena has " + std::to_string(options.arena_bytes) + " bytes; this session needs " + std::to_string(arena_bytes_));
    arena_ = SessionMemory::borrowed(options.arena, arena_bytes_);
  } else {
    arena_ = SessionMemory(allocator_, arena_bytes_, "the arena");
  }
  scratch_bytes_ = worker_scratch_bytes(*package_);
  scratch_ = arena_.data() + align_up(package_->variant().arena_bytes, kScratchAlignment);
  busy_ms_.resize(static_cast<size_t>(threads_));
  prepare_steps();
}

Session::~Session() = default;

void Session::prepare_steps() {
  const Manifest& manifest = package_->manifest();
  for (const PortDesc& p : manifest.inputs) inputs_.push_back({&p, port_bytes(p), false, {}, {}});
  for (const PortDesc& p : manifest.outputs) outputs_.push_back({&p, port_bytes(p), false, {}, {}});
  // The loader has verified every reference. Weights are read only, whatever the type of the table.
  auto* weights = const_cast<std::byte*>(package_->weights().data());
  for (const StepDesc& desc : package_->variant().steps) {
    const RuntimeCall* call = desc.call.empty() ? nullptr : find_runtime_call(desc.call);
    steps_.push_back({&desc, buffers_.size(), call, arena_.data() + desc.workspace_offset});
    for (size_t a = 0; a < desc.args.size(); ++a) {
      const BufferRef& ref = desc.args[a];
      const bool absent = call && !desc.tensors[a].present;
      void* address = nullptr;
      if (absent) {
        // a null pointer says so
      } else if (ref.space == BufferSpace::kArena) {
        address = arena_.data() + ref.offset;
      } else if (ref.space == BufferSpace::kWeights) {
        address = weights + ref.offset;
      } else {
        auto& ports = ref.space == BufferSpace::kInput ? inputs_ : outputs_;
        ports[static_cast<size_t>(ref.index)].uses.emplace_back(buffers_.size(), ref.offset);
      }
      buffers_.push_back(address);
    }
  }
}

void Session::check_index(size_t count, int index, const char* kind) const {
  if (index < 0 || static_cast<size_t>(index) >= count)
    throw Error(ErrorCode::kUsage,
                std::string("there is no ") + kind + " " + std::to_string(index) + "; the model has " + std::to_string(count),
                package_->where());
}

void Session::bind(std::vector<Port>& ports, int index, const char* kind, void* data, size_t bytes) {
  check_index(ports.size(), index, kind);
  Port& p = ports[static_cast<size_t>(index)];
  const auto usage = [&](bool ok, const std::string& what) {
    if (!ok) throw Error(ErrorCode::kUsage, std::string(kind) + " '" + p.desc->name + "': " + what, package_->where());
  };
  const std::string type = to_string(p.desc->shape) + " of " + std::string(dtype_name(p.desc->dtype));
  usage(bytes == p.bytes, std::to_string(bytes) + " bytes given; " + type + " has " + std::to_string(p.bytes));
  usage(data != nullptr || p.bytes == 0, "no memory given");
  usage(reinterpret_cast<uintptr_t>(data) % dtype_size(p.desc->dtype) == 0, "memory is not aligned to its elements");
  for (const auto& [slot, offset] : p.uses) buffers_[slot] = static_cast<std::byte*>(data) + offset;
  p.bound = true;
}

void Session::bind_input(int index, const void* data, size_t bytes) {
  bind(inputs_, index, "input", const_cast<void*>(data), bytes);  // kernels only read it
}
void Session::bind_output(int index, void* data, size_t bytes) { bind(outputs_, index, "output", data, bytes); }

void* Session::own_buffer(std::vector<Port>& ports, int index, const char* kind) {
  check_index(ports.size(), index, kind);
  Port& p = ports[static_cast<size_t>(index)];
  if (!p.own.data()) p.own = SessionMemory(allocator_, std::max<size_t>(p.bytes, 1), kind);
  bind(ports, index, kind, p.own.data(), p.bytes);
  return p.own.data();
}

void* Session::input(int index) { return own_buffer(inputs_, index, "input"); }
void* Session::output(int index) { return own_buffer(outputs_, index, "output"); }
size_t Session::input_bytes(int index) const {
  check_index(inputs_.size(), index, "input");
  return inputs_[static_cast<size_t>(index)].bytes;
}
size_t Session::output_bytes(int index) const {
  check_index(outputs_.size(), index, "output");
  return outputs_[static_cast<size_t>(index)].bytes;
}

bool Session::cancelled(const RunOptions& options) const noexcept {
  return cancel_.load(std::memory_order_relaxed) || (options.cancel && options.cancel->load(std::memory_order_relaxed));
}

void Session::run_chunks(void* context, int64_t index, int) {
  PhaseRun& phase = *static_cast<PhaseRun*>(context);
  const FloatEnvironment environment;
  const auto start = phase.busy_ms ? Clock::now() : Clock::time_point();
  // Each index is on one thread at a time, so it may stand for the worker: a session with fewer threads than the executor has
  // needs scratch for its own only.
  std::byte* worker = phase.scratch + phase.scratch_bytes * static_cast<size_t>(index);
  int64_t chunk;
  while ((chunk = phase.next.fetch_add(1, std::memory_order_relaxed)) < phase.chunks) {
    if (phase.session->cancelled(*phase.options)) break;
    const int64_t begin = chunk * phase.grain;
    phase.kernel(&phase.args, begin, std::min(phase.extent - begin, phase.grain) + begin, worker);
  }
  if (phase.busy_ms) phase.busy_ms[index] = ms_since(start);
}

// Time inside kernels, in ms, of the busiest worker; 0 if it is not timed.
double Session::run_phase(PhaseRun& phase) {
  const int64_t workers = std::min<int64_t>(threads_, phase.chunks);
  if (phase.busy_ms) std::fill_n(phase.busy_ms, workers, 0.0);
  if (workers == 1)
    run_chunks(&phase, 0, 0);
  else
    executor_->parallel_for(workers, run_chunks, &phase);
  return phase.busy_ms ? *std::max_element(phase.busy_ms, phase.busy_ms + workers) : 0;
}

RunResult Session::run_steps(const RunOptions& options) {
  RunProfile* profile = options.profile;
  const std::span<double> step_ms = profile && options.step_ms.empty() ? std::span<double>(profile->step_ms) : options.step_ms;
  const auto run_start = Clock::now();
  double kernels_ms = 0;
  for (size_t s = 0; s < steps_.size(); ++s) {
    const Step& step = steps_[s];
    const StepDesc& desc = *step.desc;
    void* const* buffers = buffers_.data() + step.first_buffer;
    const auto start = profile ? Clock::now() : Clock::time_point();
    if (step.call) {
      if (cancelled(options)) return {RunCode::kCancelled, "cancelled"};
      const CallStatus status = step.call->run({&desc, buffers, step.workspace});
      if (!status.ok()) {
        std::snprintf(message_, sizeof message_, "step '%.80s' (%s): %s (%lld, limit %lld)", desc.name.c_str(), desc.call.c_str(),
                      status.reason, static_cast<long long>(status.value), static_cast<long long>(status.limit));
        return {RunCode::kFailed, message_};
      }
      if (profile) kernels_ms += ms_since(start);
    }
    for (const PhaseDesc& p : desc.phases) {
      if (cancelled(options)) return {RunCode::kCancelled, "cancelled"};
      PhaseRun phase{{buffers, desc.ints.data(), step.workspace},
                     package_->module()->phases[p.entry],
                     p.extent,
                     p.grain,
                     (p.extent - 1) / p.grain + 1,
                     scratch_,
                     scratch_bytes_,
                     this,
                     &options,
                     profile ? busy_ms_.data() : nullptr};
      kernels_ms += run_phase(phase);
    }
    if (profile && s < step_ms.size()) step_ms[s] = ms_since(start);
  }
  if (cancelled(options)) return {RunCode::kCancelled, "cancelled"};
  if (profile) {
    profile->total_ms = ms_since(run_start);
    profile->overhead_ms = std::max(0.0, profile->total_ms - kernels_ms);
  }
  return {};
}

RunResult Session::run(const RunOptions& options) noexcept {
  if (running_.exchange(true, std::memory_order_acquire)) return {RunCode::kBusy, "another run of this session is in progress"};
  RunResult result;
  for (const auto* ports : {&inputs_, &outputs_})
    for (const Port& p : *ports)
      if (!p.bound && result.ok()) {
        std::snprintf(message_, sizeof message_, "%s '%.200s' has no memory: bind it first",
                      ports == &inputs_ ? "input" : "output", p.desc->name.c_str());
        result = {RunCode::kUnbound, message_};
      }
  if (result.ok()) {
    const FloatEnvironment environment;
    try {
      result = run_steps(options);
    } catch (...) {
      result = {RunCode::kFailed, "the executor threw an exception"};
    }
    if (result.code == RunCode::kCancelled) cancel_.store(false, std::memory_order_relaxed);
  }
  running_.store(false, std::memory_order_release);
  return result;
}

void Session::run_or_throw(const RunOptions& options) {
  const RunResult result = run(options);
  static constexpr ErrorCode kCodes[] = {ErrorCode::kInternal, ErrorCode::kUsage, ErrorCode::kInterrupted, ErrorCode::kUsage,
                                         ErrorCode::kBadModel};
  if (!result.ok()) throw Error(kCodes[static_cast<int>(result.code)], result.message, package_->where());
}

namespace {

template <typename Ports>
int index_by_name(const Ports& ports, const std::string& name, const char* kind, const std::string& where) {
  std::string names;
  for (size_t i = 0; i < ports.size(); ++i) {
    if (ports[i].name == name) return static_cast<int>(i);
    names += (i ? ", '" : "'") + ports[i].name + "'";
  }
  throw Error(ErrorCode::kUsage,
              std::string("there is no ") + kind + " '" + name + "'; the model has " + (names.empty() ? "none" : names), where);
}

}  // namespace

int Session::input_index(const std::string& name) const {
  return index_by_name(package_->manifest().inputs, name, "input", package_->where());
}
int Session::output_index(const std::string& name) const {
  return index_by_name(package_->manifest().outputs, name, "output", package_->where());
}

}  // namespace tlm::runtime
