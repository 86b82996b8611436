// Affine recognition and interval arithmetic.
#include <algorithm>
#include <limits>

#include "tlm/core/error.h"
#include "tlm/ir/tensor/expr.h"
#include "tlm/ir/tensor/scalar.h"

namespace tlm::ir {
namespace {

bool accumulate_affine(const Expr& e, int64_t scale, Affine& out) {
  int64_t v;
  switch (e->op) {
    case Op::kInt: return !__builtin_mul_overflow(e->ival, scale, &v) && !__builtin_add_overflow(out.constant, v, &out.constant);
    case Op::kVar:
      if (e->id < 0 || e->id >= static_cast<int>(out.coef.size())) return false;
      return !__builtin_add_overflow(out.coef[e->id], scale, &out.coef[e->id]);
    case Op::kAdd: return accumulate_affine(e->args[0], scale, out) && accumulate_affine(e->args[1], scale, out);
    case Op::kSub:
      if (__builtin_sub_overflow(int64_t{0}, scale, &v)) return false;
      return accumulate_affine(e->args[0], scale, out) && accumulate_affine(e->args[1], v, out);
    case Op::kNeg: return !__builtin_sub_overflow(int64_t{0}, scale, &v) && accumulate_affine(e->args[0], v, out);
    case Op::kMul:
      for (int i : {0, 1})
        if (e->args[i]->op == Op::kInt)
          return !__builtin_mul_overflow(e->args[i]->ival, scale, &v) && accumulate_affine(e->args[1 - i], v, out);
      return false;
    default: return false;
  }
}

// An interval whose ends may be infinite (the extreme values of int64_t stand for infinity).
constexpr int64_t kMinusInf = std::numeric_limits<int64_t>::min();
constexpr int64_t kPlusInf = std::numeric_limits<int64_t>::max();
constexpr Interval kEverything = {kMinusInf, kPlusInf};

bool finite(const Interval& i) { return i.lo != kMinusInf && i.hi != kPlusInf; }

// Of an i64 result in 128 bits. An overflow would wrap, so that nothing is known.
Interval from_wide(__int128 lo, __int128 hi) {
  if (lo <= kMinusInf || hi >= kPlusInf) return kEverything;
  return {static_cast<int64_t>(lo), static_cast<int64_t>(hi)};
}

// Narrow results wrap: an interval that does not fit the type becomes the whole type.
Interval fit(Interval i, DType t) {
  if (t == DType::kI64) return i;
  if (t == DType::kU64) return i.lo >= 0 ? i : kEverything;
  if (t == DType::kBool) return {std::max<int64_t>(i.lo, 0), std::min<int64_t>(i.hi, 1)};
  const int bits = static_cast<int>(dtype_size(t)) * 8;
  const Interval all = is_signed_int(t) ? Interval{-(int64_t{1} << (bits - 1)), (int64_t{1} << (bits - 1)) - 1}
                                        : Interval{0, (int64_t{1} << bits) - 1};
  return i.lo >= all.lo && i.hi <= all.hi ? i : all;
}

int64_t floor_quotient(int64_t a, int64_t d) { return a >= 0 ? a / d : -((-(a + 1)) / d) - 1; }

// 1, 0 or unknown: are the intervals ordered so that the comparison is decided?
Interval decide(Op op, const Interval& a, const Interval& b) {
  constexpr Interval yes = {1, 1}, no = {0, 0}, unknown = {0, 1};
  switch (op) {
    case Op::kLt: return a.hi < b.lo ? yes : a.lo >= b.hi ? no : unknown;
    case Op::kLe: return a.hi <= b.lo ? yes : a.lo > b.hi ? no : unknown;
    case Op::kEq:
    case Op::kNe: {
      const bool same = finite(a) && finite(b) && a.lo == a.hi && b.lo == b.hi && a.lo == b.lo;
      const bool apart = a.hi < b.lo || b.hi < a.lo;
      if (!same && !apart) return unknown;
      return same == (op == Op::kEq) ? yes : no;
    }
    default: return unknown;
  }
}

Interval range(const Expr& e, const std::vector<int64_t>& extents);

Interval range_of_op(const Expr& e, const std::vector<int64_t>& extents) {
  const DType t = e->dtype;
  const auto arg = [&](int i) { return range(e->args[i], extents); };
  switch (e->op) {
    case Op::kAdd:
    case Op::kSub: {
      const Interval a = arg(0), b = arg(1);
      if (!finite(a) || !finite(b)) return kEverything;
      if (e->op == Op::kAdd) return from_wide(__int128(a.lo) + b.lo, __int128(a.hi) + b.hi);
      return from_wide(__int128(a.lo) - b.hi, __int128(a.hi) - b.lo);
    }
    case Op::kNeg: {
      const Interval a = arg(0);
      return finite(a) ? from_wide(-__int128(a.hi), -__int128(a.lo)) : kEverything;
    }
    case Op::kMul: {
      const Interval a = arg(0), b = arg(1);
      if (!finite(a) || !finite(b)) return kEverything;
      const __int128 p[] = {__int128(a.lo) * b.lo, __int128(a.lo) * b.hi, __int128(a.hi) * b.lo, __int128(a.hi) * b.hi};
      return from_wide(*std::min_element(p, p + 4), *std::max_element(p, p + 4));
    }
    case Op::kFloorDiv:
    case Op::kDiv: {
      const Interval a = arg(0), b = arg(1);
      if (!finite(b) || b.lo != b.hi || b.lo <= 0) return kEverything;
      if (e->op == Op::kDiv && a.lo < 0) return a.lo == kMinusInf ? kEverything : Interval{a.lo / b.lo, a.hi / b.lo};
      return {a.lo == kMinusInf ? kMinusInf : floor_quotient(a.lo, b.lo),
              a.hi == kPlusInf ? kPlusInf : floor_quotient(a.hi, b.lo)};
    }
    case Op::kFloorMod:
    case Op::kMod: {
      const Interval a = arg(0), b = arg(1);
      if (!finite(b) || b.lo != b.hi || b.lo <= 0) return kEverything;
      if (e->op == Op::kMod && a.lo < 0) return {1 - b.lo, b.lo - 1};
      if (finite(a) && floor_quotient(a.lo, b.lo) == floor_quotient(a.hi, b.lo)) {
        const int64_t base = floor_quotient(a.lo, b.lo) * b.lo;
        return {a.lo - base, a.hi - base};
      }
      return {0, b.lo - 1};
    }
    case Op::kMin: {
      const Interval a = arg(0), b = arg(1);
      return {std::min(a.lo, b.lo), std::min(a.hi, b.hi)};
    }
    case Op::kMax: {
      const Interval a = arg(0), b = arg(1);
      return {std::max(a.lo, b.lo), std::max(a.hi, b.hi)};
    }
    case Op::kAbs: {
      const Interval a = arg(0);
      if (!finite(a) || !is_signed_int(t)) return kEverything;
      const int64_t top = std::max(-a.lo, a.hi);
      return {a.lo > 0 ? a.lo : a.hi < 0 ? -a.hi : 0, top};
    }
    case Op::kSign: return {-1, 1};
    case Op::kSelect: {
      const Interval c = arg(0);
      if (c.lo == c.hi) return arg(c.lo ? 1 : 2);
      const Interval a = arg(1), b = arg(2);
      return {std::min(a.lo, b.lo), std::max(a.hi, b.hi)};
    }
    case Op::kEq:
    case Op::kNe:
    case Op::kLt:
    case Op::kLe: return is_float(e->args[0]->dtype) ? Interval{0, 1} : decide(e->op, arg(0), arg(1));
    case Op::kAnd: {
      const Interval a = arg(0), b = arg(1);
      return {a.lo & b.lo, a.hi & b.hi};
    }
    case Op::kOr: {
      const Interval a = arg(0), b = arg(1);
      return {a.lo | b.lo, a.hi | b.hi};
    }
    case Op::kNot: {
      const Interval a = arg(0);
      return {1 - a.hi, 1 - a.lo};
    }
    case Op::kCast: return is_float(e->args[0]->dtype) ? kEverything : arg(0);
    default: return kEverything;
  }
}

Interval range(const Expr& e, const std::vector<int64_t>& extents) {
  if (is_float(e->dtype)) return kEverything;
  switch (e->op) {
    case Op::kInt: return e->dtype == DType::kU64 && e->ival < 0 ? kEverything : Interval{e->ival, e->ival};
    case Op::kVar:
      if (e->id < 0 || e->id >= static_cast<int>(extents.size())) return kEverything;
      return {0, std::max<int64_t>(extents[e->id] - 1, 0)};
    case Op::kRamp: {
      const Interval a = range(e->args[0], extents);
      if (!finite(a)) return kEverything;
      const __int128 reach = __int128(e->ival) * (e->lanes - 1);
      return from_wide(a.lo + std::min<__int128>(reach, 0), a.hi + std::max<__int128>(reach, 0));
    }
    case Op::kLoad:
    case Op::kLocal:
    case Op::kAcc: return e->dtype == DType::kBool ? Interval{0, 1} : kEverything;
    default: return fit(range_of_op(e, extents), e->dtype);
  }
}

}  // namespace

std::optional<Affine> as_affine(const Expr& e, int vars) {
  if (e->dtype != DType::kI64) return std::nullopt;
  Affine a;
  a.coef.assign(vars, 0);
  if (!accumulate_affine(e, 1, a)) return std::nullopt;
  return a;
}

std::optional<Interval> bounds(const Expr& e, const std::vector<int64_t>& extents) {
  if (is_float(e->dtype)) return std::nullopt;
  const Interval i = range(e, extents);
  if (!finite(i)) return std::nullopt;
  return i;
}

}  // namespace tlm::ir
