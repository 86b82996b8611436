// simplify, bounds and as_affine against exhaustive evaluation.
#include <gtest/gtest.h>

#include "tlm/core/rng.h"
#include "tlm/ir/tensor/subgraph.h"

namespace tlm::ir {
namespace {

int64_t floor_quotient(int64_t a, int64_t b) { return a / b - (a % b != 0 && (a < 0) != (b < 0)); }

// The test's own reading of integer expressions.
int64_t value(const Expr& e, const std::vector<int64_t>& point) {
  const auto v = [&](int i) { return value(e->args[static_cast<size_t>(i)], point); };
  switch (e->op) {
    case Op::kInt: return e->ival;
    case Op::kVar: return point[static_cast<size_t>(e->id)];
    case Op::kAdd: return v(0) + v(1);
    case Op::kSub: return v(0) - v(1);
    case Op::kMul: return v(0) * v(1);
    case Op::kNeg: return -v(0);
    case Op::kAbs: return v(0) < 0 ? -v(0) : v(0);
    case Op::kFloorDiv: return v(1) == 0 ? 0 : floor_quotient(v(0), v(1));
    case Op::kFloorMod: return v(1) == 0 ? v(0) * 0 : v(0) - floor_quotient(v(0), v(1)) * v(1);
    case Op::kDiv: return v(1) == 0 ? 0 : v(0) / v(1);
    case Op::kMod: return v(1) == 0 ? 0 : v(0) % v(1);
    case Op::kMin: return std::min(v(0), v(1));
    case Op::kMax: return std::max(v(0), v(1));
    case Op::kEq: return v(0) == v(1);
    case Op::kNe: return v(0) != v(1);
    case Op::kLt: return v(0) < v(1);
    case Op::kLe: return v(0) <= v(1);
    case Op::kAnd: return v(0) && v(1);
    case Op::kOr: return v(0) || v(1);
    case Op::kNot: return !v(0);
    case Op::kSelect: return v(0) ? v(1) : v(2);
    default: ADD_FAILURE() << op_name(e->op); return 0;
  }
}

class RandomExpr {
 public:
  RandomExpr(Rng& rng, int vars) : rng_(rng), vars_(vars) {}

  Expr number(int depth) {
    if (depth == 0 || rng_.below(8) == 0)
      return rng_.below(4) == 0 ? make_int(rng_.between(-9, 9))
                                : make_var(static_cast<int>(rng_.below(static_cast<uint64_t>(vars_))));
    const auto divisor = [&] { return make_int(rng_.between(1, 12)); };
    switch (rng_.below(13)) {
      case 0:
      case 1:
      case 2: return number(depth - 1) + number(depth - 1);
      case 3: return number(depth - 1) - number(depth - 1);
      case 4:
      case 5: return number(depth - 1) * rng_.between(-6, 12);
      case 6:
      case 7: return make_op(Op::kFloorDiv, {number(depth - 1), divisor()});
      case 8:
      case 9: return make_op(Op::kFloorMod, {number(depth - 1), divisor()});
      case 10: return make_op(rng_.below(2) ? Op::kMin : Op::kMax, {number(depth - 1), number(depth - 1)});
      case 11: return make_select(condition(depth - 1), number(depth - 1), number(depth - 1));
      default:
        switch (rng_.below(4)) {
          case 0: return make_op(Op::kNeg, {number(depth - 1)});
          case 1: return make_op(Op::kAbs, {number(depth - 1)});
          case 2: return make_op(Op::kDiv, {number(depth - 1), divisor()});
          default: return make_op(Op::kMod, {number(depth - 1), divisor()});
        }
    }
  }

  Expr condition(int depth) {
    constexpr Op kComparisons[] = {Op::kEq, Op::kNe, Op::kLt, Op::kLe};
    if (depth == 0 || rng_.below(2)) return make_op(kComparisons[rng_.below(4)], {number(depth), number(depth)});
    if (rng_.below(4) == 0) return make_op(Op::kNot, {condition(depth - 1)});
    return make_op(rng_.below(2) ? Op::kAnd : Op::kOr, {condition(depth - 1), condition(depth - 1)});
  }

