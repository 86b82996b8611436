// f64 functions, relative error below 1e-14 (most below 4 ulp). Argument reductions and series are stated at each.
#include "tlm/kernels/preamble/preamble_c.h"

namespace tlm::kernels {

namespace {

struct Piece {
  const char* op;
  const char* needs;  // names of operations, separated by spaces
  const char* text;
};

const Piece kPieces[] = {
    // 2^k · x, rounded once also for subnormal results; |k| < 2100.
    {"scale2", "", R"(static inline f64 scale2_f64(f64 x, i64 k) {
  union { i64 i; f64 f; } a, b;
  i64 h = k >> 1;
  a.i = (h + 1023) << 52, b.i = (k - h + 1023) << 52;
  return x * a.f * b.f;
})"},
    // e^r - 1 for |r| <= 0.35: Taylor to r^14 (truncation 1e-19).
    {"expm1r", "", R"(static inline f64 expm1r_f64(f64 r) {
  f64 p = 1.0 / 87178291200;
  p = p * r + 1.0 / 6227020800;
  p = p * r + 1.0 / 479001600;
  p = p * r + 1.0 / 39916800;
  p = p * r + 1.0 / 3628800;
  p = p * r + 1.0 / 362880;
  p = p * r + 1.0 / 40320;
  p = p * r + 1.0 / 5040;
  p = p * r + 1.0 / 720;
  p = p * r + 1.0 / 120;
  p = p * r + 1.0 / 24;
  p = p * r + 1.0 / 6;
  p = p * r + 0.5;
  return r + r * r * p;
})"},
    // e^(hi + lo), |lo| far below |hi|: hi = n ln 2 + r.
    {"exp2part", "scale2 expm1r", R"(static f64 exp2part_f64(f64 hi, f64 lo) {
  if (hi != hi) return hi;
  if (hi > 709.8) return __builtin_inf();
  if (hi < -745.2) return 0;
  f64 n = (hi * 0x1.71547652b82fep+0 + 0x1.8p52) - 0x1.8p52;
  f64 r = hi - n * 0x1.62e42fefp-1;
  r = r - (n * 0x1.473de6af278edp-34 - lo);
  return scale2_f64(1 + expm1r_f64(r), (i64)n);
})"},
    {"exp", "exp2part", "static f64 exp_f64(f64 x) { return exp2part_f64(x, 0); }"},
    // e^x - 1: 2^n (e^r - 1) + (2^n - 1).
    {"expm1", "expm1r exp", R"(static f64 expm1_f64(f64 x) {
  if (x != x) return x;
  if (x > 700) return exp_f64(x);
  if (x < -40) return -1;
  f64 n = (x * 0x1.71547652b82fep+0 + 0x1.8p52) - 0x1.8p52;
  f64 r = (x - n * 0x1.62e42fefp-1) - n * 0x1.473de6af278edp-34;
  union { i64 i; f64 f; } s = {((i64)n + 1023) << 52};
  return expm1r_f64(r) * s.f + (s.f - 1);
})"},
    // x = 2^e m, m in [sqrt 1/2, sqrt 2); log m = 2 artanh(s), s = f/(2+f) (series to s^21, truncation 2e-18).
    {"log", "", R"(static f64 log_f64(f64 x) {
  if (x != x || x == __builtin_inf()) return x;
  if (x < 0) return __builtin_nan("");
  if (x == 0) return -__builtin_inf();
  i64 e = 0;
  if (x < 0x1p-1022) x *= 0x1p54, e = -54;
  union { f64 f; i64 i; } u = {x};
  i64 k = (u.i - 0x3fe6a09e667f3bcdll) >> 52;
  u.i -= k << 52, e += k;
  f64 f = u.f - 1, s = f / (2 + f), z = s * s;
  f64 p = 2.0 / 21;
  p = p * z + 2.0 / 19;
  p = p * z + 2.0 / 17;
  p = p * z + 2.0 / 15;
  p = p * z + 2.0 / 13;
  p = p * z + 2.0 / 11;
  p = p * z + 2.0 / 9;
  p = p * z + 2.0 / 7;
  p = p * z + 2.0 / 5;
  p = (p * z + 2.0 / 3) * z;
  f64 half = f * f * 0.5;
  return (f64)e * 0x1.62e42fefp-1 + (f - (half - (s * (half + p) + (f64)e * 0x1.473de6af278edp-34)));
})"},
    // log(1 + x) with the rounding of 1 + x put right.
    {"log1p", "log", R"(static f64 log1p_f64(f64 x) {
  f64 u = 1 + x;
  if (u == 1 || x == __builtin_inf() || x != x) return x;
  if (u <= 0) return u < 0 ? __builtin_nan("") : -__builtin_inf();
  return log_f64(u) + (x - (u - 1)) / u;
})"},
    // x = q π/2 + (y[0] + y[1]), |y| <= π/4, q mod 4. Below 2^17 by three parts of π/2; above by 192 bits of 2/π (Payne and
    // Hanek).
    {"reduce", "", R"(static i32 reduce_f64(f64 x, f64* y) {
  f64 a = __builtin_fabs(x);
  if (a < 100000) {
    f64 n = (a * 0x1.45f306dc9c883p-1 + 0x1.8p52) - 0x1.8p52;
    f64 r = a - n * 0x1.921fb544p+0, t = n * 0x1.0b4611a6p-34;
    f64 w = r - t, v = w - r, lo = ((r - (w - v)) - (t + v)) - n * 0x1.3198a2e037073p-69;
    y[0] = w + lo, y[1] = (w - y[0]) + lo;
    i32 q = (i32)(i64)n & 3;
    if (x < 0) y[0] = -y[0], y[1] = -y[1], q = -q & 3;
    return q;
  }
  static const u64 two_over_pi[20] = {
      0xa2f9836e4e441529ull, 0xfc2757d1f534ddc0ull, 0xdb6295993c439041ull, 0xfe5163abdebbc561ull, 0xb7246e3a424dd2e0ull,
      0x06492eea09d1921cull, 0xfe1deb1cb129a73eull, 0xe88235f52ebb4484ull, 0xe99c7026b45f7e41ull, 0x3991d639835339f4ull,
      0x9c845f8bbdf9283bull, 0x1ff897ffde05980full, 0xef2f118b5a0a6d1full, 0x6d367ecf27cb09b7ull, 0x4f463f669e5fea2dull,
      0x7527bac7ebe5f17bull, 0x3d0739f78a5292eaull, 0x6bfb5fb11f8d5d08ull, 0x56033046fc7b6babull, 0xf0cfbc209af4361dull};
  union { f64 f; u64 u; } b = {a};
  u64 m = (b.u & 0xfffffffffffffull) | 0x10000000000000ull;
  i32 k = (i32)(b.u >> 52) - 1075 - 2;  /* first bit of 2/π that matters: weight 2 after scaling */
  u64 w[3];
  for (i32 i = 0; i < 3; ++i) {
    i32 at = k + 64 * i, word = at >> 6, shift = at & 63;
    u64 high = word >= 0 && word < 20 ? two_over_pi[word] : 0, low = word + 1 >= 0 && word + 1 < 20 ? two_over_pi[word + 1] : 0;
    w[i] = shift ? high << shift | low >> (64 - shift) : high;
  }
  unsigned __int128 p2 = (unsigned __int128)m * w[2], p1 = (unsigned __int128)m * w[1] + (u64)(p2 >> 64);
  u64 f2 = (u64)p2, f1 = (u64)p1, f0 = m * w[0] + (u64)(p1 >> 64);
  i32 q = (i32)(f0 >> 62);
  f0 = f0 << 2 | f1 >> 62, f1 = f1 << 2 | f2 >> 62, f2 <<= 2;
  i32 negative = (i32)(f0 >> 63);
  if (negative) {
    ++q;
    f2 = 0 - f2, f1 = ~f1 + (f2 == 0), f0 = ~f0 + (f2 == 0 && f1 == 0);
  }
  f64 scale = 0x1p-64;
  if (f0 == 0) f0 = f1, f1 = f2, f2 = 0, scale = 0x1p-128;
  i32 z = f0 ? __builtin_clzll(f0) : 0;
  if (z) f0 = f0 << z | f1 >> (64 - z), f1 = f1 << z | f2 >> (64 - z);
  union { i64 i; f64 f; } s = {(i64)(1023 - z) << 52};
  f64 hi = (f64)(f0 & ~0x7ffull) * scale * s.f, lo = ((f64)(f0 & 0x7ff) + (f64)f1 * 0x1p-64) * scale * s.f;
  f64 c = hi * 134217729.0, h1 = c - (c - hi), h2 = hi - h1;
  f64 product = hi * 0x1.921fb54442d18p+0;
  f64 error = ((h1 * 0x1.921fb58p+0 - product) + h1 * -0x1.dde974p-27 + h2 * 0x1.921fb58p+0) + h2 * -0x1.dde974p-27;
  f64 rest = error + (hi * 0x1.1a62633145c07p-54 + lo * 0x1.921fb54442d18p+0);
  y[0] = product + rest, y[1] = (product - y[0]) + rest;
  if (negative) y[0] = -y[0], y[1] = -y[1];
  if (x < 0) y[0] = -y[0], y[1] = -y[1], q = -q;
  return q & 3;
})"},
    // |r| <= π/4: Taylor to r^19 and r^18.
    {"sinr", "", R"(static inline f64 sinr_f64(f64 r, f64 low) {
  f64 z = r * r, p = -1.0 / 121645100408832000;
  p = p * z + 1.0 / 355687428096000;
  p = p * z - 1.0 / 1307674368000;
  p = p * z + 1.0 / 6227020800;
  p = p * z - 1.0 / 39916800;
  p = p * z + 1.0 / 362880;
  p = p * z - 1.0 / 5040;
  p = p * z + 1.0 / 120;
  p = p * z - 1.0 / 6;
  return r + (r * z * p + low * (1 - 0.5 * z));
})"},
    {"cosr", "", R"(static inline f64 cosr_f64(f64 r, f64 low) {
  f64 z = r * r, p = -1.0 / 6402373705728000;
  p = p * z + 1.0 / 20922789888000;
  p = p * z - 1.0 / 87178291200;
  p = p * z + 1.0 / 479001600;
  p = p * z - 1.0 / 3628800;
  p = p * z + 1.0 / 40320;
  p = p * z - 1.0 / 720;
  p = p * z + 1.0 / 24;
  f64 half = 0.5 * z, w = 1 - half;
  return w + (((1 - w) - half) + (z * z * p - r * low));
})"},
    {"sin", "reduce sinr cosr", R"(static f64 sin_f64(f64 x) {
  if (!(__builtin_fabs(x) < __builtin_inf())) return x - x;
  if (x == 0) return x;
  f64 y[2];
  i32 q = reduce_f64(x, y);
  f64 r = q & 1 ? cosr_f64(y[0], y[1]) : sinr_f64(y[0], y[1]);
  return q & 2 ? -r : r;
})"},
    {"cos", "reduce sinr cosr", R"(static f64 cos_f64(f64 x) {
  if (!(__builtin_fabs(x) < __builtin_inf())) return x - x;
  f64 y[2];
  i32 q = reduce_f64(x, y);
  f64 r = q & 1 ? sinr_f64(y[0], y[1]) : cosr_f64(y[0], y[1]);
  return q == 1 || q == 2 ? -r : r;
})"},
    {"tan", "reduce sinr cosr", R"(static f64 tan_f64(f64 x) {
  if (!(__builtin_fabs(x) < __builtin_inf())) return x - x;
  if (x == 0) return x;
  f64 y[2];
  i32 q = reduce_f64(x, y);
  f64 s = sinr_f64(y[0], y[1]), c = cosr_f64(y[0], y[1]);
  return q & 1 ? -c / s : s / c;
})"},
    // Reduced to |z| <= tan(π/16) by the nearest k π/8 and by the reciprocal above 1; series to z^23.
    {"atan", "", R"(static f64 atan_f64(f64 x) {
  if (x != x) return x;
  f64 a = __builtin_fabs(x);
  i32 reciprocal = a > 1;
  f64 z = reciprocal ? 1 / a : a, base = 0, low = 0;
  if (z > 0x1.561b82ab7f990p-1) {
    z = (z - 1) / (z + 1), base = 0x1.921fb54442d18p-1, low = 0x1.1a62633145c07p-55;
  } else if (z > 0x1.975f5e0553158p-3) {
    z = ((z - 0x1.a827999fcef32p-2) - 0x1.08b2fb1366ea9p-56) / (1 + z * 0x1.a827999fcef32p-2), base = 0x1.921fb54442d18p-2, low = 0x1.1a62633145c07p-56;
  }
  f64 s = z * z, p = -1.0 / 23;
  p = p * s + 1.0 / 21;
  p = p * s - 1.0 / 19;
  p = p * s + 1.0 / 17;
  p = p * s - 1.0 / 15;
  p = p * s + 1.0 / 13;
  p = p * s - 1.0 / 11;
  p = p * s + 1.0 / 9;
  p = p * s - 1.0 / 7;
  p = p * s + 1.0 / 5;
  p = p * s - 1.0 / 3;
  f64 r = base + (z + (z * s * p + low));
  if (reciprocal) r = 0x1.921fb54442d18p+0 - (r - 0x1.1a62633145c07p-54);
  return x < 0 ? -r : x == 0 ? x : r;
})"},
    {"asin", "atan", R"(static f64 asin_f64(f64 x) {
  f64 a = __builtin_fabs(x);
  if (!(a <= 1)) return (x - x) / (x - x);
  if (a == 1) return x * 0x1.921fb54442d18p+0;
  return atan_f64(x / __builtin_sqrt((1 - a) * (1 + a)));
})"},
    {"acos", "atan", R"(static f64 acos_f64(f64 x) {
  if (!(__builtin_fabs(x) <= 1)) return (x - x) / (x - x);
  if (x == -1) return 0x1.921fb54442d18p+1;
  return 2 * atan_f64(__builtin_sqrt((1 - x) / (1 + x)));
})"},
    {"sinh", "expm1 exp", R"(static f64 sinh_f64(f64 x) {
  f64 a = __builtin_fabs(x), r;
  if (a > 700) {
    f64 h = exp_f64(0.5 * a);
    r = 0.5 * h * h;
  } else {
    f64 t = expm1_f64(a);
    r = 0.5 * (t + t / (t + 1));
  }
  return __builtin_copysign(r, x);
})"},
    {"cosh", "exp", R"(static f64 cosh_f64(f64 x) {
  f64 a = __builtin_fabs(x);
  if (a > 700) {
    f64 h = exp_f64(0.5 * a);
    return 0.5 * h * h;
  }
  f64 e = exp_f64(a);
  return 0.5 * e + 0.5 / e;
})"},
    {"tanh", "expm1", R"(static f64 tanh_f64(f64 x) {
  f64 a = __builtin_fabs(x), t = expm1_f64(2 * (a > 22 ? 22 : a));
  return __builtin_copysign(t / (t + 2), x);
})"},
    {"asinh", "log1p log", R"(static f64 asinh_f64(f64 x) {
  f64 a = __builtin_fabs(x), r;
  if (a > 0x1p28) {
    r = log_f64(a) + 0x1.62e42fefa39efp-1;
  } else {
    f64 s = a * a;
    r = log1p_f64(a + s / (1 + __builtin_sqrt(1 + s)));
  }
  return __builtin_copysign(r, x);
})"},
    {"acosh", "log1p log", R"(static f64 acosh_f64(f64 x) {
  if (!(x >= 1)) return (x - x) / (x - x);
  if (x > 0x1p28) return log_f64(x) + 0x1.62e42fefa39efp-1;
  f64 t = x - 1;
  return log1p_f64(t + __builtin_sqrt(2 * t + t * t));
})"},
    {"atanh", "log1p", R"(static f64 atanh_f64(f64 x) {
  f64 a = __builtin_fabs(x);
  if (!(a <= 1)) return (x - x) / (x - x);
  if (a == 1) return x / 0.0;
  return __builtin_copysign(0.5 * log1p_f64(2 * a / (1 - a)), x);
})"},
    // Up to 3: 2/√π e^(-x²) Σ 2^n x^(2n+1)/(2n+1)!!, all terms positive. Above: 1 - the continued fraction of erfc.
    {"erf", "exp", R"(static f64 erf_f64(f64 x) {
  if (x != x) return x;
  f64 a = __builtin_fabs(x), r;
  if (a < 3) {
    f64 term = a, sum = a;
    for (i32 n = 1; n < 80; ++n) term *= 2 * a * a / (2 * n + 1), sum += term;
    r = 0x1.20dd750429b6dp+0 * exp_f64(-a * a) * sum;
  } else if (a < 6) {
    f64 d = a;
    for (i32 n = 40; n > 0; --n) d = a + 0.5 * n / d;
    r = 1 - exp_f64(-a * a) * 0x1.20dd750429b6dp-1 / d;
  } else {
    r = 1;
  }
  return __builtin_copysign(r, x);
})"},
    // x^y = e^(y log x) with log x to ~100 bits: 2s of artanh's series as a sum of two doubles.
    {"powpos", "exp2part", R"(static f64 powpos_f64(f64 x, f64 y) {
  i64 e = 0;
  if (x < 0x1p-1022) x *= 0x1p54, e = -54;
  union { f64 f; i64 i; } u = {x};
  i64 k = (u.i - 0x3fe6a09e667f3bcdll) >> 52;
  u.i -= k << 52, e += k;
  f64 f = u.f - 1, d = 2 + f, dl = f - (d - 2), s = f / d;
  f64 c = s * 134217729.0, s1 = c - (c - s), s2 = s - s1;
  c = d * 134217729.0;
  f64 d1 = c - (c - d), d2 = d - d1;
  f64 sl = ((((f - s1 * d1) - s1 * d2) - s2 * d1) - s2 * d2 - s * dl) / d;
  f64 z = s * s, p = 2.0 / 23;
  p = p * z + 2.0 / 21;
  p = p * z + 2.0 / 19;
  p = p * z + 2.0 / 17;
  p = p * z + 2.0 / 15;
  p = p * z + 2.0 / 13;
  p = p * z + 2.0 / 11;
  p = p * z + 2.0 / 9;
  p = p * z + 2.0 / 7;
  p = p * z + 2.0 / 5;
  p = (p * z + 2.0 / 3) * z * s;
  f64 a = (f64)e * 0x1.62e42fefp-1, b = 2 * s;
  f64 hi = a + b, v = hi - a, lo = (a - (hi - v)) + (b - v);
  lo += p + 2 * sl + (f64)e * 0x1.473de6af278edp-34;
  f64 t = hi + lo;
  lo = (hi - t) + lo, hi = t;
  if (__builtin_fabs(y) > 1e300) return hi == 0 && lo == 0 ? 1 : (hi > 0) == (y > 0) ? __builtin_inf() : 0;
  f64 product = y * hi;
  if (product > 1000 || product < -1000) return product > 0 ? __builtin_inf() : 0;
  c = y * 134217729.0;
  f64 y1 = c - (c - y), y2 = y - y1;
  c = hi * 134217729.0;
  f64 h1 = c - (c - hi), h2 = hi - h1;
  f64 error = ((y1 * h1 - product) + y1 * h2 + y2 * h1) + y2 * h2;
  return exp2part_f64(product, error + y * lo);
})"},
    {"pow", "powpos", R"(static f64 pow_f64(f64 x, f64 y) {
  if (y == 0 || x == 1) return 1;
  if (x != x || y != y) return x + y;
  f64 a = __builtin_fabs(x), ya = __builtin_fabs(y);
  i32 odd = 0, whole = 1;
  if (ya < 0x1p53) {
    i64 n = (i64)y;
    whole = (f64)n == y, odd = whole && (n & 1);
  }
  f64 r;
  if (ya == __builtin_inf()) return a == 1 ? 1 : (a > 1) == (y > 0) ? ya : 0;
  if (a == 0 || a == __builtin_inf()) {
    r = (a == 0) == (y > 0) ? 0 : __builtin_inf();
  } else {
    if (x < 0 && !whole) return __builtin_nan("");
    r = powpos_f64(a, y);
  }
  return odd && (__builtin_signbit(x) != 0) ? -r : r;
})"},
};

const Piece* find(const std::string& op) {
  for (const Piece& p : kPieces)
    if (op == p.op && *p.text) return &p;
  return nullptr;
}

}  // namespace

std::string piece_math_f64(PreambleC& p, const std::string& op, const std::string&) {
  const Piece* piece = find(op);
  if (!piece) return "";
  std::string name;
  for (const char* c = piece->needs;; ++c) {
    if (*c && *c != ' ') {
      name += *c;
      continue;
    }
    if (!name.empty()) p.function(name, DType::kF64, 1);
    name.clear();
    if (!*c) break;
  }
  return piece->text;
}

}  // namespace tlm::kernels
