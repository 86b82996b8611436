// The built-in executor: a fixed set of threads.
#pragma once

#include <memory>

#include "tlm/core/executor.h"

namespace tlm {

struct ThreadPoolOptions {
  // Workers, the calling thread among them; 0: the cores that this process may use.
  int width = 0;
  // How long an idle worker looks for the next loop before it sleeps, and a caller for the last worker, in microseconds.
  // 0: sleep at once (least CPU, a few microseconds more for each loop).
  int spin_us = 50;
};

// Workers run on any core that the process might use when the pool was made, except the one that the caller of the loop runs on.
// parallel_for cuts the indices into one range for each worker, in order, and hands out the index after the last of a range, one
// at a time: first of a worker's own range, then of the others'. Who runs an index is not fixed, so results must not depend on
// `worker`. The caller is worker 0. It allocates nothing. A parallel_for that comes while another one runs (from another thread,
// or from inside a body) is run by its caller alone, at once: nothing waits for a busy pool, so there is nothing to deadlock.
// Threads are started in the constructor with all signals blocked; they use no CPU while idle (after spin_us).
// Throws Error(kEnvironment) when the threads cannot be started. Must not be destroyed while a parallel_for runs.
class ThreadPool : public Executor {
 public:
  using Options = ThreadPoolOptions;
  explicit ThreadPool(Options options = {});
  ~ThreadPool() override;
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  int width() const override;
  void parallel_for(int64_t count, Body body, void* context) override;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// The pool of those who bring none: as wide as the machine, started at the first call. Throws as the constructor does.
ThreadPool& shared_thread_pool();

}  // namespace tlm
