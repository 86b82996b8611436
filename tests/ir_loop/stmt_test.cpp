#include "tlm/ir/loop/stmt.h"

#include <gtest/gtest.h>

#include <set>

#include "tlm/core/error.h"

namespace tlm::ir {
namespace {

TEST(Stmt, NamesAreUniqueIdentifiers) {
  Kernel k;
  std::set<std::string> seen;
  for (const char* hint : {"i", "i", "i", "i2", "a/b:0", "a_b_0", "", "7", "i1", "i1"}) {
    EXPECT_TRUE(seen.insert(k.vars[static_cast<size_t>(new_var(k, hint))]).second);
    EXPECT_TRUE(seen.insert(k.locals[static_cast<size_t>(new_local(k, hint, DType::kF32, 1))]).second);
  }
  EXPECT_EQ(k.vars[0], "i");
  EXPECT_EQ(k.vars[4], "a_b_0");
  EXPECT_NO_THROW(verify(k));
}

TEST(Stmt, ManyNamesStayCheap) {
  Kernel k;
  for (int i = 0; i < 3000; ++i) new_local(k, "acc", DType::kF32, 8);
  EXPECT_EQ(std::set<std::string>(k.locals.begin(), k.locals.end()).size(), 3000u);
}

TEST(Stmt, ReadLocalHasItsType) {
  Kernel k;
  const int l = new_local(k, "v", DType::kF64, 4);
  const Expr e = read_local(k, l);
  EXPECT_EQ(e->dtype, DType::kF64);
  EXPECT_EQ(e->lanes, 4);
  EXPECT_THROW(read_local(k, 1), InternalError);
}

TEST(Stmt, LanesOfExpressions) {
  Kernel k;
  const Expr v = read_local(k, new_local(k, "v", DType::kF32, 4)), w = read_local(k, new_local(k, "w", DType::kF32, 8));
  EXPECT_EQ((v * make_float(2))->lanes, 4);
  EXPECT_EQ(make_load(0, DType::kF32, {make_ramp(make_int(3), 2, 8)})->lanes, 8);
  EXPECT_EQ(make_select(make_op(Op::kLt, {v, make_float(0)}), v, make_float(1))->lanes, 4);
  EXPECT_EQ(make_cast(w, DType::kI32)->lanes, 8);
  EXPECT_EQ(make_op(Op::kLt, {v, make_float(0)})->dtype, DType::kBool);
  EXPECT_THROW(v + w, InternalError);
  // Neutral elements fold only where the lanes stay.
  EXPECT_EQ((v * make_float(1)).get(), v.get());
  EXPECT_EQ((make_ramp(make_int(0), 1, 4) * 0)->lanes, 4);
  EXPECT_EQ((make_int(0) + make_ramp(make_int(5), 1, 4))->lanes, 4);
}

TEST(Stmt, RewritingKeepsVectors) {
  const int x = 0;
  ExprNode partial = *make_load(2, DType::kF32, {make_ramp(make_var(x), 1, 4)});
  partial.ival = 3;
  const Expr load = Expr(std::make_shared<const ExprNode>(partial));
  const Expr r = rewrite(load, [&](const Expr& e) { return e->op == Op::kVar ? make_int(10) : Expr(); });
  EXPECT_EQ(r->lanes, 4);
  EXPECT_EQ(r->ival, 3);
  EXPECT_EQ(r->args[0]->op, Op::kRamp);
  EXPECT_EQ(r->args[0]->args[0]->ival, 10);
  const auto range = bounds(make_ramp(make_var(0) * 4, -2, 4), {3});
  ASSERT_TRUE(range);
  EXPECT_EQ(range->lo, -6);
  EXPECT_EQ(range->hi, 8);
}

}  // namespace
}  // namespace tlm::ir
