#include "tlm/space/search/attach_choice.h"

#include <algorithm>

#include "tlm/space/search/algorithm_choice.h"

namespace tlm::space {
namespace {

double points(const ir::Stage& s) {
  double p = 1;
  for (const ir::Axis& a : s.axes) p *= static_cast<double>(a.extent);
  return p;
}

}  // namespace

Attach attach_choice(const Context& c, const Sketch& s, const Decision& d) {
  auto offered = [&](Attach a) {
    return std::find(d.candidates.begin(), d.candidates.end(), Choice{static_cast<int64_t>(a)}) != d.candidates.end();
  };
  // On registers nothing is loaded or stored again.
  if (offered(Attach::kEpilogue)) return Attach::kEpilogue;
  if (!offered(Attach::kInline)) return Attach::kRoot;

  // Inlined, the expression is computed at every load; as a root once, then stored and loaded.
  constexpr double kMemory = 10;    // a store and its later load, in operations
  constexpr double kPhase = 20000;  // a barrier, in operations
  constexpr double kGuard = 1;      // a guarded load
  ir::Stage self = inlined_stage(c.g, s.plan.attach, d.stage);
  double ops = 0;
  bool guarded = false;
  for (const ir::Expr& e : self.body) {
    ir::visit(e, [&](const ir::Expr& n) { guarded = guarded || n->op == ir::Op::kSelect; });
  }
  self.outputs.clear();
  ops = ir::flops(self) / points(self);
  double readings = 0;
  for (const ir::StageOutput& o : c.g.stages[d.stage].outputs) {
    for (int r : c.g.readers(o.tensor)) {
      const ir::Stage& reader = c.g.stages[r];
      double loads = 0;
      auto count = [&](const ir::Expr& n) { loads += n->op == ir::Op::kLoad && n->id == o.tensor; };
      for (const ir::Expr& e : reader.body) ir::visit(e, count);
      for (const ir::Expr& e : reader.result) ir::visit(e, count);
      readings += loads * points(reader);
    }
  }
  // A copy costs nothing where it is inlined, but its reader then reads across the rows of what is copied.
  constexpr double kManyReadings = 8;  // of each element
  if (c.g.stages[d.stage].body[0]->op == ir::Op::kLoad && readings >= kManyReadings * points(self)) {
    const auto cycles = [&](Attach a) {
      Sketch trial = s;
      take(c, trial, {static_cast<int64_t>(a)});
      return completed_cycles(c, std::move(trial));
    };
    return cycles(Attach::kRoot) < cycles(Attach::kInline) ? Attach::kRoot : Attach::kInline;
  }
  const double each = ops + (guarded ? kGuard : 0);
  const double inlined = readings * each;
  const double stored = points(self) * (each + kMemory) + kPhase;
  return inlined <= stored ? Attach::kInline : Attach::kRoot;
}

}  // namespace tlm::space
