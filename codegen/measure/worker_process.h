// A forked child that reports through a pipe, and may crash or hang.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "tlm/core/cancel.h"

namespace tlm::codegen {

enum class WorkerEvent : uint32_t {
  kBegin,    // `program` is about to run: what happens next is its doing
  kChecked,  // it computed what it should
  kWrong,    // it did not: `text`
  kSample,   // one round took `value` ms for each run
  kFailed,   // the worker cannot go on: `text`
  kEnd,      // all is done
};

// Of one write to the pipe, so that it arrives whole.
struct WorkerMessage {
  WorkerEvent event = WorkerEvent::kBegin;
  int32_t program = -1;
  double value = 0;
  char text[240] = {};
};

using SendMessage = std::function<void(const WorkerMessage&)>;

struct WorkerExit {
  bool finished = false;   // kEnd or kFailed arrived
  bool timed_out = false;  // no message for `deadline_s`: killed
  int signal = 0;          // that ended it
  int exit_code = 0;
};

// Runs `work` in a child process and hands each of its messages to `receive`, until the child has ended. The child is killed when
// the deadline between two messages passes, when `cancel` is set (throws Error(kInterrupted)), when `receive` throws, and by the
// kernel when this thread ends. No child outlives the call. Throws Error(kEnvironment) when none can be started.
WorkerExit run_worker_process(const std::function<void(const SendMessage&)>& work,
                              const std::function<void(const WorkerMessage&)>& receive, double deadline_s,
                              const CancelToken& cancel);

}  // namespace tlm::codegen
