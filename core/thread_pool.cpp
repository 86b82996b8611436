#include "tlm/core/thread_pool.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

#include "tlm/core/error.h"
#include "tlm/core/target.h"

namespace tlm {
namespace {

void pause_cpu() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  __asm__ volatile("yield");
#endif
}

// Waits actively until ready() holds or `spin_us` have passed. True: it holds.
template <typename Ready>
bool spin_until(int spin_us, Ready ready) {
  if (ready()) return true;
  if (spin_us <= 0) return false;
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::microseconds(spin_us);
  do {
    for (int i = 0; i < 32; ++i) {
      if (ready()) return true;
      pause_cpu();
    }
  } while (std::chrono::steady_clock::now() < deadline);
  return false;
}

// New threads inherit the signal mask: blocks all signals while they are started, so that handlers run on the application's
// threads.
class BlockSignals {
 public:
  BlockSignals() {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  ~BlockSignals() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

 private:
  sigset_t before_;
};

// Keeps workers off the core of the caller. A scheduler that takes the idle cores of a virtual machine for busy ones wakes a
// worker on the core that wakes it, where it waits for the caller to end the loop alone.
class CallerCore {
 public:
  CallerCore() {
    CPU_ZERO(&usable_);
    if (sched_getaffinity(0, sizeof(usable_), &usable_) != 0) CPU_ZERO(&usable_);
  }
  // By the caller of a loop. Costs system calls only after the caller has moved. Where placing fails, the scheduler's own
  // choice stands.
  void keep_free(std::vector<std::thread>& workers) {
    const int core = sched_getcpu();
    if (core == core_) return;
    core_ = core;
    cpu_set_t others = usable_;
    if (core < 0 || core >= CPU_SETSIZE) return;
    CPU_CLR(core, &others);
    if (CPU_COUNT(&others) == 0) return;
    for (std::thread& t : workers) pthread_setaffinity_np(t.native_handle(), sizeof(others), &others);
  }

 private:
  cpu_set_t usable_;
  int core_ = -1;
};

// The loop's state in one word, so that joining and closing are one atomic step each:
// generation (32 bits) | open (1 bit) | workers inside (31 bits).
constexpr uint64_t kOpen = uint64_t{1} << 31;
constexpr uint64_t kInside = kOpen - 1;
constexpr uint64_t kGeneration = uint64_t{1} << 32;

}  // namespace

struct ThreadPool::State {
  int width = 1;
  int spin_us = 0;

  // The current loop: written by its caller before the loop opens, read by workers that have joined it.
  Body body = nullptr;
  void* context = nullptr;

  // The indices are cut into one range for each worker, so that one loop after another a worker finds in its caches what it wrote
  // before. Whoever is through helps the others.
  struct alignas(64) Range {
    std::atomic<int64_t> next{0};  // first index that is not handed out
    int64_t end = 0;
  };
  std::vector<Range> ranges;

  alignas(64) std::atomic<uint64_t> loop{0};
  alignas(64) std::atomic<bool> busy{false};  // a caller owns the pool
  std::atomic<bool> stop{false};
  std::atomic<int> sleepers{0};
  std::atomic<bool> caller_sleeps{false};
  std::mutex mutex;
  std::condition_variable work, done;
  std::vector<std::thread> threads;
  CallerCore caller_core;

  void run_indices(int worker) {
    for (int turn = 0; turn < width; ++turn) {
      Range& range = ranges[static_cast<size_t>((worker + turn) % width)];
      while (range.next.load(std::memory_order_relaxed) < range.end) {
        const int64_t i = range.next.fetch_add(1, std::memory_order_relaxed);
        if (i < range.end) body(context, i, worker);
      }
    }
  }

