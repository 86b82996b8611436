// GRU. Gates in the order z, r, h:
//   z = f(W_z x + R_z h + b_z)   r = f(W_r x + R_r h + b_r)
//   n = g(W_h x + R_h (r∘h) + b_h), or with linear_before_reset g(W_h x + wb_h + r∘(R_h h + rb_h))
//   h' = (1 − z)∘n + z∘h
#include "tlm/core/runtime/calls/recurrent.h"

namespace tlm::runtime::calls {
namespace {

constexpr RecurrentKind kKind = {3, kInitialH + 1, 2, 2, "Sigmoid,Tanh"};

void check(const StepDesc& step) { check_recurrent(step, kKind); }

template <typename T>
void cell(const RecurrentPlan& plan, RecurrentState<T>& s, bool linear_before_reset) {
  using C = Compute<T>;
  const int64_t H = plan.hidden;
  const ActivationFunction &f = s.f[0], &g = s.f[1];
  const T *r_h = s.r + 2 * H * H, *rb_h = s.rb ? s.rb + 2 * H : nullptr;
  std::fill_n(s.gates, 3 * H, C(0));
  std::fill_n(s.more, 2 * H, C(0));
  add_projection(s.gates, s.w, s.x, s.wb, 3 * H, plan.input);
  add_projection(s.gates, s.r, s.h, s.rb, 2 * H, H);
  C *reset = s.gates + H, *recurrent = s.more, *reset_h = s.more + H;
  for (int64_t j = 0; j < H; ++j) {
    reset[j] = f(clipped(reset[j], plan.clip));
    reset_h[j] = reset[j] * s.h[j];
  }
  add_projection(recurrent, r_h, linear_before_reset ? s.h : reset_h, rb_h, H, H);
  for (int64_t j = 0; j < H; ++j) {
    const C update = f(clipped(s.gates[j], plan.clip));
    const C candidate = g(clipped(s.gates[2 * H + j] + (linear_before_reset ? reset[j] : C(1)) * recurrent[j], plan.clip));
    s.h[j] = (C(1) - update) * candidate + update * s.h[j];
  }
}

CallStatus run(const CallContext& context) noexcept {
  const bool linear_before_reset = number(context.step->numbers, "linear_before_reset", 0) != 0;
  return with_float(*context.step, [&]<typename T>() {
    return run_recurrent<T>(context, kKind,
                            [=](const RecurrentPlan& plan, RecurrentState<T>& s) { cell<T>(plan, s, linear_before_reset); });
  });
}

}  // namespace

const RuntimeCall kGru = {"GRU", check, recurrent_workspace, run};

}  // namespace tlm::runtime::calls
