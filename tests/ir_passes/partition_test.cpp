#include <gtest/gtest.h>

#include <set>

#include "tests/ir_passes/small_graph.h"
#include "tests/support/graph_eval.h"
#include "tlm/core/rng.h"
#include "tlm/ir/passes/pass_list.h"
#include "tlm/tools/zoo/zoo.h"

namespace tlm::test {
namespace {

using ir::OpKind;
using ir::ValueId;
using ints = std::vector<int64_t>;

struct Case {
  const char* name;
  std::function<ir::Graph()> graph;
  const char* expected;
};

void check(const std::vector<Case>& cases) {
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    const ir::Graph g = c.graph();
    EXPECT_EQ(brief(g, ir::partition(g)), c.expected);
    check_partition(g);
  }
}

TEST(Partition, Fusion) {
  check({
      {"a padded convolution with bias, residual and activation is one subgraph",
       [] {
         SmallGraph s;
         const auto x = s.input("x", {1, 4, 5, 5});
         const auto biased = s.op(OpKind::kAdd, "b", {s.conv("c", x, 4, 3), s.constant("bias", {4, 1, 1})});
         return s.done({s.op(OpKind::kRelu, "y", {s.op(OpKind::kAdd, "res", {biased, x})})});
       },
       "c: c.pad, c, b, res, y\n"},
      {"of two convolutions that meet, the later one takes the addition",
       [] {
         SmallGraph s;
         const auto x = s.input("x", {1, 4, 5, 5});
         const auto sum = s.op(OpKind::kAdd, "sum", {s.conv("a", x, 4), s.conv("b", x, 4)});
         return s.done({s.op(OpKind::kRelu, "y", {sum})});
       },
       "a: a\nb: b, sum, y\n"},
      {"one reducing node for each subgraph",
       [] {
         SmallGraph s;
         return s.done({s.conv("b", s.op(OpKind::kRelu, "r", {s.conv("a", s.input("x", {1, 4, 5, 5}), 4)}), 4)});
       },
       "a: a, r\nb: b\n"},
      {"a value with another reader stays whole",
       [] {
         SmallGraph s;
         const auto c = s.conv("c", s.input("x", {1, 4, 5, 5}), 4);
         return s.done({s.op(OpKind::kRelu, "r", {c}), s.op(OpKind::kNeg, "n", {c})});
       },
       "c: c\nr: r\nn: n\n"},
      {"so does an output",
       [] {
         SmallGraph s;
         const auto c = s.conv("c", s.input("x", {1, 4, 5, 5}), 4);
         return s.done({c, s.op(OpKind::kRelu, "r", {c})});
       },
       "c: c\nr: r\n"},
      {"a diamond that closes is taken as a whole",
       [] {
         SmallGraph s;
         const auto c = s.conv("c", s.input("x", {1, 4, 5, 5}), 4);
         return s.done({s.op(OpKind::kMul, "y", {c, s.op(OpKind::kSigmoid, "gate", {c})})});
       },
       "c: c, gate, y\n"},
      {"one whose side is read elsewhere is not",
       [] {
         SmallGraph s;
         const auto c = s.conv("c", s.input("x", {1, 4, 5, 5}), 4);
         const auto gate = s.op(OpKind::kSigmoid, "gate", {c});
         return s.done({s.op(OpKind::kMul, "y", {c, gate}), s.conv("d", gate, 2)});
       },
       "c: c\ngate: gate\ny: y\nd: d\n"},
      {"a broadcast of the result is no epilogue",
       [] {
         SmallGraph s;
         const auto p = s.op(OpKind::kGlobalAveragePool, "p", {s.input("x", {1, 4, 5, 5})});
         return s.done({s.op(OpKind::kMul, "y", {p, s.input("z", {1, 4, 5, 5})})});
       },
       "p: p\ny: y\n"},
      {"elementwise chains are one",
       [] {
         SmallGraph s;
         auto x = s.input("x", {3, 4});
         x = s.op(OpKind::kAdd, "a", {x, s.constant("c", {4})});
         x = s.op(OpKind::kTanh, "t", {x});
         return s.done({s.op(OpKind::kMul, "m", {x, s.input("z", {3, 4})})});
       },
       "m: a, t, m\n"},
      {"a cheap producer moves in with the one that reads it",
       [] {
         SmallGraph s;
         const auto r =
             s.op(OpKind::kRelu, "r", {s.op(OpKind::kMul, "m", {s.input("x", {1, 4, 5, 5}), s.constant("k", {4, 1, 1})})});
         return s.done({s.conv("c", r, 4, 3)});
       },
       "c: m, r, c.pad, c\n"},
      {"a dear one does not",
       [] {
         SmallGraph s;
         return s.done({s.conv("c", s.op(OpKind::kTanh, "t", {s.input("x", {1, 4, 5, 5})}), 4)});
       },
       "t: t\nc: c\n"},
      {"nor one with two readers",
       [] {
         SmallGraph s;
         const auto r = s.op(OpKind::kRelu, "r", {s.input("x", {1, 4, 5, 5})});
         return s.done({s.conv("a", r, 4), s.conv("b", r, 4)});
       },
       "r: r\na: a\nb: b\n"},
      {"a transposed operand moves in with its product",
       [] {
         SmallGraph s;
         const auto t = s.op(OpKind::kTranspose, "t", {s.input("k", {2, 5, 3})}, {{"perm", ints{0, 2, 1}}});
         return s.done({s.op(OpKind::kMatMul, "y", {s.input("q", {2, 4, 3}), t})});
       },
       "y: t, y\n"},
      {"what several stages write does not",
       [] {
         SmallGraph s;
         const auto c =
             s.op(OpKind::kConcat, "c", {s.input("x", {1, 2, 5, 5}), s.input("z", {1, 2, 5, 5})}, {{"axis", int64_t{1}}});
         return s.done({s.conv("y", c, 4)});
       },
       "c: c.0, c.1\ny: y\n"},
      {"an epilogue whose operand depends on another result would be a circle",
       [] {
         SmallGraph s;
         const auto n =
             s.ops(OpKind::kLayerNormalization, "n", {s.input("x", {2, 4}), s.constant("k", {4})}, {{"axis", int64_t{1}}}, 2);
         const auto m = s.op(OpKind::kReduceSum, "m", {n[1]}, {{"axes", ints{0}}});
         return s.done({s.op(OpKind::kAdd, "y", {n[0], m})});
       },
       "n: n.mean, n.variance, n\nm: m\ny: y\n"},
      {"an epilogue that needs what depends on the result would be a circle",
       [] {
         SmallGraph s;
         const auto x = s.input("x", {1, 4, 5, 5});
         const auto a = s.conv("a", x, 4);
         const auto b = s.conv("b", a, 4);
         return s.done({s.op(OpKind::kAdd, "y", {a, b})});
       },
       "a: a\nb: b, y\n"},
  });
}

TEST(Partition, Views) {
  check({
      {"a reshape between subgraphs shares the buffer",
       [] {
         SmallGraph s;
         const auto r = s.op(OpKind::kRelu, "r", {s.input("x", {2, 6})});
         const auto v = s.op(OpKind::kReshape, "v", {r}, {{"shape", ints{3, 4}}});
         return s.done({s.op(OpKind::kMatMul, "y", {v, s.constant("w", {4, 2})})});
       },
       "r: r\ny: y\n"},
      {"of an input too",
       [] {
         SmallGraph s;
         const auto v = s.op(OpKind::kReshape, "v", {s.input("x", {2, 6})}, {{"shape", ints{3, 4}}});
         return s.done({s.op(OpKind::kRelu, "y", {v})});
       },
       "y: y\n"},
      {"an output that is a reshape of a computed value: the value lies in the output's buffer",
       [] {
         SmallGraph s;
         const auto r = s.op(OpKind::kRelu, "r", {s.input("x", {2, 6})});
         return s.done({s.op(OpKind::kReshape, "y", {r}, {{"shape", ints{3, 4}}}), s.op(OpKind::kNeg, "n", {r})});
       },
       "r: r in y\nn: n\n"},
      {"an output that is a reshape of an input is a copy",
       [] {
         SmallGraph s;
         return s.done({s.op(OpKind::kReshape, "y", {s.input("x", {2, 6})}, {{"shape", ints{3, 4}}})});
       },
       "copy of x: copy of x\n"},
      {"of a constant too",
       [] {
         SmallGraph s;
         return s.done({s.op(OpKind::kReshape, "y", {s.constant("c", {2, 6})}, {{"shape", ints{3, 4}}})});
       },
       "copy of c: copy of c\n"},
      {"two outputs are never one buffer",
       [] {
         SmallGraph s;
         const auto r = s.op(OpKind::kRelu, "r", {s.input("x", {2, 6})});
         return s.done({r, s.op(OpKind::kReshape, "y", {r}, {{"shape", ints{3, 4}}}), s.op(OpKind::kIdentity, "z", {r})});
       },
       "r: r\ncopy of r: copy of r\ncopy of r: copy of r\n"},
      {"nor are two reshapes of one value",
       [] {
         SmallGraph s;
         const auto r = s.op(OpKind::kRelu, "r", {s.input("x", {2, 6})});
         return s.done({s.op(OpKind::kReshape, "y", {r}, {{"shape", ints{3, 4}}}),
                        s.op(OpKind::kReshape, "z", {r}, {{"shape", ints{12}}})});
       },
       "r: r in z\ncopy of r: copy of r\n"},
      {"slices are views",
       [] {
         SmallGraph s;
         const auto p = s.ops(OpKind::kSplit, "p", {s.input("x", {2, 6, 3})}, {{"axis", int64_t{1}}, {"split", ints{2, 4}}}, 2);
         return s.done({s.op(OpKind::kRelu, "a", {p[0]}), s.op(OpKind::kNeg, "b", {p[1]})});
       },
       "a: a\nb: b\n"},
      {"a slice with steps moves in with its reader",
       [] {
         SmallGraph s;
         const auto p =
             s.op(OpKind::kSlice, "p", {s.input("x", {6})}, {{"starts", ints{5}}, {"steps", ints{-2}}, {"extents", ints{3}}});
         return s.done({s.op(OpKind::kRelu, "y", {p})});
       },
       "y: p, y\n"},
      {"a reshape of a slice that is no view is a copy",
       [] {
         SmallGraph s;
         const auto p = s.op(OpKind::kSlice, "p", {s.input("x", {4, 6})},
                             {{"starts", ints{0, 1}}, {"steps", ints{1, 1}}, {"extents", ints{4, 3}}});
         const auto v = s.op(OpKind::kReshape, "v", {p}, {{"shape", ints{12}}});
         return s.done({s.op(OpKind::kRelu, "y", {v})});
       },
       "copy of p: copy of p\ny: y\n"},
      {"what is concatenated is written in place",
       [] {
         SmallGraph s;
         const auto x = s.input("x", {1, 4, 5, 5});
         const auto a = s.op(OpKind::kRelu, "a", {s.conv("ca", x, 2)}), b = s.op(OpKind::kRelu, "b", {s.conv("cb", x, 3, 3)});
         const auto c = s.op(OpKind::kConcat, "c", {a, b}, {{"axis", int64_t{1}}});
         return s.done({s.conv("y", c, 2)});
       },
       "ca: ca, a in c\ncb: cb.pad, cb, b in c\ny: y\n"},
      {"inputs, repeated parts and parts of two concatenations are copied",
       [] {
         SmallGraph s;
         const auto x = s.input("x", {2, 3}), r = s.op(OpKind::kRelu, "r", {x}), n = s.op(OpKind::kNeg, "n", {r});
         const auto c = s.op(OpKind::kConcat, "c", {n, x, r}, {{"axis", int64_t{1}}});
         const auto d = s.op(OpKind::kConcat, "d", {n, r, r}, {{"axis", int64_t{0}}});
         return s.done({c, d});
       },
       "r: r in c\nn: n in d\ncopy of n: copy of n\ncopy of x: copy of x\ncopy of r: copy of r\ncopy of r: copy of r\n"},
      {"concatenations nest",
       [] {
         SmallGraph s;
         const auto x = s.input("x", {2, 3}), a = s.op(OpKind::kRelu, "a", {x}), b = s.op(OpKind::kNeg, "b", {a});
         const auto c = s.op(OpKind::kConcat, "c", {a, b}, {{"axis", int64_t{1}}});
         const auto d = s.op(OpKind::kConcat, "d", {s.op(OpKind::kAbs, "e", {c}), c}, {{"axis", int64_t{1}}});
         return s.done({s.op(OpKind::kExp, "y", {d})});
       },
       "a: a in d\nb: b in d\ne: e in d\ny: y\n"},
  });
}

TEST(Partition, PortsAndCalls) {
  check({
      {"a constant output is copied",
       [] {
         SmallGraph s;
         return s.done({s.constant("c", {2, 3}), s.op(OpKind::kRelu, "y", {s.input("x", {2})})});
       },
       "y: y\nc: c\n"},
      {"a runtime call",
       [] {
         SmallGraph s;
         const auto r = s.op(OpKind::kRelu, "r", {s.input("x", {2, 5})});
         const auto t = s.ops(OpKind::kTopK, "t", {r}, {{"k", int64_t{2}}, {"axis", int64_t{1}}}, 2);
         return s.done({s.op(OpKind::kNeg, "y", {t[0]}), t[1]});
       },
       "r: r\ncall TopK\ny: y\n"},
      {"a runtime call reads no slice: it is copied",
       [] {
         SmallGraph s;
         const auto p = s.op(OpKind::kSlice, "p", {s.input("x", {4, 6})},
                             {{"starts", ints{0, 1}}, {"steps", ints{1, 1}}, {"extents", ints{4, 3}}});
         const auto t = s.ops(OpKind::kTopK, "t", {p}, {{"k", int64_t{2}}, {"axis", int64_t{1}}}, 2);
         return s.done({t[0], t[1]});
       },
       "p: p\ncall TopK\n"},
      {"nor one that does not begin the buffer",
       [] {
         SmallGraph s;
         const auto r = s.op(OpKind::kExp, "r", {s.input("x", {4, 6})});
         const auto p = s.op(OpKind::kSlice, "p", {r}, {{"starts", ints{1, 0}}, {"steps", ints{1, 1}}, {"extents", ints{3, 6}}});
         const auto t = s.ops(OpKind::kTopK, "t", {p}, {{"k", int64_t{2}}, {"axis", int64_t{1}}}, 2);
         return s.done({t[0], t[1], s.op(OpKind::kNeg, "y", {r})});
       },
       "r: r\np: p\ncall TopK\ny: y\n"},
      {"nothing is done for values without elements",
       [] {
         SmallGraph s;
         return s.done({s.op(OpKind::kRelu, "e", {s.input("x", {2, 0})}), s.op(OpKind::kRelu, "y", {s.input("z", {2})})});
       },
       "y: y\n"},
      {"outputs of a node that nobody reads are not computed",
       [] {
         SmallGraph s;
         const auto p = s.ops(OpKind::kSplit, "p", {s.input("x", {6})}, {{"axis", int64_t{0}}, {"split", ints{2, 4}}}, 2);
         return s.done({p[1]});
       },
       "p: p.1\n"},
  });
}

TEST(Partition, OutputThatIsAnInputIsCopied) {
  SmallGraph s;
  const auto x = s.input("x", {2, 3});
  ir::Graph g = s.done({x, s.op(OpKind::kRelu, "y", {x})});
  EXPECT_TRUE(ir::separate_ports(g));
  EXPECT_FALSE(ir::separate_ports(g));
  EXPECT_EQ(brief(g), "Relu(x) -> y\nIdentity(x) -> x\noutputs: x, y\n");
  ir::run_graph_passes(g);
  EXPECT_EQ(brief(g, ir::partition(g)), "y: y\ncopy of x: copy of x\n");
  check_partition(g);
}

// Equal blocks of a network are one workload: names and numbers of values do not matter.
TEST(Partition, EqualSubgraphsHaveOneHash) {
  SmallGraph s;
  auto x = s.input("x", {1, 8, 6, 6});
  for (int i = 0; i < 4; ++i) {
    const std::string n = std::to_string(i);
    const auto c = s.batch_norm("bn" + n, s.conv("c" + n, x, 8, 3));
    const auto r = s.op(OpKind::kRelu, "r" + n, {s.op(OpKind::kAdd, "a" + n, {c, x})});
    x = r;
  }
  ir::Graph g = s.done({s.op(OpKind::kReduceMax, "y", {x})});
  ir::run_graph_passes(g);
  const ir::Partition p = ir::partition(g);
  ASSERT_EQ(p.steps.size(), 5u);
  std::set<uint64_t> hashes;
  for (size_t i = 1; i < 4; ++i) hashes.insert(ir::workload_hash(p.steps[i].subgraph));  // the first reads the input's layout
  EXPECT_EQ(hashes.size(), 1u);
  EXPECT_NE(ir::workload_hash(p.steps[0].subgraph), *hashes.begin());
  EXPECT_EQ(ir::workload_hash(ir::partition(g).steps[2].subgraph), *hashes.begin());
}

// Random graphs of elementwise nodes, movements and products: whatever is grouped and placed, the result is the same.
TEST(Partition, RandomGraphs) {
  for (uint64_t seed = 0; seed < 60; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Rng rng(seed);
    SmallGraph s;
    std::vector<ValueId> values = {s.input("x", {2, 4, 6}), s.input("z", {2, 4, 6}), s.constant("k", {2, 4, 6})};
    const auto pick = [&] { return values[rng.below(values.size())]; };
    for (int i = 0; i < 12; ++i) {
      const std::string n = "v" + std::to_string(i);
      const ValueId a = pick();
      const Shape shape = s.shape(a);
      const auto rank = static_cast<int64_t>(shape.size());
      switch (rng.below(9)) {
        case 0: values.push_back(s.op(OpKind::kRelu, n, {a})); break;
        case 1: {
          std::vector<ValueId> same;
          for (ValueId v : values) {
            if (s.shape(v) == shape) same.push_back(v);
          }
          values.push_back(s.op(OpKind::kAdd, n, {a, same[rng.below(same.size())]}));
          break;
        }
        case 2: {
          const auto axis = static_cast<int64_t>(rng.below(shape.size()));
          const std::vector<ValueId> parts = {a, rng.below(2) ? s.op(OpKind::kNeg, n + ".part", {a}) : a};
          if (element_count(shape) > 400) break;
          values.push_back(s.op(OpKind::kConcat, n, parts, {{"axis", axis}}));
          break;
        }
        case 3: {
          Shape flat = {element_count(shape)};
          if (flat[0] % 4 == 0 && rng.below(2)) flat = {flat[0] / 4, 2, 2};
          values.push_back(s.op(OpKind::kReshape, n, {a}, {{"shape", flat}}));
          break;
        }
        case 4: {
          ints perm(shape.size());
          for (size_t d = 0; d < perm.size(); ++d) perm[d] = static_cast<int64_t>(perm.size() - 1 - d);
          values.push_back(s.op(OpKind::kTranspose, n, {a}, {{"perm", perm}}));
          break;
        }
        case 5: {
          if (shape[0] < 2) break;
          const auto p = s.ops(OpKind::kSplit, n, {a}, {{"axis", int64_t{0}}, {"split", ints{1, shape[0] - 1}}}, 2);
          values.insert(values.end(), p.begin(), p.end());
          break;
        }
        case 6: values.push_back(s.op(OpKind::kSoftmax, n, {a}, {{"axis", rank - 1}})); break;
        case 7: {
          if (rank < 2) break;
          values.push_back(s.op(OpKind::kMatMul, n, {a, s.constant(n + ".w", {shape.back(), 3})}));
          break;
        }
        default: values.push_back(s.op(OpKind::kIdentity, n, {a})); break;
      }
    }
    std::set<ValueId> outputs = {values.back()};
    while (outputs.size() < 3) outputs.insert(pick());
    std::vector<ValueId> made;
    for (ValueId v : outputs) {
      if (v != values[0] && v != values[1]) made.push_back(v);
    }
    ir::Graph g = s.done(made);
    check_partition(g);
    const auto inputs = random_inputs(g, seed);
    const auto expected = run_nodes(g, inputs);
    ir::run_graph_passes(g, [](const std::string&, const ir::Graph& after) { ir::verify(after); });
    const auto actual = run_partition(g, ir::partition(g), inputs);
    for (size_t i = 0; i < expected.size(); ++i) EXPECT_LT(max_difference(actual[i], expected[i]), 1e-5);
  }
}

}  // namespace
}  // namespace tlm::test
