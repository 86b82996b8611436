// Random arithmetic of generated programs. Exact mode keeps every intermediate value a small integer.
#pragma once

#include <vector>

#include "tlm/core/rng.h"
#include "tlm/ir/tensor/stage.h"

namespace tlm::test {

struct Value {
  ir::Expr e;
  double bound;  // exact mode: |e| <= bound
};

class ExprMaker {
 public:
  ExprMaker(Rng& rng, bool exact, const std::vector<ir::Axis>& axes) : rng_(rng), exact_(exact), axes_(axes) {}

  Value combine(std::vector<Value> values);  // all of one type: to a single value
  Value clamp(const Value& v, int limit);    // into [-limit, limit]
  // Give `s` a body and a combiner (and settle `exclusive`); return the accumulators. `points`: how many are combined.
  std::vector<Value> plain_combiner(ir::Stage& s, Value body, int64_t points);
  std::vector<Value> tuple_combiner(ir::Stage& s, Value body, int64_t points);

 private:
  Value binary(Value a, Value b);
  Value unary(Value v);
  Value scaled_down(const Value& v, double limit);
  ir::Expr axis_condition();
  bool chance(int percent) { return static_cast<int>(rng_.below(100)) < percent; }

  Rng& rng_;
  bool exact_;
  const std::vector<ir::Axis> axes_;
};

}  // namespace tlm::test