  void run_worker(int worker);
  void wake(int64_t wanted);
  void stop_all();
};

void ThreadPool::State::run_worker(int worker) {
  uint64_t seen = 0;  // generation of the last loop that this worker joined
  // Is there a loop to join, or the end? The default (sequentially consistent) order pairs with the caller's
  // store to `loop` and load of `sleepers`: one of the two sees the other.
  const auto ready = [&] {
    const uint64_t now = loop.load();
    return ((now & kOpen) && now / kGeneration != seen) || stop.load();
  };
  for (;;) {
    if (!spin_until(spin_us, ready)) {
      std::unique_lock lock(mutex);
      sleepers.fetch_add(1);
      work.wait(lock, ready);
      sleepers.fetch_sub(1);
    }
    if (stop.load()) return;
    uint64_t now = loop.load();
    while ((now & kOpen) && now / kGeneration != seen) {
      if (!loop.compare_exchange_weak(now, now + 1)) continue;
      seen = now / kGeneration;
      run_indices(worker);
      now = loop.fetch_sub(1) - 1;
      if (!(now & kOpen) && (now & kInside) == 0 && caller_sleeps.load()) {
        const std::lock_guard lock(mutex);
        done.notify_one();
      }
      break;
    }
  }
}

// Wakes as many sleeping workers as there is work for.
void ThreadPool::State::wake(int64_t wanted) {
  const int64_t asleep = sleepers.load();
  if (asleep == 0) return;
  const std::lock_guard lock(mutex);
  if (wanted >= asleep) {
    work.notify_all();
  } else {
    for (int64_t i = 0; i < wanted; ++i) work.notify_one();
  }
}

void ThreadPool::State::stop_all() {
  {
    const std::lock_guard lock(mutex);
    stop.store(true);
  }
  work.notify_all();
  for (std::thread& t : threads) t.join();
}

ThreadPool::ThreadPool(Options options) : state_(std::make_unique<State>()) {
  state_->width = options.width > 0 ? options.width : usable_cores();
  state_->spin_us = std::max(options.spin_us, 0);
  state_->ranges = std::vector<State::Range>(static_cast<size_t>(state_->width));
  const BlockSignals blocked;
  try {
    state_->threads.reserve(static_cast<size_t>(state_->width - 1));
    for (int worker = 1; worker < state_->width; ++worker)
      state_->threads.emplace_back([state = state_.get(), worker] { state->run_worker(worker); });
  } catch (const std::system_error& e) {
    state_->stop_all();
    throw Error(ErrorCode::kEnvironment, "cannot start " + std::to_string(state_->width) + " threads: " + e.what(), "",
                "use fewer threads");
  }
}

ThreadPool::~ThreadPool() { state_->stop_all(); }

int ThreadPool::width() const { return state_->width; }

void ThreadPool::parallel_for(int64_t count, Body body, void* context) {
  State& s = *state_;
  if (count <= 1 || s.width == 1 || s.busy.exchange(true, std::memory_order_acquire)) {
    serial_executor().parallel_for(count, body, context);
    return;
  }
  s.caller_core.keep_free(s.threads);
  s.body = body;
  s.context = context;
  const int64_t share = count / s.width, rest = count % s.width;
  int64_t begin = 0;
  for (int w = 0; w < s.width; ++w) {
    State::Range& range = s.ranges[static_cast<size_t>(w)];
    range.next.store(begin, std::memory_order_relaxed);
    begin += share + (w < rest);
    range.end = begin;
  }
  s.loop.store((s.loop.load(std::memory_order_relaxed) / kGeneration + 1) * kGeneration | kOpen);
  s.wake(count - 1);
  s.run_indices(0);

  // No index is left: late workers stay out, those inside are waited for.
  s.loop.fetch_and(~kOpen);
  const auto empty = [&s] { return (s.loop.load() & kInside) == 0; };
  if (!spin_until(s.spin_us, empty)) {
    std::unique_lock lock(s.mutex);
    s.caller_sleeps.store(true);
    s.done.wait(lock, empty);
    s.caller_sleeps.store(false);
  }
  s.busy.store(false, std::memory_order_release);
}

ThreadPool& shared_thread_pool() {
  static ThreadPool pool;
  return pool;
}

}  // namespace tlm
