// RNN: h' = f(W x + R h + wb + rb).
#include "tlm/core/runtime/calls/recurrent.h"

namespace tlm::runtime::calls {
namespace {

constexpr RecurrentKind kKind = {1, kInitialH + 1, 2, 1, "Tanh"};

void check(const StepDesc& step) { check_recurrent(step, kKind); }

template <typename T>
void cell(const RecurrentPlan& plan, RecurrentState<T>& s) {
  const int64_t H = plan.hidden;
  std::fill_n(s.gates, H, Compute<T>(0));
  add_projection(s.gates, s.w, s.x, s.wb, H, plan.input);
  add_projection(s.gates, s.r, s.h, s.rb, H, H);
  for (int64_t j = 0; j < H; ++j) s.h[j] = s.f[0](clipped(s.gates[j], plan.clip));
}

CallStatus run(const CallContext& context) noexcept {
  return with_float(*context.step, [&]<typename T>() { return run_recurrent<T>(context, kKind, cell<T>); });
}

}  // namespace

const RuntimeCall kRnn = {"RNN", check, recurrent_workspace, run};

}  // namespace tlm::runtime::calls
