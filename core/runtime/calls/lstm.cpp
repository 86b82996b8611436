// LSTM. Gates in the order i, o, f, c:
//   i = f(W_i x + R_i h + P_i∘c + b_i)   f = f(W_f x + R_f h + P_f∘c + b_f)   g = g(W_c x + R_c h + b_c)
//   c' = f∘c + i∘g                        o = f(W_o x + R_o h + P_o∘c' + b_o)  h' = o∘h(c')
// With input_forget, f = 1 − i.
#include "tlm/core/runtime/calls/recurrent.h"

namespace tlm::runtime::calls {
namespace {

constexpr RecurrentKind kKind = {4, kPeephole + 1, 3, 3, "Sigmoid,Tanh,Tanh"};

void check(const StepDesc& step) { check_recurrent(step, kKind); }

template <typename T>
void cell(const RecurrentPlan& plan, RecurrentState<T>& s, bool input_forget) {
  using C = Compute<T>;
  const int64_t H = plan.hidden;
  std::fill_n(s.gates, 4 * H, C(0));
  add_projection(s.gates, s.w, s.x, s.wb, 4 * H, plan.input);
  add_projection(s.gates, s.r, s.h, s.rb, 4 * H, H);
  const ActivationFunction &f = s.f[0], &g = s.f[1], &h = s.f[2];
  const auto peephole = [&](int64_t gate, int64_t j, C c) { return s.peephole ? load(s.peephole[gate * H + j]) * c : C(0); };
  for (int64_t j = 0; j < H; ++j) {
    const C before = s.c[j];
    const C input = f(clipped(s.gates[j] + peephole(0, j, before), plan.clip));
    const C forget = input_forget ? C(1) - input : f(clipped(s.gates[2 * H + j] + peephole(2, j, before), plan.clip));
    const C candidate = g(clipped(s.gates[3 * H + j], plan.clip));
    s.c[j] = forget * before + input * candidate;
    const C output = f(clipped(s.gates[H + j] + peephole(1, j, s.c[j]), plan.clip));
    s.h[j] = output * h(clipped(s.c[j], plan.clip));
  }
}

CallStatus run(const CallContext& context) noexcept {
  const bool input_forget = number(context.step->numbers, "input_forget", 0) != 0;
  return with_float(*context.step, [&]<typename T>() {
    return run_recurrent<T>(context, kKind,
                            [=](const RecurrentPlan& plan, RecurrentState<T>& s) { cell<T>(plan, s, input_forget); });
  });
}

}  // namespace

const RuntimeCall kLstm = {"LSTM", check, recurrent_workspace, run};

}  // namespace tlm::runtime::calls
