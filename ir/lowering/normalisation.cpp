// Normalisation: statistics, then an elementwise stage.
#include <cmath>

#include "tlm/ir/lowering/families.h"
#include "tlm/ir/lowering/stage_draft.h"

namespace tlm::ir {
namespace {

double product(const Shape& shape, const std::vector<bool>& reduced) {
  double n = 1;
  for (size_t d = 0; d < shape.size(); ++d) {
    if (reduced[d]) n *= static_cast<double>(shape[d]);
  }
  return n;
}

// Mean over the reduced dimensions, into `tensor`.
Operand mean_stage(NodeLowering& l, const Operand& x, const std::vector<bool>& reduced, int tensor) {
  double n = product(x.shape, reduced);
  reduce_stage(
      l.b, l.name("mean"), tensor, x.shape, reduced, CombinerKind::kSum, [&](const Indices& at) { return x.at(at); },
      [n](Expr sum) { return divide(sum, like(n, sum)); });
  return l.tensor_operand(tensor);
}

// finish(mean of (x - mean)^2), into `tensor`.
Operand variance_stage(NodeLowering& l, const Operand& x, const Operand& mean, const std::vector<bool>& reduced, int tensor,
                       const std::function<Expr(Expr)>& finish) {
  double n = product(x.shape, reduced);
  reduce_stage(
      l.b, l.name("variance"), tensor, x.shape, reduced, CombinerKind::kSum,
      [&](const Indices& at) {
        Expr d = x.at(at) - read_broadcast(mean, at);
        return d * d;
      },
      [&](Expr sum) { return finish(divide(sum, like(n, sum))); });
  return l.tensor_operand(tensor);
}

std::function<Expr(Expr)> inverse_deviation(double epsilon) {
  return [epsilon](Expr variance) { return divide(like(1, variance), unary(Op::kSqrt, variance + like(epsilon, variance))); };
}

Shape keep_dims(const Shape& shape, const std::vector<bool>& reduced) {
  Shape kept = shape;
  for (size_t d = 0; d < kept.size(); ++d) {
    if (reduced[d]) kept[d] = 1;
  }
  return kept;
}

Expr scale_and_shift(const Expr& x, const Expr& mean, const Expr& factor, const Expr& scale, const Expr& bias) {
  return (x - mean) * factor * make_cast(scale, x->dtype) + make_cast(bias, x->dtype);
}

// Where the parameters of a point's channel lie; a tensor of one dimension has one channel.
Indices channel_index(const Indices& at) { return {at.size() > 1 ? at[1] : make_int(0)}; }

void batch_normalization_training(NodeLowering& l, const Operand& x) {
  std::vector<bool> reduced(x.shape.size(), true);
  if (x.rank() > 1) reduced[1] = false;
  Shape channels = {x.rank() > 1 ? x.shape[1] : 1};
  int m = l.internal("mean", x.dtype, channels), v = l.internal("variance", x.dtype, channels);
  double n = product(x.shape, reduced);
  reduce_stage(
      l.b, l.name("mean"), m, x.shape, reduced, CombinerKind::kSum, [&](const Indices& at) { return x.at(at); },
      [n](Expr sum) { return divide(sum, like(n, sum)); });
  Operand mean = l.tensor_operand(m);
  reduce_stage(
      l.b, l.name("variance"), v, x.shape, reduced, CombinerKind::kSum,
      [&](const Indices& at) {
        Expr d = x.at(at) - mean.at(channel_index(at));
        return d * d;
      },
      [n](Expr sum) { return divide(sum, like(n, sum)); });
  Operand variance = l.tensor_operand(v);
  Operand scale = l.operand(1), bias = l.operand(2);
  double epsilon = l.node.attr_float("epsilon", 1e-5), momentum = l.node.attr_float("momentum", 0.9);
  map_stage(l.b, l.name(), l.out_tensor(), [&](const Indices& at) {
    Indices c = channel_index(at);
    return scale_and_shift(x.at(at), mean.at(c), inverse_deviation(epsilon)(variance.at(c)), scale.at(c), bias.at(c));
  });
  for (int j : {1, 2}) {  // running statistics
    if (!l.has_output(j)) continue;
    Operand running = l.operand(j + 2), current = j == 1 ? mean : variance;
    map_stage(l.b, l.name(j == 1 ? "running_mean" : "running_variance"), l.out_tensor(j), [&](const Indices& at) {
      Expr old = running.at(at), now = make_cast(current.at(at), old->dtype);
      return old * like(momentum, old) + now * like(1 - momentum, old);
    });
  }
}

}  // namespace

void lower_batch_normalization(NodeLowering& l) {
  Operand x = l.operand(0);
  if (l.node.attr_int("training_mode", 0) != 0) return batch_normalization_training(l, x);
  Operand scale = l.operand(1), bias = l.operand(2), mean = l.operand(3), variance = l.operand(4);
  double epsilon = l.node.attr_float("epsilon", 1e-5);
  map_stage(l.b, l.name(), l.out_tensor(), [&](const Indices& at) {
    Indices c = channel_index(at);
    Expr e = x.at(at), v = make_cast(variance.at(c), e->dtype);
    return scale_and_shift(e, make_cast(mean.at(c), e->dtype), inverse_deviation(epsilon)(v), scale.at(c), bias.at(c));
  });
}

void lower_instance_normalization(NodeLowering& l) {
  Operand x = l.operand(0), scale = l.operand(1), bias = l.operand(2);
  std::vector<bool> reduced(x.shape.size(), true);
  reduced[0] = reduced[1] = false;
  Shape kept = keep_dims(x.shape, reduced);
  Operand mean = mean_stage(l, x, reduced, l.internal("mean", x.dtype, kept));
  Operand inverse = variance_stage(l, x, mean, reduced, l.internal("inv_std", x.dtype, kept),
                                   inverse_deviation(l.node.attr_float("epsilon", 1e-5)));
  map_stage(l.b, l.name(), l.out_tensor(), [&](const Indices& at) {
    return scale_and_shift(x.at(at), read_broadcast(mean, at), read_broadcast(inverse, at), scale.at({at[1]}), bias.at({at[1]}));
  });
}

void lower_layer_normalization(NodeLowering& l) {
  Operand x = l.operand(0), scale = l.operand(1);
  auto axis = static_cast<size_t>(l.axis(l.node.attr_int("axis", -1), x.rank()));
  std::vector<bool> reduced(x.shape.size(), false);
  for (size_t d = axis; d < reduced.size(); ++d) reduced[d] = true;
  Shape kept = keep_dims(x.shape, reduced);
  int m = l.has_output(1) ? l.out_tensor(1) : l.internal("mean", x.dtype, kept);
  Operand mean = mean_stage(l, x, reduced, m);
  int v = l.has_output(2) ? l.out_tensor(2) : l.internal("inv_std", x.dtype, kept);
  Operand inverse = variance_stage(l, x, mean, reduced, v, inverse_deviation(l.node.attr_float("epsilon", 1e-5)));
  map_stage(l.b, l.name(), l.out_tensor(), [&](const Indices& at) {
    Expr y = (x.at(at) - read_broadcast(mean, at)) * read_broadcast(inverse, at) * read_broadcast(scale, at);
    return l.has_input(2) ? y + read_broadcast(l.operand(2), at) : y;
  });
}

// x is seen as [n, group, channels of the group, spatial…]; statistics are [n, group].
void lower_group_normalization(NodeLowering& l) {
  Operand x = l.operand(0), scale = l.operand(1), bias = l.operand(2);
  int64_t groups = l.integer("num_groups"), channels = x.shape[1];
  if (groups < 1 || channels % groups != 0)
    l.bad_model(std::to_string(groups) + " groups of " + std::to_string(channels) + " channels");
  int64_t size = channels / groups;
  Operand grouped = x;
  grouped.shape = {x.shape[0], groups, size};
  grouped.shape.insert(grouped.shape.end(), x.shape.begin() + 2, x.shape.end());
  grouped.at = [x, size](const Indices& at) {
    Indices from = {at[0], at[1] * size + at[2]};
    from.insert(from.end(), at.begin() + 3, at.end());
    return x.at(from);
  };
  std::vector<bool> reduced(grouped.shape.size(), true);
  reduced[0] = reduced[1] = false;
  Shape kept = keep_dims(grouped.shape, reduced);
  Operand mean = mean_stage(l, grouped, reduced, l.internal("mean", x.dtype, kept));
  Operand inverse = variance_stage(l, grouped, mean, reduced, l.internal("inv_std", x.dtype, kept),
                                   inverse_deviation(l.node.attr_float("epsilon", 1e-5)));
  map_stage(l.b, l.name(), l.out_tensor(), [&](const Indices& at) {
    Indices stat(kept.size(), make_int(0));
    stat[0] = at[0];
    stat[1] = floor_div(at[1], size);
    return scale_and_shift(x.at(at), mean.at(stat), inverse.at(stat), scale.at({at[1]}), bias.at({at[1]}));
  });
}

// (x - mean) / (sqrt(variance) + 1e-9)
void lower_mean_variance_normalization(NodeLowering& l) {
  Operand x = l.operand(0);
  std::vector<bool> reduced(x.shape.size(), false);
  for (int64_t a : l.node.attr_ints("axes", {0, 2, 3})) reduced[static_cast<size_t>(l.axis(a, x.rank()))] = true;
  Shape kept = keep_dims(x.shape, reduced);
  Operand mean = mean_stage(l, x, reduced, l.internal("mean", x.dtype, kept));
  Operand deviation = variance_stage(l, x, mean, reduced, l.internal("deviation", x.dtype, kept),
                                     [](Expr v) { return unary(Op::kSqrt, v) + like(1e-9, v); });
  map_stage(l.b, l.name(), l.out_tensor(),
            [&](const Indices& at) { return divide(x.at(at) - read_broadcast(mean, at), read_broadcast(deviation, at)); });
}

void lower_lp_normalization(NodeLowering& l) {
  Operand x = l.operand(0);
  int64_t p = l.node.attr_int("p", 2);
  if (p != 1 && p != 2) l.unsupported_attr("p", std::to_string(p));
  std::vector<bool> reduced(x.shape.size(), false);
  reduced[static_cast<size_t>(l.axis(l.node.attr_int("axis", -1), x.rank()))] = true;
  int norm = l.internal("norm", x.dtype, keep_dims(x.shape, reduced));
  reduce_stage(
      l.b, l.name("norm"), norm, x.shape, reduced, CombinerKind::kSum,
      [&](const Indices& at) { return p == 1 ? unary(Op::kAbs, x.at(at)) : x.at(at) * x.at(at); },
      [&](Expr sum) { return p == 1 ? sum : unary(Op::kSqrt, sum); });
  Operand n = l.tensor_operand(norm);
  map_stage(l.b, l.name(), l.out_tensor(), [&](const Indices& at) {
    Expr length = read_broadcast(n, at);
    return make_select(equals(length, like(0, length)), like(0, length), divide(x.at(at), length));
  });
}

// x / (bias + alpha/size · Σ x²)^beta over `size` neighbouring channels. Channels outside are a padding stage.
void lower_lrn(NodeLowering& l) {
  Operand x = l.operand(0);
  int64_t size = l.integer("size"), before = (size - 1) / 2;
  double alpha = l.node.attr_float("alpha", 1e-4), beta = l.node.attr_float("beta", 0.75), bias = l.node.attr_float("bias", 1);
  int64_t channels = x.shape[1];
  Operand around = x;
  if (size > 1) {
    Shape shape = x.shape;
    shape[1] = channels + size - 1;
    int tensor = l.internal("pad", l.in(0).dtype, shape, l.in(0).order);
    map_stage(l.b, l.name("pad"), tensor, [&](const Indices& at) {
      Indices from = at;
      from[1] = at[1] - before;
      Expr inside;
      if (before > 0) inside = less_equal(make_int(before), at[1]);
      inside = both(inside, less(at[1], make_int(channels + before)));
      return make_select(inside, x.at(from), make_const(0, x.dtype));
    });
    around = l.tensor_operand(tensor);
  }
  StageDraft s(l.b, l.name());
  Indices at = s.spatial(x.shape), from = at;
  from[1] = at[1] + s.reduce("r", size);
  Expr e = around.at(from);
  s.combine(CombinerKind::kSum, e * e);
  Expr base = s.acc() * like(alpha / static_cast<double>(size), e) + like(bias, e);
  Expr power;  // by square roots where they suffice
  if (beta == 0.5)
    power = unary(Op::kSqrt, base);
  else if (beta == 0.75)
    power = unary(Op::kSqrt, base) * unary(Op::kSqrt, unary(Op::kSqrt, base));
  else if (beta == 1)
    power = base;
  else
    power = make_op(Op::kPow, {base, like(beta, base)});
  s.output(l.out_tensor(), at, divide(x.at(at), power));
  s.emit();
}

}  // namespace tlm::ir
