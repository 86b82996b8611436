// RNN, GRU and LSTM: x [time, batch, size] (layout 0) or [batch, time, size] (layout 1).
#include "tlm/ir/graph/shape_rules.h"

namespace tlm::ir {

void rule_recurrent(RuleContext& c) {
  c.require_rank(0, 3, 3);
  c.require_rank(1, 3, 3);
  c.require_rank(2, 3, 3);
  const Shape x = c.shape(0), w = c.shape(1), r = c.shape(2);
  const OpKind op = c.node().op;
  const int64_t gates = op == OpKind::kLSTM ? 4 : op == OpKind::kGRU ? 3 : 1;
  const std::string direction = c.node().attr_string("direction", "forward");
  if (direction != "forward" && direction != "reverse" && direction != "bidirectional")
    c.fail("direction is '" + direction + "'");
  const int64_t directions = direction == "bidirectional" ? 2 : 1;
  const int64_t hidden = c.node().attr_int("hidden_size", r[2]);
  const Shape w_expected = {directions, checked_mul(c, gates, hidden), x[2]}, r_expected = {directions, w_expected[1], hidden};
  if (w != w_expected) c.fail("weights have shape " + to_string(w) + "; " + to_string(w_expected) + " is needed");
  if (r != r_expected) c.fail("recurrence weights have shape " + to_string(r) + "; " + to_string(r_expected) + " is needed");
  c.set("hidden_size", hidden);
  const bool batch_first = c.attr_int("layout") != 0;
  const int64_t time = x[batch_first ? 1 : 0], batch = x[batch_first ? 0 : 1];
  const Shape state = batch_first ? Shape{batch, directions, hidden} : Shape{directions, batch, hidden};
  const DType t = c.dtype(0);
  c.output(0, t, batch_first ? Shape{batch, time, directions, hidden} : Shape{time, directions, batch, hidden});
  c.output(1, t, state);
  if (op == OpKind::kLSTM) c.output(2, t, state);
}

}  // namespace tlm::ir
