// Classification losses.
#include "tlm/ir/lowering/families.h"
#include "tlm/ir/lowering/softmax.h"

namespace tlm::ir {
namespace {

// Loss of each target [n, d…] from log probabilities [n, classes, d…]: -w[t]·p[n, t, d…], 0 where t is ignore_index. `weights`
// may be empty (1). Reduced as the node's attribute says: none, sum, or mean (weighted).
void negative_log_likelihood(NodeLowering& l, const Operand& p, const Operand& target, const Operand* weights) {
  std::string reduction = l.node.attr_string("reduction", "mean");
  int64_t classes = p.shape[1];
  DType t = p.dtype;
  auto label = [&](const Indices& at) { return make_cast(target.at(at), DType::kI64); };
  auto counted = [&](const Indices& at, const Expr& value) {
    if (!l.node.has_attr("ignore_index")) return value;
    return make_select(equals(label(at), make_int(l.integer("ignore_index"))), like(0, value), value);
  };
  auto weight = [&](const Indices& at) {
    return counted(at, weights ? make_cast(weights->at({clamp_index(label(at), classes)}), t) : make_const(1, t));
  };
  auto loss = [&](const Indices& at) {
    Indices from = {at[0], clamp_index(label(at), classes)};
    from.insert(from.end(), at.begin() + 1, at.end());
    Expr negative = unary(Op::kNeg, p.at(from));
    if (weights) negative = negative * make_cast(weights->at({clamp_index(label(at), classes)}), t);
    return counted(at, negative);
  };
  if (reduction == "none") {
    map_stage(l.b, l.name(), l.out_tensor(), loss);
    return;
  }
  std::vector<bool> all(target.shape.size(), true);
  if (reduction == "sum") {
    reduce_stage(l.b, l.name(), l.out_tensor(), target.shape, all, CombinerKind::kSum, loss);
    return;
  }
  if (reduction != "mean") l.unsupported_attr("reduction", reduction);
  if (!weights && !l.node.has_attr("ignore_index")) {
    double count = static_cast<double>(element_count(target.shape));
    reduce_stage(l.b, l.name(), l.out_tensor(), target.shape, all, CombinerKind::kSum, loss,
                 [count](Expr sum) { return divide(sum, like(count, sum)); });
    return;
  }
  int total = l.internal("weight", t, {});
  reduce_stage(l.b, l.name("weight"), total, target.shape, all, CombinerKind::kSum, weight);
  Operand divisor = l.tensor_operand(total);
  reduce_stage(l.b, l.name(), l.out_tensor(), target.shape, all, CombinerKind::kSum, loss,
               [&](Expr sum) { return divide(sum, divisor.at({})); });
}

}  // namespace

void lower_nll_loss(NodeLowering& l) {
  Operand weights;
  if (l.has_input(2)) weights = l.operand(2);
  negative_log_likelihood(l, l.operand(0), l.operand(1), l.has_input(2) ? &weights : nullptr);
}

// The loss of the log-softmax over dimension 1, which is also a second output.
void lower_softmax_cross_entropy(NodeLowering& l) {
  Operand scores = l.operand(0);
  int tensor = l.has_output(1) ? l.out_tensor(1) : l.internal("log_probabilities", scores.dtype, scores.shape, l.in(0).order);
  log_softmax(l, scores, 1, tensor);
  Operand weights;
  if (l.has_input(2)) weights = l.operand(2);
  negative_log_likelihood(l, l.tensor_operand(tensor), l.operand(1), l.has_input(2) ? &weights : nullptr);
}

}  // namespace tlm::ir
