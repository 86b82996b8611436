#include <gtest/gtest.h>

#include "tests/ir_passes/small_graph.h"
#include "tlm/ir/passes/pass_list.h"

namespace tlm::test {
namespace {

using ir::OpKind;
using ints = std::vector<int64_t>;

TEST(Eliminate, Table) {
  check_pass(
      {
          {"a dead node goes",
           [] {
             SmallGraph s;
             const auto x = s.input("x", {2, 3});
             s.op(OpKind::kNeg, "dead", {s.op(OpKind::kAbs, "dead too", {x})});
             return s.done({s.op(OpKind::kRelu, "y", {x})});
           },
           "Relu(x) -> y\noutputs: y\n"},
          {"an identity inside goes",
           [] {
             SmallGraph s;
             const auto x = s.input("x", {2, 3});
             return s.done({s.op(OpKind::kRelu, "y", {s.op(OpKind::kIdentity, "i", {x})})});
           },
           "Relu(x) -> y\noutputs: y\n"},
          {"an output behind an identity keeps its name, and other readers follow",
           [] {
             SmallGraph s;
             const auto r = s.op(OpKind::kRelu, "r", {s.input("x", {2, 3})});
             const auto early = s.op(OpKind::kNeg, "early", {r});
             return s.done({s.op(OpKind::kIdentity, "y", {r}), early, s.op(OpKind::kAbs, "late", {r})});
           },
           "Relu(x) -> y\nNeg(y) -> early\nAbs(y) -> late\noutputs: y, early, late\n"},
          {"two outputs behind one value: the second stays a copy",
           [] {
             SmallGraph s;
             const auto r = s.op(OpKind::kRelu, "r", {s.input("x", {2, 3})});
             return s.done({s.op(OpKind::kIdentity, "y", {r}), s.op(OpKind::kIdentity, "z", {r})});
           },
           "Relu(x) -> y\nIdentity(y) -> z\noutputs: y, z\n"},
          {"an output that is itself read through an identity keeps both names",
           [] {
             SmallGraph s;
             const auto r = s.op(OpKind::kRelu, "r", {s.input("x", {2, 3})});
             return s.done({r, s.op(OpKind::kIdentity, "z", {r})});
           },
           "Relu(x) -> r\nIdentity(r) -> z\noutputs: r, z\n"},
          {"an identity of an input or of a constant stays, as a copy",
           [] {
             SmallGraph s;
             const auto x = s.input("x", {2, 3});
             return s.done({s.op(OpKind::kIdentity, "y", {x}), s.op(OpKind::kIdentity, "z", {s.constant("c", {2})})});
           },
           "Identity(x) -> y\nIdentity(c) -> z\noutputs: y, z\n"},
          {"movements that move nothing",
           [] {
             SmallGraph s;
             auto x = s.input("x", {2, 1, 3});
             x = s.op(OpKind::kCast, "cast", {x}, {{"to", int64_t{1}}});
             x = s.op(OpKind::kReshape, "reshape", {x}, {{"shape", ints{2, 1, 3}}});
             x = s.op(OpKind::kTranspose, "transpose", {x}, {{"perm", ints{0, 1, 2}}});
             x = s.op(OpKind::kSlice, "slice", {x},
                      {{"starts", ints{0, 0, 0}}, {"steps", ints{1, 1, 1}}, {"extents", ints{2, 1, 3}}});
             x = s.op(OpKind::kPad, "pad", {x}, {{"pads", ints(6, 0)}});
             x = s.op(OpKind::kExpand, "expand", {x}, {{"shape", ints{2, 1, 3}}});
             x = s.op(OpKind::kTile, "tile", {x}, {{"repeats", ints{1, 1, 1}}});
             x = s.op(OpKind::kConcat, "concat", {x}, {{"axis", int64_t{1}}});
             x = s.op(OpKind::kSum, "sum", {x});
             x = s.ops(OpKind::kSplit, "split", {x}, {{"axis", int64_t{2}}, {"split", ints{3}}}, 1)[0];
             return s.done({s.op(OpKind::kRelu, "y", {x})});
           },
           "Relu(x) -> y\noutputs: y\n"},
          {"movements that move something stay",
           [] {
             SmallGraph s;
             auto x = s.input("x", {3, 3});
             x = s.op(OpKind::kTranspose, "transpose", {x}, {{"perm", ints{1, 0}}});
             x = s.op(OpKind::kSlice, "slice", {x}, {{"starts", ints{2, 0}}, {"steps", ints{-1, 1}}, {"extents", ints{3, 3}}});
             x = s.op(OpKind::kPad, "pad", {x}, {{"pads", ints{1, 0, -1, 0}}});
             x = s.op(OpKind::kCast, "cast", {x}, {{"to", int64_t{7}}});
             return s.done({x});
           },
           "Transpose(x) -> transpose\nSlice(transpose) -> slice\nPad(slice) -> pad\nCast(pad) -> cast\noutputs: cast\n"},
          {"a transposition of extents of 1 is a reshape",
           [] {
             SmallGraph s;
             const auto x = s.input("x", {2, 1, 3});
             return s.done({s.op(OpKind::kTranspose, "y", {x}, {{"perm", ints{1, 0, 2}}})});
           },
           "Reshape(x) -> y\noutputs: y\n"},
          {"an empty part of a concatenation goes, and then the concatenation",
           [] {
             SmallGraph s;
             const auto x = s.input("x", {2, 3}), e = s.input("e", {2, 0});
             return s.done({s.op(OpKind::kRelu, "y", {s.op(OpKind::kConcat, "c", {e, x}, {{"axis", int64_t{1}}})})});
           },
           "Relu(x) -> y\noutputs: y\n"},
      },
      ir::eliminate);
}

}  // namespace
}  // namespace tlm::test
