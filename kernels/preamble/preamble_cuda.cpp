#include "tlm/kernels/preamble/preamble_cuda.h"

#include "tlm/kernels/preamble/scalar_types.h"

namespace tlm::kernels {

std::string preamble_cuda() {
  return std::string(kScalarTypes) + R"(#define OP template <class T> static __device__ __forceinline__ T

static __device__ __forceinline__ f32 infinity(f32) { return __int_as_float(0x7f800000); }
static __device__ __forceinline__ f64 infinity(f64) { return __longlong_as_double(0x7ff0000000000000ll); }
static __device__ __forceinline__ f32 quiet_nan(f32) { return __int_as_float(0x7fffffff); }
static __device__ __forceinline__ f64 quiet_nan(f64) { return __longlong_as_double(0x7fffffffffffffffll); }

// Integers: division by zero is 0, the smallest value divided by -1 wraps.
template <class T> struct is_signed { static const bool value = T(-1) < T(0); };
OP op_div(T a, T b) { return b == 0 ? T(0) : is_signed<T>::value && b == T(-1) ? T(0 - (u64)a) : T(a / b); }
OP op_mod(T a, T b) { return b == 0 || (is_signed<T>::value && b == T(-1)) ? T(0) : T(a % b); }
OP op_floordiv(T a, T b) { T q = op_div(a, b); return op_mod(a, b) != 0 && (a < 0) != (b < 0) ? T(q - 1) : q; }
OP op_floormod(T a, T b) { T r = op_mod(a, b); return r != 0 && (r < 0) != (b < 0) ? T(r + b) : r; }
OP op_shl(T a, T b) { return (u64)(i64)b < sizeof(T) * 8 ? T((u64)a << b) : T(0); }
OP op_shr(T a, T b) { return (u64)(i64)b < sizeof(T) * 8 ? T(a >> b) : a < 0 ? T(-1) : T(0); }
OP op_min(T a, T b) { return b < a ? b : a; }
OP op_max(T a, T b) { return a < b ? b : a; }
OP op_abs(T a) { return a < 0 ? T(0 - (u64)a) : a; }
OP op_sign(T a) { return T((a > 0) - (a < 0)); }
OP op_pow(T a, T b) {
  if (is_signed<T>::value && b < 0) return a == 1 ? T(1) : a == T(-1) ? T(b & 1 ? -1 : 1) : T(0);
  u64 r = 1, x = (u64)a;
  for (u64 e = (u64)b; e; e >>= 1, x *= x)
    if (e & 1) r *= x;
  return T(r);
}
OP op_square(T a) { return a * a; }
OP op_cube(T a) { return a * a * a; }

#define FLOAT(T, S)                                                                                \
  static __device__ __forceinline__ T op_min(T a, T b) { return a != a || a < b ? a : b; }         \
  static __device__ __forceinline__ T op_max(T a, T b) { return a != a || a > b ? a : b; }         \
  static __device__ __forceinline__ T op_abs(T a) { return fabs##S(a); }                           \
  static __device__ __forceinline__ T op_sign(T a) { return a > 0 ? T(1) : a < 0 ? T(-1) : a; }    \
  static __device__ __forceinline__ T op_mod(T a, T b) { return fmod##S(a, b); }                   \
  static __device__ __forceinline__ T op_floordiv(T a, T b) { return floor##S(a / b); }            \
  static __device__ __forceinline__ T op_floormod(T a, T b) { T r = fmod##S(a, b); return r != 0 && (r < 0) != (b < 0) ? r + b : r; } \
  static __device__ __forceinline__ T op_pow(T a, T b) { return pow##S(a, b); }                    \
  static __device__ __forceinline__ T op_fma(T a, T b, T c) { return fma##S(a, b, c); }            \
  static __device__ __forceinline__ T op_floor(T a) { return floor##S(a); }                        \
  static __device__ __forceinline__ T op_ceil(T a) { return ceil##S(a); }                          \
  static __device__ __forceinline__ T op_round(T a) { return rint##S(a); }                         \
  static __device__ __forceinline__ T op_trunc(T a) { return trunc##S(a); }                        \
  static __device__ __forceinline__ T op_sqrt(T a) { return sqrt##S(a); }                          \
  static __device__ __forceinline__ T op_rsqrt(T a) { return 1 / sqrt##S(a); }                     \
  static __device__ __forceinline__ T op_exp(T a) { return exp##S(a); }                            \
  static __device__ __forceinline__ T op_log(T a) { return log##S(a); }                            \
  static __device__ __forceinline__ T op_sin(T a) { return sin##S(a); }                            \
  static __device__ __forceinline__ T op_cos(T a) { return cos##S(a); }                            \
  static __device__ __forceinline__ T op_tan(T a) { return tan##S(a); }                            \
  static __device__ __forceinline__ T op_asin(T a) { return asin##S(a); }                          \
  static __device__ __forceinline__ T op_acos(T a) { return acos##S(a); }                          \
  static __device__ __forceinline__ T op_atan(T a) { return atan##S(a); }                          \
  static __device__ __forceinline__ T op_sinh(T a) { return sinh##S(a); }                          \
  static __device__ __forceinline__ T op_cosh(T a) { return cosh##S(a); }                          \
  static __device__ __forceinline__ T op_tanh(T a) { return tanh##S(a); }                          \
  static __device__ __forceinline__ T op_asinh(T a) { return asinh##S(a); }                        \
  static __device__ __forceinline__ T op_acosh(T a) { return acosh##S(a); }                        \
  static __device__ __forceinline__ T op_atanh(T a) { return atanh##S(a); }                        \
  static __device__ __forceinline__ T op_erf(T a) { return erf##S(a); }                            \
  static __device__ __forceinline__ bool op_isnan(T a) { return a != a; }                          \
  static __device__ __forceinline__ bool op_isinf(T a) { return fabs##S(a) == infinity(a); }
FLOAT(f32, f)
FLOAT(f64, )

// Conversions: float to integer truncates and saturates, NaN is 0. Half types are their bits.
template <class I, class F> static __device__ __forceinline__ I to_int(F x) {
  const F top = is_signed<I>::value ? F(1ull << (sizeof(I) * 8 - 1)) : F(1ull << (sizeof(I) * 8 - 1)) * 2;
  const I most = is_signed<I>::value ? I((1ull << (sizeof(I) * 8 - 1)) - 1) : I(-1), least = is_signed<I>::value ? I(1ull << (sizeof(I) * 8 - 1)) : I(0);
  return x != x ? I(0) : x >= top ? most : x <= (is_signed<I>::value ? -top : F(0)) ? least : I(x);
}
static __device__ __forceinline__ f32 decode_f16(u16 h) { f32 f; asm("cvt.f32.f16 %0, %1;" : "=f"(f) : "h"(h)); return f; }
static __device__ __forceinline__ u16 encode_f16(f32 f) { u16 h; asm("cvt.rn.f16.f32 %0, %1;" : "=h"(h) : "f"(f)); return h; }
static __device__ __forceinline__ f32 decode_bf16(u16 h) { return __uint_as_float((u32)h << 16); }
static __device__ __forceinline__ u16 encode_bf16(f32 f) {
  const u32 u = __float_as_uint(f);
  return f != f ? u16((u >> 16) | 0x40) : u16((u + 0x7fff + ((u >> 16) & 1)) >> 16);
}
)";
}

}  // namespace tlm::kernels
