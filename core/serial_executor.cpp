#include "tlm/core/executor.h"

namespace tlm {
namespace {

class SerialExecutor : public Executor {
 public:
  int width() const override { return 1; }
  void parallel_for(int64_t count, Body body, void* context) override {
    for (int64_t i = 0; i < count; ++i) body(context, i, 0);
  }
};

}  // namespace

Executor& serial_executor() {
  static SerialExecutor executor;  // has no state
  return executor;
}

}  // namespace tlm