 private:
  Rng& rng_;
  int vars_;
};

template <typename F>
void for_each_point(const std::vector<int64_t>& extents, F f) {
  std::vector<int64_t> point(extents.size(), 0);
  for (;;) {
    f(point);
    size_t i = 0;
    while (i < point.size() && ++point[i] == extents[i]) point[i++] = 0;
    if (i == point.size()) return;
  }
}

TEST(Simplify, IsEquivalentOnEveryPoint) {
  Rng rng(5);
  const std::vector<std::string> names = {"a", "b", "c"};
  int shorter = 0;
  for (int n = 0; n < 6000; ++n) {
    std::vector<int64_t> extents;
    for (int i = 0; i < 3; ++i) extents.push_back(rng.between(1, 8));
    RandomExpr random(rng, 3);
    const int depth = static_cast<int>(rng.between(1, 5));
    const Expr e = rng.below(3) ? random.number(depth) : random.condition(depth);
    const Expr s = simplify(e, extents);
    ASSERT_EQ(s->dtype, e->dtype);
    const auto range = bounds(e, extents), range_s = bounds(s, extents);
    ASSERT_TRUE(range && range_s) << print(e, names, {});
    const auto affine = e->dtype == DType::kI64 ? as_affine(e, 3) : std::nullopt;
    bool ok = true;
    for_each_point(extents, [&](const std::vector<int64_t>& p) {
      const int64_t v = value(e, p);
      ok = ok && v == value(s, p) && v >= range->lo && v <= range->hi && v >= range_s->lo && v <= range_s->hi;
      if (affine) ok = ok && v == affine->constant + affine->coef[0] * p[0] + affine->coef[1] * p[1] + affine->coef[2] * p[2];
    });
    ASSERT_TRUE(ok) << print(e, names, {}) << "\n  became " << print(s, names, {}) << "\n  extents " << to_string(extents)
                    << " range " << range->lo << " to " << range->hi;
    const Expr again = simplify(s, extents);
    for_each_point(extents, [&](const std::vector<int64_t>& p) { ok = ok && value(again, p) == value(s, p); });
    ASSERT_TRUE(ok);
    shorter += print(s, names, {}).size() < print(e, names, {}).size();
  }
  EXPECT_GT(shorter, 3000);
}

TEST(Simplify, ReshapeArithmetic) {
  const Expr c = make_var(0), h = make_var(1), w = make_var(2);
  const std::vector<int64_t> extents = {5, 6, 7};
  const std::vector<std::string> names = {"c", "h", "w"};
  const Expr flat = c * 42 + h * 7 + w;
  struct Case {
    Expr e;
    const char* want;
  };
  const Case cases[] = {
      {floor_div(flat, 42), "c"},
      {floor_mod(floor_div(flat, 7), 6), "h"},
      {floor_mod(flat, 7), "w"},
      {floor_div(floor_mod(flat, 42), 7), "h"},
      {floor_mod(floor_mod(flat, 42), 7), "w"},
      {floor_div(flat, 14), "c*3 + h // 2"},
      {floor_mod(flat, 14), "h % 2*7 + w"},
      {floor_div(floor_div(flat, 7), 6), "c"},
      {floor_div(floor_div(h, 2), 3), "0"},
      {floor_div(c, 2) * 2 + floor_mod(c, 2), "c"},
      {floor_div(flat, 42) * 42 + floor_mod(floor_div(flat, 7), 6) * 7 + floor_mod(flat, 7), "c*42 + h*7 + w"},
      {floor_mod(h * 7 + w + 42, 42), "h*7 + w"},
      {floor_div(h * 7 + w - 42, 42), "-1"},
      {floor_mod(floor_mod(w * 5 + 3, 24), 6), "(w*5 + 3) % 6"},
      {make_op(Op::kMin, {h, make_int(5)}), "h"},
      {make_op(Op::kMax, {h - 5, make_int(0)}), "0"},
      {make_op(Op::kMin, {h + w, w + 9}), "h + w"},
      {make_op(Op::kLt, {h, make_int(6)}), "true"},
      {make_op(Op::kLt, {h + 2, make_int(7)}), "h < 5"},
      {make_op(Op::kLt, {h + w, w + h}), "false"},
      {make_op(Op::kLe, {make_int(0), w - 2}), "2 <= w"},
      {make_op(Op::kEq, {h, make_int(9)}), "false"},
      {make_op(Op::kEq, {h + w, w + 2}), "h == 2"},
      {make_select(make_op(Op::kLt, {h, make_int(6)}), c + c, w), "c*2"},
      {make_load(0, DType::kI64, {floor_mod(flat, 7)}), "T[w]"},
      {c - c, "0"},
      {make_op(Op::kNeg, {h - w}), "w - h"},
  };
  for (const Case& k : cases) EXPECT_EQ(print(simplify(k.e, extents), names, {"T"}), k.want) << print(k.e, names, {"T"});
}

TEST(Simplify, RoundTripOfOneIndex) {
  const Expr i = make_var(0);
  const Expr there = floor_div(i, 35) * 35 + floor_mod(floor_div(i, 5), 7) * 5 + floor_mod(i, 5);
  EXPECT_EQ(print(simplify(there, {105}), {"i"}, {}), "i");
  EXPECT_EQ(print(simplify(there, {1000000}), {"i"}, {}), "i");
}

TEST(Simplify, UnboundedLoadsStayCorrect) {
  const Expr load = make_load(0, DType::kI64, {make_var(0)});
  EXPECT_EQ(print(simplify(make_op(Op::kLt, {load + 3, make_int(7)}), {4}), {"a"}, {"T"}), "T[a] + 3 < 7");  // T[a] + 3 may wrap
  EXPECT_EQ(print(simplify(load + load + 2, {4}), {"a"}, {"T"}), "T[a]*2 + 2");
}

TEST(Simplify, StaysFastOnDeepIndexChains) {
  // Reshape after reshape after reshape of a flat index.
  Expr i = make_var(0) * 360 + make_var(1);
  for (int n = 0; n < 30; ++n) i = floor_div(i, 60) * 60 + floor_mod(floor_div(i, 12), 5) * 12 + floor_mod(i, 12);
  EXPECT_EQ(print(simplify(i, {10, 360}), {"a", "b"}, {}), "a*360 + b");
}

}  // namespace
}  // namespace tlm::ir
