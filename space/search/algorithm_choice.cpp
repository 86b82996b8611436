#include "tlm/space/search/algorithm_choice.h"

#include <cmath>

#include "tlm/space/search/constructive.h"
#include "tlm/space/search/machine_model.h"

namespace tlm::space {

double completed_cycles(const Context& c, Sketch s) {
  constexpr double kPhase = 8000;  // to begin a phase and to wait for its end
  for (;;) {
    const Context now = context_of(c, s);
    const std::optional<Decision> d = next_decision(now, s);
    if (!d) break;
    const int choice = d->kind == DecisionKind::kAlgorithm ? d->neutral : constructive_choice(now, s, *d);
    take(now, s, d->candidates[static_cast<size_t>(choice)]);
  }
  const Context now = context_of(c, s);
  double total = 0;
  for (size_t i = 0; i < s.plan.nests.size(); ++i) {
    const NestPlan& plan = s.plan.nests[i];
    const std::shared_ptr<const NestInfo> n = nest_info(now, s, static_cast<int>(i));
    total += nest_cycles(*n, plan, c.target, compute_cycles(*n, plan, c.target)) + kPhase;
  }
  return total;
}

int algorithm_choice(const Context& c, const Sketch& s, const Decision& d) {
  int best = 0;
  double lowest = INFINITY;
  for (size_t i = 0; i < d.candidates.size(); ++i) {
    Sketch trial = s;
    take(c, trial, d.candidates[i]);
    const double cycles = completed_cycles(c, std::move(trial));
    if (cycles >= lowest) continue;
    lowest = cycles;
    best = static_cast<int>(i);
  }
  return best;
}

}  // namespace tlm::space
