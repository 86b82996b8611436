// Runs a package: its memory, its bound buffers, its steps.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "tlm/core/executor.h"
#include "tlm/core/runtime/package.h"
#include "tlm/core/runtime/session_memory.h"

namespace tlm::runtime {

struct SessionOptions {
  Executor* executor = nullptr;  // borrowed, must outlive the session; null: the built-in pool that all sessions share
  int threads = 0;               // at most so many workers; 0: as many as the executor has
  Allocator allocator;           // default: the C++ heap
  void* arena = nullptr;  // memory to use, 64-byte aligned, of at least Session::arena_bytes_needed(); null: from `allocator`
  size_t arena_bytes = 0;
};

enum class RunCode : int {
  kOk = 0,
  kBusy,       // another run of this session is in progress
  kCancelled,  // outputs are undefined
  kUnbound,    // an input or output has no memory
  kFailed,     // a runtime call refused its data (an index out of range)
};

struct RunResult {
  RunCode code = RunCode::kOk;
  const char* message = "";  // valid until the session runs again
  bool ok() const { return code == RunCode::kOk; }
};

// Times of one run, in ms.
struct RunProfile {
  std::vector<double> step_ms;  // one entry for each step, as far as the caller sized it
  double total_ms = 0;
  double overhead_ms = 0;  // total less the time inside kernels (of a parallel phase: of its busiest worker)
};

struct RunOptions {
  const std::atomic<bool>* cancel = nullptr;  // looked at between chunks
  RunProfile* profile = nullptr;              // null: not timed
  std::span<double> step_ms;                  // memory for the times of the steps, instead of profile->step_ms
};

class Session {
 public:
  // Throws Error(kEnvironment) without memory, Error(kUsage) for options that do not fit.
  explicit Session(std::shared_ptr<const Package> package, const SessionOptions& options = {});
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  const Package& package() const { return *package_; }
  int threads() const { return threads_; }
  size_t arena_bytes() const { return arena_bytes_; }  // intermediate values, workspaces and the workers' scratch
  static size_t arena_bytes_needed(const Package& package, int threads);

  size_t input_bytes(int index) const;
  size_t output_bytes(int index) const;
  // The caller's memory, row-major as the port says, aligned to its element, used in place and not copied; it must stay valid
  // while the session runs. Throws Error(kUsage) for another size or alignment.
  void bind_input(int index, const void* data, size_t bytes);
  void bind_output(int index, void* data, size_t bytes);
  // The session's own buffer of a port (allocated and bound by the first call, 64-byte aligned, zero-filled).
  void* input(int index);
  void* output(int index);
  // Index of a port by its name. Throws Error(kUsage) that lists the names.
  int input_index(const std::string& name) const;
  int output_index(const std::string& name) const;

  // Allocates nothing, throws nothing, leaves the floating-point environment as it was. Bit-equal outputs on any number of
  // threads. Binding while a run is in progress is the caller's fault.
  RunResult run(const RunOptions& options = {}) noexcept;
  // run, with an Error for anything but kOk.
  void run_or_throw(const RunOptions& options = {});
  // Ends the run in progress, else the next one, with kCancelled. From any thread.
  void cancel() noexcept { cancel_.store(true, std::memory_order_relaxed); }

 private:
  struct Step;
  struct Port;
  struct PhaseRun;

  void prepare_steps();
  void check_index(size_t count, int index, const char* kind) const;
  void bind(std::vector<Port>& ports, int index, const char* kind, void* data, size_t bytes);
  void* own_buffer(std::vector<Port>& ports, int index, const char* kind);
  RunResult run_steps(const RunOptions& options);
  double run_phase(PhaseRun& phase);
  static void run_chunks(void* phase, int64_t index, int worker);
  bool cancelled(const RunOptions& options) const noexcept;

  std::shared_ptr<const Package> package_;
  Executor* executor_;
  int threads_;
  Allocator allocator_;
  size_t arena_bytes_ = 0;
  SessionMemory arena_;
  std::byte* scratch_ = nullptr;  // threads × scratch_bytes_
  size_t scratch_bytes_ = 0;      // of one worker
  std::vector<Port> inputs_, outputs_;
  std::vector<Step> steps_;
  std::vector<void*> buffers_;   // the args of all steps, one after the other
  std::vector<double> busy_ms_;  // for each worker, when a run is timed
  std::atomic<bool> running_{false}, cancel_{false};
  char message_[256] = "";
};

}  // namespace tlm::runtime
