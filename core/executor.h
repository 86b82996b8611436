// Where parallel work runs. Applications may supply their own.
#pragma once

#include <cstdint>

namespace tlm {

class Executor {
 public:
  virtual ~Executor() = default;
  // Number of workers that may run at once (>= 1).
  virtual int width() const = 0;
  // Calls body(context, index, worker) for every index in [0, count), worker in [0, width()), each worker id used by
  // one thread at a time. Returns when all calls have returned. `body` must not throw. Not reentrant from `body`.
  using Body = void (*)(void* context, int64_t index, int worker);
  virtual void parallel_for(int64_t count, Body body, void* context) = 0;
};

// The calling thread alone.
Executor& serial_executor();

}  // namespace tlm
