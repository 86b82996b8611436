#include <gtest/gtest.h>

#include <cmath>

#include "tests/ir_passes/small_graph.h"
#include "tests/support/graph_eval.h"
#include "tlm/ir/passes/block_fold.h"
#include "tlm/ir/passes/pass_list.h"

namespace tlm::test {
namespace {

using ir::OpKind;
using ir::ValueId;
using ints = std::vector<int64_t>;

TEST(FoldConstants, Table) {
  check_pass(
      {
          {"a chain of constants",
           [] {
             SmallGraph s;
             const auto c = s.op(OpKind::kMul, "m", {s.op(OpKind::kNeg, "n", {s.constant("c", {3})}), s.constant("d", {2, 3})});
             return s.done({s.op(OpKind::kAdd, "y", {s.input("x", {2, 3}), c})});
           },
           "Add(x, m) -> y\noutputs: y\n"},
          {"a constant with other readers is kept",
           [] {
             SmallGraph s;
             const auto c = s.constant("c", {3});
             const auto a = s.op(OpKind::kAdd, "a", {s.input("x", {3}), s.op(OpKind::kNeg, "n", {c})});
             return s.done({s.op(OpKind::kMul, "y", {a, c})});
           },
           "Add(x, n) -> a\nMul(a, c) -> y\noutputs: y\n"},
          {"an output may become a constant, and an operand may be one",
           [] {
             SmallGraph s;
             const auto n = s.op(OpKind::kNeg, "n", {s.constant("c", {3})});
             return s.done({n, s.op(OpKind::kAbs, "a", {n}), s.op(OpKind::kRelu, "r", {s.input("x", {1})})});
           },
           "Relu(x) -> r\noutputs: n, a, r\n"},
          {"nodes without inputs",
           [] {
             SmallGraph s;
             const auto z =
                 s.op(OpKind::kConstantOfShape, "z", {}, {{"shape", ints{2, 3}}, {"value", Tensor::scalar_f32(2).reshaped({1})}});
             return s.done({s.op(OpKind::kAdd, "y", {s.input("x", {2, 3}), z})});
           },
           "Add(x, z) -> y\noutputs: y\n"},
          {"several outputs",
           [] {
             SmallGraph s;
             const auto p = s.ops(OpKind::kSplit, "p", {s.constant("c", {5})}, {{"axis", int64_t{0}}, {"split", ints{2, 3}}}, 2);
             return s.done(
                 {s.op(OpKind::kAdd, "y", {s.input("x", {2}), p[0]}), s.op(OpKind::kAdd, "z", {s.input("w", {3}), p[1]})});
           },
           "Add(x, p_0) -> y\nAdd(w, p_1) -> z\noutputs: y, z\n"},
          {"a reduction over nothing is its identity",
           [] {
             SmallGraph s;
             const auto sum =
                 s.op(OpKind::kReduceSum, "sum", {s.input("x", {2, 0})}, {{"axes", ints{1}}, {"keepdims", int64_t{0}}});
             return s.done({s.op(OpKind::kAdd, "y", {s.input("z", {2}), sum})});
           },
           "Add(z, sum) -> y\noutputs: y\n"},
          {"runtime calls stay",
           [] {
             SmallGraph s;
             const auto t = s.ops(OpKind::kTopK, "t", {s.constant("c", {5})}, {{"k", int64_t{2}}, {"axis", int64_t{0}}}, 2);
             return s.done({s.op(OpKind::kAdd, "y", {s.input("x", {2}), t[0]})});
           },
           "TopK(c) -> t_0, t_1\nAdd(x, t_0) -> y\noutputs: y\n"},
      },
      ir::fold_constants);
}

// Operands go as soon as nobody needs them: after folding, only what is read or an output holds memory.
TEST(FoldConstants, FreesOperands) {
  SmallGraph s;
  ValueId c = s.constant("c0", {1000});
  for (int i = 1; i < 6; ++i) c = s.op(OpKind::kNeg, "c" + std::to_string(i), {c});
  ir::Graph g = s.done({s.op(OpKind::kAdd, "y", {s.input("x", {1000}), c})});
  EXPECT_TRUE(ir::fold_constants(g));
  int constants = 0;
  for (const ir::Value& v : g.values) constants += v.constant ? 1 : 0;
  EXPECT_EQ(constants, 1);
}

// A generator as models have it: Range, modulus, quotient, polynomial, to float.
ir::Graph generated_weights(int64_t count, bool counter_output) {
  SmallGraph s;
  const auto number = [&](const std::string& name, double v) { return s.numbers(name, {}, {v}, DType::kI64); };
  const auto p = number("p", 65521);
  ir::Node range;  // as the reader leaves it: large ones stay nodes
  range.op = OpKind::kRange;
  range.inputs = {number("zero", 3), number("limit", static_cast<double>(3 + 2 * count)), number("step", 2)};
  ir::Value v;
  v.name = "i";
  v.dtype = DType::kI64;
  v.shape = {count};
  const ValueId i = s.graph.add_value(v);
  range.outputs = {i};
  s.graph.add_node(range);
  const auto r = s.op(OpKind::kMod, "r", {i, p}), q = s.op(OpKind::kDiv, "q", {i, p});
  const auto t = s.op(OpKind::kAdd, "t", {s.op(OpKind::kMul, "ra", {r, number("a", 72)}), number("b", 61804)});
  const auto sum =
      s.op(OpKind::kAdd, "sum", {s.op(OpKind::kMul, "tr", {t, r}), s.op(OpKind::kMul, "qd", {q, number("d", 8534)})});
  const auto f = s.op(OpKind::kCast, "f", {s.op(OpKind::kMod, "m", {sum, p})}, {{"to", int64_t{1}}});
  const auto u =
      s.op(OpKind::kSub, "u", {s.op(OpKind::kDiv, "d1", {f, s.numbers("pf", {1}, {65521})}), s.numbers("half", {1, 1}, {0.5})});
  const auto w = s.op(OpKind::kReshape, "w", {u}, {{"shape", ints{count / 4, 4}}});
  const auto y = s.op(OpKind::kMatMul, "y", {s.input("x", {2, count / 4}), w});
  std::vector<ValueId> outputs = {y};
  if (counter_output) outputs.insert(outputs.end(), {u, i});
  return s.done(outputs);
}

TEST(FoldConstants, GeneratedWeightsRunInBlocks) {
  for (const bool counter_output : {false, true}) {
    const int64_t count = (1 << 16) + 4;  // three blocks, the last one short
    const ir::Graph before = generated_weights(count, counter_output);
    ir::Graph after = before;
    EXPECT_TRUE(ir::fold_constants(after));
    EXPECT_EQ(brief(after), counter_output ? "MatMul(x, w) -> y\noutputs: y, u, i\n" : "MatMul(x, w) -> y\noutputs: y\n");
    ir::verify(after);
    const auto inputs = random_inputs(before, 1);
    const auto expected = run_nodes(before, inputs, Evaluator::kEvaluate),
               actual = run_nodes(after, inputs, Evaluator::kEvaluate);
    for (size_t i = 0; i < expected.size(); ++i) EXPECT_EQ(max_difference(actual[i], expected[i]), 0) << i;
    // And one element by hand.
    const int64_t e = 50001, n = 3 + 2 * e, r = n % 65521, q = n / 65521;
    const float w = static_cast<float>(((72 * r + 61804) * r + 8534 * q) % 65521) / 65521.0f - 0.5f;
    for (const ir::Value& v : after.values) {
      if (v.name == "w") {
        EXPECT_EQ(v.constant->as<float>()[static_cast<size_t>(e)], w);
      }
    }
  }
}

// What does not go element by element is not taken into blocks, though it is large and constant.
TEST(FoldConstants, BlocksTakeOnlyElementwiseNodes) {
  SmallGraph s;
  const auto c = s.constant("c", {512, 256}), row = s.constant("row", {256}), one = s.constant("one", {1});
  const auto scaled = s.op(OpKind::kMul, "scaled", {c, one});
  const auto broadcast = s.op(OpKind::kMul, "broadcast", {c, row});
  const auto turned = s.op(OpKind::kTranspose, "turned", {scaled}, {{"perm", ints{1, 0}}});
  const auto low = s.op(OpKind::kTrilu, "low", {c}, {{"k", int64_t{0}}, {"upper", int64_t{0}}});
  const auto small = s.op(OpKind::kNeg, "small", {row});
  const auto live = s.op(OpKind::kAdd, "live", {c, s.input("x", {512, 256})});
  const ir::Graph g = s.done({broadcast, turned, low, small, live});
  ir::BlockFolder folder(g);
  const auto takes = [&](ValueId v) { return folder.take(g.value(v).producer); };
  EXPECT_TRUE(takes(scaled));
  EXPECT_FALSE(takes(broadcast));
  EXPECT_FALSE(takes(turned));
  EXPECT_FALSE(takes(low));
  EXPECT_FALSE(takes(small));
  EXPECT_FALSE(takes(live));
  EXPECT_EQ(folder.compute(scaled).at_f64(77777),
            static_cast<float>(g.value(c).constant->at_f64(77777) * g.value(one).constant->at_f64(0)));
}

}  // namespace
}  // namespace tlm::test
