#include "tlm/ir/tensor/row_ops.h"

#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>

#include "tlm/core/error.h"

namespace tlm::ir {
namespace {

// `ivdep`: dst may be exactly an operand, but never overlaps one otherwise.
template <typename T, typename R, typename F>
void unary(void* dst, const Operand* v, int64_t n, F f) {
  const T* a = static_cast<const T*>(v[0].data);
  R* d = static_cast<R*>(dst);
#pragma GCC ivdep
  for (int64_t i = 0; i < n; ++i) d[i] = f(a[i]);
}

template <typename T, typename R, typename F>
void binary(void* dst, const Operand* v, int64_t n, F f) {
  const T* a = static_cast<const T*>(v[0].data);
  const T* b = static_cast<const T*>(v[1].data);
  R* d = static_cast<R*>(dst);
  if (v[0].uniform) {
    const T s = a[0];
#pragma GCC ivdep
    for (int64_t i = 0; i < n; ++i) d[i] = f(s, b[i]);
  } else if (v[1].uniform) {
    const T s = b[0];
#pragma GCC ivdep
    for (int64_t i = 0; i < n; ++i) d[i] = f(a[i], s);
  } else {
#pragma GCC ivdep
    for (int64_t i = 0; i < n; ++i) d[i] = f(a[i], b[i]);
  }
}

template <typename T, typename F>
void ternary(void* dst, const Operand* v, int64_t n, F f) {
  const T* p[3];
  int64_t step[3];
  for (int k = 0; k < 3; ++k) p[k] = static_cast<const T*>(v[k].data), step[k] = v[k].uniform ? 0 : 1;
  T* d = static_cast<T*>(dst);
  for (int64_t i = 0; i < n; ++i) d[i] = f(p[0][i * step[0]], p[1][i * step[1]], p[2][i * step[2]]);
}

template <typename T>
bool float_op(Op op, void* dst, const Operand* v, int64_t n) {
  constexpr T nan = std::numeric_limits<T>::quiet_NaN();
  const auto map = [&](auto f) { return unary<T, T>(dst, v, n, f), true; };
  const auto zip = [&](auto f) { return binary<T, T>(dst, v, n, f), true; };
  const auto test = [&](auto f) { return binary<T, int64_t>(dst, v, n, f), true; };
  switch (op) {
    case Op::kAdd: return zip([](T a, T b) { return a + b; });
    case Op::kSub: return zip([](T a, T b) { return a - b; });
    case Op::kMul: return zip([](T a, T b) { return a * b; });
    case Op::kDiv: return zip([](T a, T b) { return a / b; });
    case Op::kFma: return ternary<T>(dst, v, n, [](T a, T b, T c) { return std::fma(a, b, c); }), true;
    case Op::kMod: return zip([](T a, T b) { return std::fmod(a, b); });
    case Op::kFloorDiv: return zip([](T a, T b) { return std::floor(a / b); });
    case Op::kFloorMod:
      return zip([](T a, T b) {
        const T r = std::fmod(a, b);
        return r != 0 && (r < 0) != (b < 0) ? r + b : r;
      });
    case Op::kMin: return zip([](T a, T b) { return a != a || b != b ? nan : b < a ? b : a; });
    case Op::kMax: return zip([](T a, T b) { return a != a || b != b ? nan : a < b ? b : a; });
    case Op::kPow: return zip([](T a, T b) { return std::pow(a, b); });
    case Op::kEq: return test([](T a, T b) { return int64_t{a == b}; });
    case Op::kNe: return test([](T a, T b) { return int64_t{a != b}; });
    case Op::kLt: return test([](T a, T b) { return int64_t{a < b}; });
    case Op::kLe: return test([](T a, T b) { return int64_t{a <= b}; });
    case Op::kIsNan: return unary<T, int64_t>(dst, v, n, [](T a) { return int64_t{a != a}; }), true;
    case Op::kIsInf: return unary<T, int64_t>(dst, v, n, [](T a) { return int64_t{std::isinf(a)}; }), true;
    case Op::kNeg: return map([](T a) { return -a; });
    case Op::kAbs: return map([](T a) { return std::fabs(a); });
    case Op::kSign: return map([](T a) { return a > 0 ? T(1) : a < 0 ? T(-1) : a; });
    case Op::kFloor: return map([](T a) { return std::floor(a); });
    case Op::kCeil: return map([](T a) { return std::ceil(a); });
    case Op::kRound: return map([](T a) { return std::nearbyint(a); });
    case Op::kTrunc: return map([](T a) { return std::trunc(a); });
    case Op::kSqrt: return map([](T a) { return std::sqrt(a); });
    case Op::kRsqrt: return map([](T a) { return T(1) / std::sqrt(a); });
    case Op::kExp: return map([](T a) { return std::exp(a); });
    case Op::kLog: return map([](T a) { return std::log(a); });
    case Op::kSin: return map([](T a) { return std::sin(a); });
    case Op::kCos: return map([](T a) { return std::cos(a); });
    case Op::kTan: return map([](T a) { return std::tan(a); });
    case Op::kAsin: return map([](T a) { return std::asin(a); });
    case Op::kAcos: return map([](T a) { return std::acos(a); });
    case Op::kAtan: return map([](T a) { return std::atan(a); });
    case Op::kSinh: return map([](T a) { return std::sinh(a); });
    case Op::kCosh: return map([](T a) { return std::cosh(a); });
    case Op::kTanh: return map([](T a) { return std::tanh(a); });
    case Op::kAsinh: return map([](T a) { return std::asinh(a); });
    case Op::kAcosh: return map([](T a) { return std::acosh(a); });
    case Op::kAtanh: return map([](T a) { return std::atanh(a); });
    case Op::kErf: return map([](T a) { return std::erf(a); });
    default: return false;
  }
}

// What depends on sign: T is int64_t, or uint64_t for unsigned types.
template <typename T>
bool sign_dependent_op(Op op, int bits, void* dst, const Operand* v, int64_t n) {
  using I = int64_t;
  constexpr bool is_signed = std::is_signed_v<T>;
  const auto zip = [&](auto f) { return binary<T, I>(dst, v, n, f), true; };
  const auto quotient = [](T a, T b) -> T {
    if (b == 0) return 0;
    if (is_signed && b == T(-1)) return T(uint64_t(0) - uint64_t(a));
    return a / b;
  };
  const auto remainder = [](T a, T b) -> T { return b == 0 || (is_signed && b == T(-1)) ? 0 : a % b; };
  switch (op) {
    case Op::kDiv: return zip([=](T a, T b) { return I(quotient(a, b)); });
    case Op::kMod: return zip([=](T a, T b) { return I(remainder(a, b)); });
    case Op::kFloorDiv:
      if (is_signed && v[1].uniform && *static_cast<const I*>(v[1].data) > 0)
        return zip([](T a, T b) { return I(a / b - (a % b < 0)); });
      return zip([=](T a, T b) {
        const T r = remainder(a, b);
        return I(quotient(a, b) - T(r != 0 && (r < 0) != (b < 0)));
      });
    case Op::kFloorMod:
      return zip([=](T a, T b) {
        const T r = remainder(a, b);
        return I(r != 0 && (r < 0) != (b < 0) ? r + b : r);
      });
    case Op::kMin: return zip([](T a, T b) { return I(b < a ? b : a); });
    case Op::kMax: return zip([](T a, T b) { return I(a < b ? b : a); });
    case Op::kLt: return zip([](T a, T b) { return I(a < b); });
    case Op::kLe: return zip([](T a, T b) { return I(a <= b); });
    case Op::kShr:
      return zip([=](T a, T b) { return I(uint64_t(b) < uint64_t(bits) ? a >> b : is_signed && a < 0 ? T(-1) : T(0)); });
    case Op::kAbs: return unary<T, I>(dst, v, n, [](T a) { return is_signed && a < 0 ? I(0 - uint64_t(a)) : I(a); }), true;
    case Op::kSign: return unary<T, I>(dst, v, n, [](T a) { return a == 0 ? I(0) : is_signed && a < 0 ? I(-1) : I(1); }), true;
    case Op::kPow:
      return zip([](T a, T b) -> I {
        if (is_signed && b < 0) return a == T(1) ? 1 : a == T(-1) ? (b % 2 ? -1 : 1) : 0;
        uint64_t power = 1, base = uint64_t(a), e = uint64_t(b);
        for (; e; e /= 2, base *= base)
          if (e % 2) power *= base;
        return I(power);
      });
    default: return false;
  }
}

bool int_op(Op op, DType t, void* dst, const Operand* v, int64_t n) {
  using I = int64_t;
  using U = uint64_t;
  const int bits = static_cast<int>(dtype_size(t)) * 8;
  const auto zip = [&](auto f) { return binary<U, I>(dst, v, n, f), true; };
  const auto map = [&](auto f) { return unary<I, I>(dst, v, n, f), true; };
  switch (op) {
    case Op::kAdd: return zip([](U a, U b) { return I(a + b); });
    case Op::kSub: return zip([](U a, U b) { return I(a - b); });
    case Op::kMul: return zip([](U a, U b) { return I(a * b); });
    case Op::kFma: return ternary<U>(dst, v, n, [](U a, U b, U c) { return a * b + c; }), true;
    case Op::kEq: return zip([](U a, U b) { return I(a == b); });
    case Op::kNe: return zip([](U a, U b) { return I(a != b); });
    case Op::kAnd: return zip([](U a, U b) { return I(a != 0) & I(b != 0); });
    case Op::kOr: return zip([](U a, U b) { return I((a | b) != 0); });
    case Op::kBitAnd: return zip([](U a, U b) { return I(a & b); });
    case Op::kBitOr: return zip([](U a, U b) { return I(a | b); });
    case Op::kBitXor: return zip([](U a, U b) { return I(a ^ b); });
    case Op::kShl: return zip([=](U a, U b) { return b < U(bits) ? I(a << b) : I(0); });
    case Op::kNot: return map([](I a) { return I(a == 0); });
    case Op::kBitNot: return map([](I a) { return ~a; });
    case Op::kNeg: return map([](I a) { return I(0 - U(a)); });
    case Op::kFloor:
    case Op::kCeil:
    case Op::kRound:
    case Op::kTrunc: return map([](I a) { return a; });
    case Op::kIsNan:
    case Op::kIsInf: return map([](I) { return I(0); });
    default:
      return is_signed_int(t) ? sign_dependent_op<int64_t>(op, bits, dst, v, n)
                              : sign_dependent_op<uint64_t>(op, bits, dst, v, n);
  }
}

template <typename Narrow>
void wrap_row(void* dst, int64_t n) {
  auto* d = static_cast<int64_t*>(dst);
  for (int64_t i = 0; i < n; ++i) d[i] = static_cast<Narrow>(d[i]);
}

void wrap_row(DType t, void* dst, int64_t n) {
  switch (t) {
    case DType::kI8: return wrap_row<int8_t>(dst, n);
    case DType::kI16: return wrap_row<int16_t>(dst, n);
    case DType::kI32: return wrap_row<int32_t>(dst, n);
    case DType::kU8: return wrap_row<uint8_t>(dst, n);
    case DType::kU16: return wrap_row<uint16_t>(dst, n);
    case DType::kU32: return wrap_row<uint32_t>(dst, n);
    case DType::kBool: return wrap_row<bool>(dst, n);
    default: return;
  }
}

void round_row(DType t, void* dst, int64_t n) {
  auto* d = static_cast<float*>(dst);
  if (t == DType::kF16)
    for (int64_t i = 0; i < n; ++i) d[i] = f16_to_f32(f32_to_f16(d[i]));
  if (t == DType::kBF16)
    for (int64_t i = 0; i < n; ++i) d[i] = bf16_to_f32(f32_to_bf16(d[i]));
}

// Truncates and saturates to [low, high + 1); NaN becomes 0.
template <typename From>
int64_t saturate(From v, double low, double above, int64_t low_int, int64_t high_int) {
  if (v != v) return 0;
  if (v >= static_cast<From>(above)) return high_int;
  if (v <= static_cast<From>(low)) return low_int;
  return above > 0x1p63 && v >= static_cast<From>(0x1p63) ? static_cast<int64_t>(static_cast<uint64_t>(v))
                                                          : static_cast<int64_t>(v);
}

template <typename From>
void float_to_int(DType to, void* dst, const Operand& a, int64_t n) {
  if (to == DType::kBool) return unary<From, int64_t>(dst, &a, n, [](From v) { return int64_t{v != 0}; });
  const int bits = static_cast<int>(dtype_size(to)) * 8;
  if (is_signed_int(to)) {
    const double above = std::ldexp(1.0, bits - 1);
    const auto high = static_cast<int64_t>((uint64_t{1} << (bits - 1)) - 1);
    return unary<From, int64_t>(dst, &a, n, [=](From v) { return saturate(v, -above, above, -high - 1, high); });
  }
  const double above = std::ldexp(1.0, bits);
  const int64_t high = bits == 64 ? -1 : static_cast<int64_t>((uint64_t{1} << bits) - 1);
  unary<From, int64_t>(dst, &a, n, [=](From v) { return saturate(v, 0.0, above, int64_t{0}, high); });
}

// f is called with a value of the C++ type that stores t.
template <typename F>
void with_storage(DType t, F f) {
  switch (t) {
    case DType::kF32: return f(float{});
    case DType::kF64: return f(double{});
    case DType::kF16:
    case DType::kBF16:
    case DType::kU16: return f(uint16_t{});
    case DType::kI8: return f(int8_t{});
    case DType::kI16: return f(int16_t{});
    case DType::kI32: return f(int32_t{});
    case DType::kI64: return f(int64_t{});
    case DType::kU8:
    case DType::kBool: return f(uint8_t{});
    case DType::kU32: return f(uint32_t{});
    case DType::kU64: return f(uint64_t{});
  }
}

template <typename S, typename R, typename D>
void load_as(void* dst, const std::byte* data, const int64_t* offset, int64_t stride, const uint8_t* mask, int64_t n, D decode) {
  const S* p = reinterpret_cast<const S*>(data);
  R* d = static_cast<R*>(dst);
  if (mask) {
    for (int64_t i = 0; i < n; ++i) d[i] = mask[i] ? decode(p[offset[i]]) : R(0);
  } else if (offset) {
    for (int64_t i = 0; i < n; ++i) d[i] = decode(p[offset[i]]);
  } else if (stride == 1) {
    for (int64_t i = 0; i < n; ++i) d[i] = decode(p[i]);
  } else {
    for (int64_t i = 0; i < n; ++i) d[i] = decode(p[i * stride]);
  }
}

void load_any(DType t, void* dst, const std::byte* data, const int64_t* offset, int64_t stride, const uint8_t* mask, int64_t n) {
  switch (t) {
    case DType::kF16: return load_as<uint16_t, float>(dst, data, offset, stride, mask, n, f16_to_f32);
    case DType::kBF16: return load_as<uint16_t, float>(dst, data, offset, stride, mask, n, bf16_to_f32);
    case DType::kBool:
      return load_as<uint8_t, int64_t>(dst, data, offset, stride, mask, n, [](uint8_t v) { return int64_t{v != 0}; });
    default: break;
  }
  with_storage(t, [&](auto s) {
    using S = decltype(s);
    using R = std::conditional_t<std::is_floating_point_v<S>, S, int64_t>;
    load_as<S, R>(dst, data, offset, stride, mask, n, [](S v) { return static_cast<R>(v); });
  });
}

template <typename R, typename S, typename E>
void store_as(std::byte* data, const int64_t* offset, int64_t stride, const Operand& a, int64_t n, E encode) {
  S* p = reinterpret_cast<S*>(data);
  const R* v = static_cast<const R*>(a.data);
  const int64_t step = a.uniform ? 0 : 1;
  if (offset) {
    for (int64_t i = 0; i < n; ++i) p[offset[i]] = encode(v[i * step]);
  } else if (stride == 1 && step == 1) {
    for (int64_t i = 0; i < n; ++i) p[i] = encode(v[i]);
  } else {
    for (int64_t i = 0; i < n; ++i) p[i * stride] = encode(v[i * step]);
  }
}

template <typename F>
void with_lane(Lane l, F f) {
  switch (l) {
    case Lane::kFloat: return f(float{});
    case Lane::kDouble: return f(double{});
    case Lane::kInt: return f(int64_t{});
  }
}

}  // namespace

Lane lane_of(DType t) { return t == DType::kF64 ? Lane::kDouble : is_float(t) ? Lane::kFloat : Lane::kInt; }
size_t lane_size(Lane l) { return l == Lane::kFloat ? 4 : 8; }

void row_op(Op op, DType t, void* dst, const Operand* args, int64_t n) {
  bool known = false;
  switch (lane_of(t)) {
    case Lane::kFloat: known = float_op<float>(op, dst, args, n); break;
    case Lane::kDouble: known = float_op<double>(op, dst, args, n); break;
    case Lane::kInt: known = int_op(op, t, dst, args, n); break;
  }
  TLM_CHECK(known) << op_name(op) << " of " << dtype_name(t);
  if (result_type(op, t) != t) return;
  if (is_float(t)) {
    round_row(t, dst, n);
  } else {
    wrap_row(t, dst, n);
  }
}

void row_cast(DType from, DType to, void* dst, Operand a, int64_t n) {
  const Lane source = lane_of(from), target = lane_of(to);
  if (source == Lane::kInt && target == Lane::kInt) {
    unary<int64_t, int64_t>(dst, &a, n, [](int64_t v) { return v; });
    return to == DType::kBool ? unary<int64_t, int64_t>(dst, &a, n, [](int64_t v) { return int64_t{v != 0}; })
                              : wrap_row(to, dst, n);
  }
  if (source == Lane::kInt) {
    const bool wide = from == DType::kU64;
    with_lane(target, [&](auto r) {
      using R = decltype(r);
      if (wide) {
        unary<uint64_t, R>(dst, &a, n, [](uint64_t v) { return static_cast<R>(v); });
      } else {
        unary<int64_t, R>(dst, &a, n, [](int64_t v) { return static_cast<R>(v); });
      }
    });
  } else if (target == Lane::kInt) {
    return source == Lane::kFloat ? float_to_int<float>(to, dst, a, n) : float_to_int<double>(to, dst, a, n);
  } else if (source == Lane::kFloat) {
    with_lane(target,
              [&](auto r) { unary<float, decltype(r)>(dst, &a, n, [](float v) { return static_cast<decltype(r)>(v); }); });
  } else {
    with_lane(target,
              [&](auto r) { unary<double, decltype(r)>(dst, &a, n, [](double v) { return static_cast<decltype(r)>(v); }); });
  }
  round_row(to, dst, n);
}

void row_multiply_add(float* acc, Operand a, Operand b, int64_t n) {
  if (a.uniform) std::swap(a, b);
  const float* x = static_cast<const float*>(a.data);
  const float* y = static_cast<const float*>(b.data);
  if (b.uniform) {
    const float s = y[0];
    if (a.uniform) {
      const float p = x[0] * s;
      for (int64_t i = 0; i < n; ++i) acc[i] += p;
      return;
    }
#pragma GCC ivdep
    for (int64_t i = 0; i < n; ++i) acc[i] += x[i] * s;
  } else {
#pragma GCC ivdep
    for (int64_t i = 0; i < n; ++i) acc[i] += x[i] * y[i];
  }
}

void row_fill(Lane l, void* dst, const void* value, int64_t n) {
  with_lane(l, [&](auto r) {
    using R = decltype(r);
    const R v = *static_cast<const R*>(value);
    R* d = static_cast<R*>(dst);
    for (int64_t i = 0; i < n; ++i) d[i] = v;
  });
}

void row_blend(Lane l, void* dst, const int64_t* condition, Operand a, Operand b, int64_t n) {
  with_lane(l, [&](auto r) {
    using R = decltype(r);
    const R* x = static_cast<const R*>(a.data);
    const R* y = static_cast<const R*>(b.data);
    const int64_t sx = a.uniform ? 0 : 1, sy = b.uniform ? 0 : 1;
    R* d = static_cast<R*>(dst);
    for (int64_t i = 0; i < n; ++i) d[i] = condition[i] ? x[i * sx] : y[i * sy];
  });
}

void row_load(DType t, void* dst, const std::byte* data, const int64_t* offset, int64_t stride, int64_t n) {
  load_any(t, dst, data, offset, stride, nullptr, n);
}

void row_load_masked(DType t, void* dst, const std::byte* data, const int64_t* offset, const uint8_t* mask, int64_t n) {
  load_any(t, dst, data, offset, 0, mask, n);
}

void row_store(DType t, std::byte* data, const int64_t* offset, int64_t stride, Operand a, int64_t n) {
  if (t == DType::kF16) return store_as<float, uint16_t>(data, offset, stride, a, n, f32_to_f16);
  if (t == DType::kBF16) return store_as<float, uint16_t>(data, offset, stride, a, n, f32_to_bf16);
  with_storage(t, [&](auto s) {
    using S = decltype(s);
    using R = std::conditional_t<std::is_floating_point_v<S>, S, int64_t>;
    store_as<R, S>(data, offset, stride, a, n, [](R v) { return static_cast<S>(v); });
  });
}

}  // namespace tlm::ir
