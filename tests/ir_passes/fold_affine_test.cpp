#include <gtest/gtest.h>

#include "tests/ir_passes/small_graph.h"
#include "tests/support/graph_eval.h"
#include "tlm/ir/passes/pass_list.h"

namespace tlm::test {
namespace {

using ir::OpKind;
using ints = std::vector<int64_t>;

TEST(FoldAffine, Convolutions) {
  check_pass(
      {
          {"batch norm after a convolution",
           [] {
             SmallGraph s;
             return s.done({s.batch_norm("y", s.conv("c", s.input("x", {2, 3, 4, 4}), 5, 3))});
           },
           "Conv(x, y.weights, y.bias) -> y\noutputs: y\n"},
          {"after a grouped one",
           [] {
             SmallGraph s;
             return s.done({s.batch_norm("y", s.conv("c", s.input("x", {1, 4, 3, 3}), 6, 1, 2))});
           },
           "Conv(x, y.weights, y.bias) -> y\noutputs: y\n"},
          {"after a grouped transposed one with a bias",
           [] {
             SmallGraph s;
             const auto x = s.input("x", {1, 4, 3, 3});
             const auto c = s.op(OpKind::kConvTranspose, "c", {x, s.constant("w", {4, 3, 2, 2}), s.constant("b", {6})},
                                 {{"group", int64_t{2}}});
             return s.done({s.batch_norm("y", c)});
           },
           "ConvTranspose(x, y.weights, y.bias) -> y\noutputs: y\n"},
          {"a chain of channel constants",
           [] {
             SmallGraph s;
             auto x = s.conv("c", s.input("x", {1, 2, 3, 3}), 3, 3);
             x = s.op(OpKind::kAdd, "add", {s.constant("a", {3, 1, 1}), x});
             x = s.op(OpKind::kMul, "mul", {x, s.constant("m", {1, 3, 1, 1})});
             x = s.op(OpKind::kSub, "sub", {x, s.constant("s", {3, 1, 1})});
             x = s.op(OpKind::kSub, "rsub", {s.constant("r", {3, 1, 1}), x});
             x = s.op(OpKind::kDiv, "div", {x, s.numbers("two", {}, {2})});
             return s.done({x});
           },
           "Conv(x, div.weights, div.bias) -> div\noutputs: div\n"},
          {"shared weights are copied",
           [] {
             SmallGraph s;
             const auto x = s.input("x", {1, 2, 3, 3});
             const auto w = s.constant("w", {2, 2, 1, 1});
             const auto a = s.batch_norm("a", s.op(OpKind::kConv, "ca", {x, w}));
             return s.done({a, s.op(OpKind::kConv, "cb", {a, w})});
           },
           "Conv(x, a.weights, a.bias) -> a\nConv(a, w) -> cb\noutputs: a, cb\n"},
          {"a value with another reader is kept: the batch norm is spelled out",
           [] {
             SmallGraph s;
             const auto c = s.conv("c", s.input("x", {1, 2, 3, 3}), 2);
             return s.done({s.batch_norm("y", c), s.op(OpKind::kRelu, "r", {c})});
           },
           "Conv(x, c.w) -> c\nRelu(c) -> r\nMul(c, y.scale) -> y.scaled\nAdd(y.scaled, y.shift) -> y\noutputs: y, r\n"},
          {"so is one that is an output",
           [] {
             SmallGraph s;
             const auto c = s.conv("c", s.input("x", {1, 2, 3, 3}), 2);
             return s.done({c, s.op(OpKind::kMul, "y", {c, s.numbers("two", {}, {2})})});
           },
           "Conv(x, c.w) -> c\nMul(c, two) -> y\noutputs: c, y\n"},
          {"constants that are no channel constants stay",
           [] {
             SmallGraph s;
             const auto c = s.conv("c", s.input("x", {1, 3, 3, 3}), 3);
             const auto a = s.op(OpKind::kAdd, "a", {c, s.constant("row", {3})});
             return s.done({s.op(OpKind::kDiv, "d", {a, s.numbers("zero", {}, {0})})});
           },
           "Conv(x, c.w) -> c\nAdd(c, row) -> a\nDiv(a, zero) -> d\noutputs: d\n"},
          {"weights that are no constants stay",
           [] {
             SmallGraph s;
             const auto x = s.input("x", {1, 3, 3, 3}), w = s.input("w", {3, 3, 1, 1});
             return s.done({s.op(OpKind::kMul, "y", {s.op(OpKind::kConv, "c", {x, w}), s.numbers("two", {}, {2})})});
           },
           "Conv(x, w) -> c\nMul(c, two) -> y\noutputs: y\n"},
          {"a broadcast that enlarges the value stays",
           [] {
             SmallGraph s;
             const auto c = s.conv("c", s.input("x", {1, 2, 1, 1}), 3);
             return s.done({s.op(OpKind::kMul, "y", {c, s.constant("m", {2, 3, 1, 1})})});
           },
           "Conv(x, c.w) -> c\nMul(c, m) -> y\noutputs: y\n"},
          {"a batch norm alone",
           [] {
             SmallGraph s;
             return s.done({s.batch_norm("y", s.input("x", {2, 3, 4}))});
           },
           "Mul(x, y.scale) -> y.scaled\nAdd(y.scaled, y.shift) -> y\noutputs: y\n"},
      },
      ir::fold_affine);
}

TEST(FoldAffine, MatrixProducts) {
  check_pass(
      {
          {"gemm, plain",
           [] {
             SmallGraph s;
             const auto x = s.input("x", {2, 3});
             const auto y = s.op(OpKind::kGemm, "g", {x, s.constant("w", {3, 4})}, {{"alpha", 0.5}});
             return s.done({s.batch_norm("y", y)});
           },
           "Gemm(x, y.weights, y.bias) -> y\noutputs: y\n"},
          {"gemm, transposed, with a scaled bias",
           [] {
             SmallGraph s;
             const auto x = s.input("x", {2, 3});
             const auto y = s.op(OpKind::kGemm, "g", {x, s.constant("w", {4, 3}), s.constant("b", {4})},
                                 {{"transB", int64_t{1}}, {"beta", 3.0}});
             return s.done({s.op(OpKind::kMul, "y", {y, s.constant("m", {4})})});
           },
           "Gemm(x, y.weights, y.bias) -> y\noutputs: y\n"},
          {"gemm whose bias varies by row stays",
           [] {
             SmallGraph s;
             const auto x = s.input("x", {4, 3});
             const auto y = s.op(OpKind::kGemm, "g", {x, s.constant("w", {3, 4}), s.constant("b", {4, 1})});
             return s.done({s.op(OpKind::kMul, "y", {y, s.constant("m", {4})})});
           },
           "Gemm(x, w, b) -> g\nMul(g, m) -> y\noutputs: y\n"},
          {"matmul takes a scale, not a shift",
           [] {
             SmallGraph s;
             const auto x = s.input("x", {2, 3, 4});
             auto y = s.op(OpKind::kMatMul, "g", {x, s.constant("w", {4, 5})});
             y = s.op(OpKind::kMul, "m", {y, s.constant("k", {5})});
             return s.done({s.op(OpKind::kAdd, "y", {y, s.constant("b", {5})})});
           },
           "MatMul(x, m.weights) -> m\nAdd(m, b) -> y\noutputs: y\n"},
          {"matmul scaled along another axis stays",
           [] {
             SmallGraph s;
             const auto x = s.input("x", {2, 5, 4});
             const auto y = s.op(OpKind::kMatMul, "g", {x, s.constant("w", {4, 5})});
             return s.done({s.op(OpKind::kMul, "m", {y, s.constant("k", {5, 1})})});
           },
           "MatMul(x, w) -> g\nMul(g, k) -> m\noutputs: m\n"},
          {"a constant left operand stays",
           [] {
             SmallGraph s;
             const auto x = s.input("x", {4, 5});
             const auto y = s.op(OpKind::kMatMul, "g", {s.constant("w", {2, 4}), x});
             return s.done({s.op(OpKind::kMul, "m", {y, s.constant("k", {5})})});
           },
           "MatMul(w, x) -> g\nMul(g, k) -> m\noutputs: m\n"},
      },
      ir::fold_affine);
}

// A batch norm whose variance is negative has no finite scale: it is left to give what it gives.
TEST(FoldAffine, KeepsWhatIsNotFinite) {
  SmallGraph s;
  const auto x = s.conv("c", s.input("x", {1, 1, 2, 2}), 1);
  const auto one = s.numbers("one", {1}, {1}), minus = s.numbers("minus", {1}, {-1});
  ir::Graph g = s.done({s.op(OpKind::kBatchNormalization, "y", {x, one, one, one, minus})});
  EXPECT_FALSE(ir::fold_affine(g));
  EXPECT_EQ(brief(g), "Conv(x, c.w) -> c\nBatchNormalization(c, one, one, one, minus) -> y\noutputs: y\n");
}

}  // namespace
}  // namespace tlm::test
