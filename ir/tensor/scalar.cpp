#include "tlm/ir/tensor/scalar.h"

#include <bit>
#include <cmath>
#include <limits>

#include "tlm/core/error.h"

namespace tlm::ir {
namespace {

using U = uint64_t;

int bits_of(DType t) { return static_cast<int>(dtype_size(t)) * 8; }
bool is_unsigned(DType t) { return !is_signed_int(t); }

int64_t int_div(int64_t a, int64_t b, DType t) {
  if (b == 0) return 0;
  if (t == DType::kU64) return static_cast<int64_t>(static_cast<U>(a) / static_cast<U>(b));
  if (b == -1) return static_cast<int64_t>(0 - static_cast<U>(a));  // the smallest value wraps
  return a / b;
}

int64_t int_mod(int64_t a, int64_t b, DType t) {
  if (b == 0) return 0;
  if (t == DType::kU64) return static_cast<int64_t>(static_cast<U>(a) % static_cast<U>(b));
  return b == -1 ? 0 : a % b;
}

int64_t int_floor_div(int64_t a, int64_t b, DType t) {
  int64_t q = int_div(a, b, t);
  if (b == 0 || is_unsigned(t)) return q;
  return int_mod(a, b, t) != 0 && ((a < 0) != (b < 0)) ? q - 1 : q;
}

int64_t int_floor_mod(int64_t a, int64_t b, DType t) {
  int64_t r = int_mod(a, b, t);
  if (is_unsigned(t)) return r;
  return r != 0 && ((r < 0) != (b < 0)) ? r + b : r;
}

int64_t int_pow(int64_t base, int64_t exponent, DType t) {
  if (is_signed_int(t) && exponent < 0) {  // 1/base^n truncated
    if (base == 1) return 1;
    if (base == -1) return exponent % 2 ? -1 : 1;
    return 0;
  }
  U result = 1, b = static_cast<U>(base);
  for (U e = static_cast<U>(exponent); e; e >>= 1, b *= b)
    if (e & 1) result *= b;
  return static_cast<int64_t>(result);
}

bool int_less(int64_t a, int64_t b, DType t) { return t == DType::kU64 ? static_cast<U>(a) < static_cast<U>(b) : a < b; }

int64_t apply_int(Op op, DType t, const Scalar* v) {
  const int64_t a = v[0].i;
  auto b = [&] { return v[1].i; };
  auto u = [](int64_t x) { return static_cast<U>(x); };
  auto amount = [&] { return u(b()) < u(bits_of(t)) ? static_cast<int>(b()) : -1; };
  switch (op) {
    case Op::kAdd: return static_cast<int64_t>(u(a) + u(b()));
    case Op::kSub: return static_cast<int64_t>(u(a) - u(b()));
    case Op::kMul: return static_cast<int64_t>(u(a) * u(b()));
    case Op::kFma: return static_cast<int64_t>(u(a) * u(b()) + u(v[2].i));
    case Op::kDiv: return int_div(a, b(), t);
    case Op::kMod: return int_mod(a, b(), t);
    case Op::kFloorDiv: return int_floor_div(a, b(), t);
    case Op::kFloorMod: return int_floor_mod(a, b(), t);
    case Op::kMin: return int_less(b(), a, t) ? b() : a;
    case Op::kMax: return int_less(a, b(), t) ? b() : a;
    case Op::kPow: return int_pow(a, b(), t);
    case Op::kEq: return a == b();
    case Op::kNe: return a != b();
    case Op::kLt: return int_less(a, b(), t);
    case Op::kLe: return !int_less(b(), a, t);
    case Op::kAnd: return a && b();
    case Op::kOr: return a || b();
    case Op::kNot: return !a;
    case Op::kBitAnd: return a & b();
    case Op::kBitOr: return a | b();
    case Op::kBitXor: return a ^ b();
    case Op::kBitNot: return ~a;
    case Op::kShl: return amount() < 0 ? 0 : static_cast<int64_t>(u(a) << amount());
    case Op::kShr:
      if (amount() < 0) return is_signed_int(t) && a < 0 ? -1 : 0;
      return t == DType::kU64 ? static_cast<int64_t>(u(a) >> amount()) : a >> amount();
    case Op::kNeg: return static_cast<int64_t>(0 - u(a));
    case Op::kAbs: return is_signed_int(t) && a < 0 ? static_cast<int64_t>(0 - u(a)) : a;
    case Op::kSign: return a == 0 ? 0 : is_signed_int(t) && a < 0 ? -1 : 1;
    case Op::kFloor:
    case Op::kCeil:
    case Op::kRound:
    case Op::kTrunc: return a;
    case Op::kIsNan:
    case Op::kIsInf: return 0;
    default: break;
  }
  TLM_CHECK(false) << op_name(op) << " is not an operator of " << dtype_name(t);
  return 0;
}

bool float_predicate(Op op, const Scalar* v, int64_t& result) {
  const double a = v[0].f;
  switch (op) {
    case Op::kEq: result = a == v[1].f; return true;
    case Op::kNe: result = a != v[1].f; return true;
    case Op::kLt: result = a < v[1].f; return true;
    case Op::kLe: result = a <= v[1].f; return true;
    case Op::kIsNan: result = std::isnan(a); return true;
    case Op::kIsInf: result = std::isinf(a); return true;
    default: return false;
  }
}

// In double; the caller rounds to the type of the node. For f32 and narrower this is the correctly rounded result of + - * / √.
double apply_float(Op op, DType t, const Scalar* v) {
  const double a = v[0].f;
  auto b = [&] { return v[1].f; };
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  switch (op) {
    case Op::kAdd: return a + b();
    case Op::kSub: return a - b();
    case Op::kMul: return a * b();
    case Op::kDiv: return a / b();
    case Op::kFma:
      return t == DType::kF64 ? std::fma(a, b(), v[2].f)
                              : std::fma(static_cast<float>(a), static_cast<float>(b()), static_cast<float>(v[2].f));
    case Op::kMod: return std::fmod(a, b());
    case Op::kFloorMod: {
      double r = std::fmod(a, b());
      return r != 0 && ((r < 0) != (b() < 0)) ? r + b() : r;
    }
    case Op::kFloorDiv: return std::floor(round_float(a / b(), t == DType::kF64 ? t : DType::kF32));
    case Op::kMin: return std::isnan(a) || std::isnan(b()) ? nan : b() < a ? b() : a;
    case Op::kMax: return std::isnan(a) || std::isnan(b()) ? nan : a < b() ? b() : a;
    case Op::kPow: return std::pow(a, b());
    case Op::kNeg: return -a;
    case Op::kAbs: return std::fabs(a);
    case Op::kSign: return a > 0 ? 1.0 : a < 0 ? -1.0 : a;
    case Op::kFloor: return std::floor(a);
    case Op::kCeil: return std::ceil(a);
    case Op::kRound: return std::nearbyint(a);
    case Op::kTrunc: return std::trunc(a);
    case Op::kSqrt: return std::sqrt(a);
    case Op::kRsqrt: return 1.0 / std::sqrt(a);
    case Op::kExp: return std::exp(a);
    case Op::kLog: return std::log(a);
    case Op::kSin: return std::sin(a);
    case Op::kCos: return std::cos(a);
    case Op::kTan: return std::tan(a);
    case Op::kAsin: return std::asin(a);
    case Op::kAcos: return std::acos(a);
    case Op::kAtan: return std::atan(a);
    case Op::kSinh: return std::sinh(a);
    case Op::kCosh: return std::cosh(a);
    case Op::kTanh: return std::tanh(a);
    case Op::kAsinh: return std::asinh(a);
    case Op::kAcosh: return std::acosh(a);
    case Op::kAtanh: return std::atanh(a);
    case Op::kErf: return std::erf(a);
    default: break;
  }
  TLM_CHECK(false) << op_name(op) << " is not an operator of " << dtype_name(t);
  return 0;
}

// Truncates and saturates; NaN → 0.
int64_t float_to_int(double v, DType t) {
  if (std::isnan(v)) return 0;
  v = std::trunc(v);
  if (t == DType::kU64) {
    if (v <= 0) return 0;
    return v >= 0x1p64 ? -1 : static_cast<int64_t>(static_cast<U>(v));
  }
  const int bits = bits_of(t);
  const double top = std::ldexp(1.0, is_signed_int(t) ? bits - 1 : bits);  // one above the largest
  const double low = is_signed_int(t) ? -top : 0;
  if (v >= top)
    return is_signed_int(t) ? static_cast<int64_t>((U(1) << (bits - 1)) - 1) : static_cast<int64_t>((U(1) << bits) - 1);
  return v <= low ? static_cast<int64_t>(low) : static_cast<int64_t>(v);
}

}  // namespace

int64_t wrap_int(int64_t v, DType t) {
  switch (t) {
    case DType::kI8: return static_cast<int8_t>(v);
    case DType::kI16: return static_cast<int16_t>(v);
    case DType::kI32: return static_cast<int32_t>(v);
    case DType::kU8: return static_cast<uint8_t>(v);
    case DType::kU16: return static_cast<uint16_t>(v);
    case DType::kU32: return static_cast<uint32_t>(v);
    case DType::kBool: return v != 0;
    default: return v;
  }
}

double round_float(double v, DType t) {
  switch (t) {
    case DType::kF32: return static_cast<float>(v);
    case DType::kF16: return f16_to_f32(f32_to_f16(static_cast<float>(v)));
    case DType::kBF16: return bf16_to_f32(f32_to_bf16(static_cast<float>(v)));
    default: return v;
  }
}

Scalar cast_scalar(Scalar v, DType from, DType to) {
  Scalar r;
  if (is_float(from)) {
    if (is_float(to)) {
      r.f = round_float(v.f, to);
    } else {
      r.i = to == DType::kBool ? v.f != 0 : float_to_int(v.f, to);
    }
  } else if (is_float(to)) {
    if (to == DType::kF64) {
      r.f = from == DType::kU64 ? static_cast<double>(static_cast<U>(v.i)) : static_cast<double>(v.i);
    } else {  // one rounding to f32, not two
      r.f = round_float(from == DType::kU64 ? static_cast<float>(static_cast<U>(v.i)) : static_cast<float>(v.i), to);
    }
  } else {
    r.i = wrap_int(v.i, to);
  }
  return r;
}

Scalar apply(Op op, DType t, const Scalar* args) {
  Scalar r;
  if (!is_float(t)) {
    r.i = apply_int(op, t, args);
    if (result_type(op, t) == t) r.i = wrap_int(r.i, t);
    return r;
  }
  if (float_predicate(op, args, r.i)) return r;
  r.f = round_float(apply_float(op, t, args), t);
  return r;
}

}  // namespace tlm::ir
