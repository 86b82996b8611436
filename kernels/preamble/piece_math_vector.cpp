// f32 functions generic over lanes. Errors measured over dense sweeps (tests/codegen_lower/math_test.cpp).
#include "tlm/kernels/preamble/preamble_c.h"

namespace tlm::kernels {

namespace {

// exp: x = n ln 2 + r, Taylor to r^7 (truncation 5e-9), scaled by 2^n in two steps so that subnormal results round once. <= 2
// ulp.
const char* kExp = R"(static inline $V $N($V x) {
  $V c = $MIN($BC(129.0f), $MAX($BC(-150.0f), x));
  $V n = (c * 0x1.715476p+0f + 0x1.8p23f) - 0x1.8p23f;
  $V r = c - n * 0x1.62cp-1f;
  r = r - n * 0x1.217f7ep-12f;
  $V p = $BC(1.0f / 5040);
  p = $FMA(p, r, $BC(1.0f / 720));
  p = $FMA(p, r, $BC(1.0f / 120));
  p = $FMA(p, r, $BC(1.0f / 24));
  p = $FMA(p, r, $BC(1.0f / 6));
  p = $FMA(p, r, $BC(0.5f));
  p = $FMA(p * r, r, r) + 1.0f;
  $I k = __builtin_convertvector(n, $I), h = k >> 1;
  return p * ($V)((h + 127) << 23) * ($V)((k - h + 127) << 23);
})";

// tanh: t/(t+2) of t = e^(2|x|) - 1, without cancellation near 0. <= 3 ulp.
const char* kTanh = R"(static inline $V $N($V x) {
  $I s = ($I)x & ~0x7fffffff;
  $V y = $MIN($BC(10.0f), ($V)(($I)x & 0x7fffffff)) * 2.0f;
  $V n = (y * 0x1.715476p+0f + 0x1.8p23f) - 0x1.8p23f;
  $V r = y - n * 0x1.62cp-1f;
  r = r - n * 0x1.217f7ep-12f;
  $V p = $BC(1.0f / 5040);
  p = $FMA(p, r, $BC(1.0f / 720));
  p = $FMA(p, r, $BC(1.0f / 120));
  p = $FMA(p, r, $BC(1.0f / 24));
  p = $FMA(p, r, $BC(1.0f / 6));
  p = $FMA(p, r, $BC(0.5f));
  p = $FMA(p * r, r, r);
  $V e = ($V)((__builtin_convertvector(n, $I) + 127) << 23);
  $V t = $FMA(p, e, e - 1.0f);
  return ($V)(($I)(t / (t + 2.0f)) | s);
})";

// log: x = 2^e m with m in [sqrt 1/2, sqrt 2), log m = 2 artanh(s), s = f/(2+f), by its series (truncation 2e-9). <= 2 ulp.
const char* kLog = R"(static inline $V $N($V x) {
  $I tiny = ($I)(x < 0x1p-126f);
  $V w = $BLEND(tiny, x * 0x1p23f, x);
  $I e = (($I)w - 0x3f3504f3) >> 23;
  $V m = ($V)(($I)w - (e << 23));
  $V k = __builtin_convertvector(e - (tiny & 23), $V);
  $V f = m - 1.0f, s = f / (f + 2.0f), z = s * s;
  $V p = $BC(2.0f / 9);
  p = $FMA(p, z, $BC(2.0f / 7));
  p = $FMA(p, z, $BC(2.0f / 5));
  p = $FMA(p, z, $BC(2.0f / 3)) * z;
  $V half = f * f * 0.5f;
  $V r = k * 0x1.62cp-1f + (f - (half - (s * (half + p) + k * 0x1.217f7ep-12f)));
  r = $BLEND(($I)(x < __builtin_inff()), r, x);
  r = $BLEND(($I)(x < 0.0f), $BC(__builtin_nanf("")), r);
  return $BLEND(($I)(x == 0.0f), $BC(-__builtin_inff()), r);
})";

// erf: x P(x^2) up to 1, then 1 - e^(-x^2) Q(1/(1+x)); minimax polynomials (errors 1e-9 and 8e-9). <= 3 ulp.
const char* kErf = R"(static inline $V $N($V x) {
  $I s = ($I)x & ~0x7fffffff;
  $V a = $MIN($BC(4.0f), ($V)(($I)x & 0x7fffffff)), z = a * a;
  $V p = $BC(7.87587506269e-5f);
  p = $FMA(p, z, $BC(-0.000801686428717f));
  p = $FMA(p, z, $BC(0.00518908742343f));
  p = $FMA(p, z, $BC(-0.0268542120106f));
  p = $FMA(p, z, $BC(0.112835947152f));
  p = $FMA(p, z, $BC(-0.376126266667f));
  p = $FMA(p, z, $BC(1.12837916585f)) * a;
  $V u = 1.0f / (a + 1.0f), q = $BC(-0.396408497039f);
  q = $FMA(q, u, $BC(0.792220612266f));
  q = $FMA(q, u, $BC(-0.0854748315051f));
  q = $FMA(q, u, $BC(-0.933265806307f));
  q = $FMA(q, u, $BC(0.529077890819f));
  q = $FMA(q, u, $BC(0.514822175914f));
  q = $FMA(q, u, $BC(0.569376987585f));
  q = $FMA(q, u, $BC(-0.000226508463801f));
  $V r = $BLEND(($I)(a > 1.0f), 1.0f - q * $EXP(-z), p);
  return ($V)(($I)r | s);
})";

}  // namespace

std::string piece_math_vector(PreambleC& p, const std::string& op, DType t, int lanes, const std::string& name) {
  std::map<std::string, std::string> n = {{"V", p.type(t, lanes)},
                                          {"I", p.type(DType::kI32, lanes)},
                                          {"N", name},
                                          {"BC", p.broadcast(t, lanes)},
                                          {"FMA", p.function("fma", t, lanes)},
                                          {"MIN", p.function("least", t, lanes)},
                                          {"MAX", p.function("most", t, lanes)},
                                          {"BLEND", p.blend(t, lanes)}};
  if (op == "erf") n["EXP"] = p.function("exp", t, lanes);
  return fill_in(op == "exp" ? kExp : op == "tanh" ? kTanh : op == "log" ? kLog : kErf, n);
}

}  // namespace tlm::kernels
