#include "tlm/ir/tensor/expr.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "tlm/core/error.h"
#include "tlm/ir/tensor/subgraph.h"

namespace tlm::ir {
namespace {

const std::vector<std::string> kVars = {"a", "b", "c"};

std::string text(const Expr& e) { return print(e, kVars, {"T", "U"}); }

Expr bin(Op op, const Expr& a, const Expr& b) { return make_op(op, {a, b}); }

TEST(Expr, NamesAreUniqueAndParse) {
  std::set<std::string> seen;
  const int count = static_cast<int>(Op::kIsInf) + 1;
  for (int i = 0; i < count; ++i) {
    const Op op = static_cast<Op>(i);
    EXPECT_TRUE(seen.insert(op_name(op)).second) << op_name(op);
    EXPECT_EQ(parse_op(op_name(op)), op);
  }
  EXPECT_FALSE(parse_op("nothing"));
  EXPECT_FALSE(parse_op(""));
}

TEST(Expr, BuildersFold) {
  const Expr a = make_var(0), x = make_load(0, DType::kF32, {a}), one = make_float(1), zero = make_float(0);
  const Expr i8 = make_load(1, DType::kI8, {a});
  struct Case {
    Expr e;
    const char* want;
  };
  const Case cases[] = {
      {a + 0, "a"},
      {make_int(0) + a, "a"},
      {a * 1, "a"},
      {a * 0, "0"},
      {a - 0, "a"},
      {make_int(3) + a, "a + 3"},
      {(a + 3) - 5, "a - 2"},
      {(a * 3) * 5, "a*15"},
      {make_int(7) * make_int(6), "42"},
      {make_int(7) - make_int(9), "-2"},
      {floor_div(make_int(-7), 2), "-4"},
      {floor_mod(make_int(-7), 2), "1"},
      {floor_div(a, 1), "a"},
      {floor_mod(a, 1), "0"},
      {bin(Op::kMin, a, a), "a"},
      {bin(Op::kAdd, make_int(127, DType::kI8), make_int(1, DType::kI8)), "-128:i8"},
      {bin(Op::kAdd, i8, make_int(-128, DType::kI8)), "U[a] + -128:i8"},
      {x * one, "T[a]"},
      {one * x, "T[a]"},
      {x - zero, "T[a]"},
      {x + zero, "T[a] + 0.0"},  // -0 + 0 is +0
      {x * zero, "T[a]*0.0"},    // NaN, infinity, -0
      {make_float(0.1) + make_float(0.2), "0.30000001192092896"},
      {make_float(16777216) + one, "16777216.0"},  // rounds as f32 does
      {make_select(make_int(1, DType::kBool), x, zero), "T[a]"},
      {make_select(make_int(0, DType::kBool), x, zero), "0.0"},
      {make_select(bin(Op::kLt, a, make_int(3)), x, x), "T[a]"},
      {bin(Op::kAnd, bin(Op::kLt, a, make_int(3)), make_int(1, DType::kBool)), "a < 3"},
      {bin(Op::kOr, make_int(1, DType::kBool), bin(Op::kLt, a, make_int(3))), "true"},
      {make_op(Op::kNot, {make_op(Op::kNot, {bin(Op::kEq, a, make_int(3))})}), "a == 3"},
      {make_cast(a, DType::kI64), "a"},
      {make_cast(make_float(2.75), DType::kI32), "2:i32"},
      {make_cast(make_int(300), DType::kU8), "44:u8"},
      {make_cast(make_float(1e9), DType::kU8), "255:u8"},
      {make_const(3, DType::kU8), "3:u8"},
      {make_const(0.1, DType::kF64), "0.1:f64"},
      {make_op(Op::kExp, {make_float(0)}), "1.0"},
  };
  for (const Case& c : cases) EXPECT_EQ(text(c.e), c.want);
}

TEST(Expr, BuildersRefuseMixedTypes) {
  const Expr a = make_var(0), x = make_load(0, DType::kF32, {a});
  EXPECT_THROW(a + x, InternalError);
  EXPECT_THROW(make_select(a, x, x), InternalError);
  EXPECT_THROW(make_load(0, DType::kF32, {x}), InternalError);
  EXPECT_THROW(make_op(Op::kExp, {x, x}), InternalError);
  EXPECT_THROW(make_op(Op::kExp, {a, a}), InternalError);
  EXPECT_THROW(make_int(1, DType::kF32), InternalError);
  EXPECT_THROW(make_float(1, DType::kI32), InternalError);
}

TEST(Expr, LiteralsAreValuesOfTheirType) {
  EXPECT_EQ(make_int(-1, DType::kU8)->ival, 255);
  EXPECT_EQ(make_int(200, DType::kI8)->ival, -56);
  EXPECT_EQ(make_int(7, DType::kBool)->ival, 1);
  EXPECT_EQ(make_float(0.1)->fval, static_cast<double>(0.1f));
  EXPECT_EQ(make_float(2049, DType::kF16)->fval, 2048);
  EXPECT_TRUE(equal(make_float(std::nan("1")), make_float(-std::nan("2"))));
  EXPECT_FALSE(equal(make_float(0.0), make_float(-0.0)));
}

TEST(Expr, RewriteKeepsSharingAndFolds) {
  // 2^30 nodes as a tree, 90 as a graph.
  Expr e = make_var(0);
  for (int i = 0; i < 30; ++i) e = bin(Op::kMax, e * 2, e * 3);
  int visited = 0;
  visit(e, [&](const Expr&) { ++visited; });
  EXPECT_LT(visited, 200);
  const Expr same = rewrite(e, [](const Expr&) { return Expr(); });
  EXPECT_EQ(same.get(), e.get());
  const Expr folded = rewrite(e, [](const Expr& n) { return n->op == Op::kVar ? make_int(1) : Expr(); });
  ASSERT_EQ(folded->op, Op::kInt);
  EXPECT_EQ(folded->ival, 205891132094649);  // 3^30
}

TEST(Expr, RewriteReplacesLeaves) {
  const Expr e = make_load(0, DType::kF32, {make_var(0) + make_var(1), make_var(1)});
  const Expr r = rewrite(e, [](const Expr& n) { return n->op == Op::kVar && n->id == 1 ? make_var(2) * 4 : Expr(); });
  EXPECT_EQ(text(e), "T[a + b, b]");
  EXPECT_EQ(text(r), "T[a + c*4, c*4]");
}

TEST(Expr, CompareIsATotalOrder) {
  const Expr list[] = {make_int(1),
                       make_int(2),
                       make_int(1, DType::kI32),
                       make_float(1),
                       make_float(-0.0),
                       make_float(0.0),
                       make_var(0),
                       make_var(1),
                       make_var(0) + 1,
                       make_var(0) * 2,
                       make_load(0, DType::kF32, {}),
                       make_load(1, DType::kF32, {}),
                       make_acc(0, DType::kF32)};
  for (const Expr& a : list)
    for (const Expr& b : list) {
      EXPECT_EQ(compare(a, b) == 0, a.get() == b.get()) << text(a) << " / " << text(b);
      EXPECT_EQ(compare(a, b) < 0, compare(b, a) > 0);
      for (const Expr& c : list)
        if (compare(a, b) < 0 && compare(b, c) < 0) {
          EXPECT_LT(compare(a, c), 0);
        }
    }
}

TEST(Expr, Affine) {
  const Expr a = make_var(0), b = make_var(1);
  const auto f = as_affine((a * 3 + b) * 2 - (b + 5) + make_op(Op::kNeg, {a}), 2);
  ASSERT_TRUE(f);
  EXPECT_EQ(f->constant, -5);
  EXPECT_EQ(f->coef, (std::vector<int64_t>{5, 1}));
  EXPECT_FALSE(as_affine(a * b, 2));
  EXPECT_FALSE(as_affine(floor_div(a, 2), 2));
  EXPECT_FALSE(as_affine(make_var(2), 2));
  EXPECT_FALSE(as_affine(make_float(1), 2));
  EXPECT_FALSE(as_affine(make_load(0, DType::kI64, {a}), 2));
  EXPECT_FALSE(as_affine((a * (int64_t{1} << 40)) * (int64_t{1} << 20) + make_int(INT64_MAX) + make_op(Op::kMin, {a, b}), 2));
}

TEST(Expr, BoundsOfClampedLoads) {
  const Expr load = make_load(0, DType::kI64, {make_var(0)});
  EXPECT_FALSE(bounds(load, {4}));
  EXPECT_FALSE(bounds(bin(Op::kMax, load, make_int(0)), {4}));
  const auto r = bounds(bin(Op::kMin, bin(Op::kMax, load, make_int(0)), make_int(9)), {4});
  ASSERT_TRUE(r);
  EXPECT_EQ(r->lo, 0);
  EXPECT_EQ(r->hi, 9);
  const auto m = bounds(floor_mod(load, 7), {4});
  ASSERT_TRUE(m);
  EXPECT_EQ(m->hi, 6);
  EXPECT_FALSE(bounds(make_var(0) * INT64_MAX, {4})) << "overflow";
  EXPECT_FALSE(bounds(make_var(5), {4})) << "unknown variable";
}

}  // namespace
}  // namespace tlm::ir
