// Float operations that are one or a few instructions: multiply-add, min and max with NaN, rounding, square root, remainders.
#include "tlm/kernels/preamble/preamble_c.h"

namespace tlm::kernels {

namespace {

// x86 names of packed instructions: {f32 128, f32 256, f32 512, f64 128, f64 256, f64 512} by suffix.
struct Packed {
  std::string suffix;  // "ps", "ps256", "ps512"
  int bits = 0;        // 0: no such instruction on the target
};

Packed packed(const PreambleC& p, DType t, int lanes) {
  Packed out;
  if (!p.x86()) return out;
  const int bits = lanes * static_cast<int>(dtype_size(t)) * 8;
  const char* base = t == DType::kF32 ? "ps" : "pd";
  if (bits == 128) out = {base, 128};
  if (bits == 256 && p.target().has("avx")) out = {std::string(base) + "256", 256};
  if (bits == 512 && p.target().has("avx512f")) out = {std::string(base) + "512", 512};
  return out;
}

// A packed instruction of one or two arguments; the compilers name the 512-bit ones differently.
std::string builtin(PreambleC& p, const std::string& instruction, const Packed& x, int arguments) {
  const std::string args = arguments == 1 ? "(a" : "(a, b", name = instruction + x.suffix;
  if (x.bits != 512) return "__builtin_ia32_" + name + args + ")";
  p.declare("raw_" + name, "#ifdef __clang__\n#define raw_" + name + args + ") __builtin_ia32_" + name + args +
                               ", 4)\n#else\n#define raw_" + name + args + ") __builtin_ia32_" + name + "_mask" + args +
                               ", a, -1, 4)\n#endif");
  return "raw_" + name + args + ")";
}

std::string list_of(int lanes, const std::string& item) {
  std::string out = "{";
  for (int i = 0; i < lanes; ++i) out += (i ? ", " : "") + fill_in(item, {{"i", std::to_string(i)}});
  return out + "}";
}

std::string fma_piece(PreambleC& p, DType t, int lanes, const std::string& v, const std::string& name) {
  const std::string one = t == DType::kF32 ? "__builtin_fmaf" : "__builtin_fma";
  const std::string macro = "#define " + name + "(a, b, c) ";
  if (!p.target().fma) {  // no such instruction: a product and a sum
    const std::string body = "static inline __attribute__((always_inline)) $V $N($V a, $V b, $V c) { return a * b + c; }";
    return fill_in(body, {{"V", v}, {"N", name}});
  }
  if (lanes == 1) return macro + one + "(a, b, c)";
  const Packed x = packed(p, t, lanes);
  if (x.bits == 512) return macro + "__builtin_ia32_vfmadd" + x.suffix + "_mask(a, b, c, -1, 4)";
  if (x.bits) return macro + "__builtin_ia32_vfmadd" + x.suffix + "(a, b, c)";
  const std::string lanewise = "static inline __attribute__((always_inline)) " + v + " " + name + "(" + v + " a, " + v + " b, " +
                               v + " c) { return (" + v + ")" + list_of(lanes, one + "(a[$i], b[$i], c[$i])") + "; }";
  if (p.target().arch == "aarch64" && lanes * dtype_size(t) == 16) {
    return "#if defined(__clang__)\n" + lanewise + "\n#else\n" + macro + "__builtin_aarch64_fmav" +
           (t == DType::kF32 ? "4sf" : "2df") + "(a, b, c)\n#endif";
  }
  // Wider than a register: halves.
  if (lanes > 2 && static_cast<int>(static_cast<size_t>(lanes) * dtype_size(t)) * 8 > p.target().vector_bits) {
    const std::string half = p.function("fma", t, lanes / 2), h = p.type(t, lanes / 2);
    return fill_in(
        "static inline __attribute__((always_inline)) $V $N($V a, $V b, $V c) { union { $V v; $H h[2]; } x = {a}, y = {b}, z = "
        "{c}; "
        "z.h[0] = $F(x.h[0], y.h[0], z.h[0]); z.h[1] = $F(x.h[1], y.h[1], z.h[1]); return z.v; }",
        {{"V", v}, {"H", h}, {"F", half}, {"N", name}});
  }
  return lanewise;
}

}  // namespace

std::string piece_float(PreambleC& p, const std::string& op, DType t, int lanes, const std::string& name) {
  const bool f32 = t == DType::kF32;
  const std::string v = p.type(t, lanes);
  const Packed x = packed(p, t, lanes);
  std::map<std::string, std::string> n = {{"V", v}, {"N", name}, {"L", f32 ? "f" : ""}};
  const std::string head = "static inline __attribute__((always_inline)) $V $N";
  auto piece = [&](const std::string& text) { return fill_in(head + text, n); };

  if (op == "fma") return fma_piece(p, t, lanes, v, name);
  if (op == "abs" && lanes == 1) return fill_in("#define $N(a) __builtin_fabs$L(a)", n);
  if (op == "sqrt" && lanes == 1) return fill_in("#define $N(a) __builtin_sqrt$L(a)", n);
  if (op == "rsqrt") {
    const std::string root = p.function("sqrt", t, lanes);
    return piece("($V a) { return 1 / " + root + "(a); }");
  }
  if (op == "floordiv") {
    const std::string floor = p.function("floor", t, lanes);
    return piece("($V a, $V b) { return " + floor + "(a / b); }");
  }
  if (op == "square") return piece("($V a) { return a * a; }");
  if (op == "cube") return piece("($V a) { return a * a * a; }");
  if (op == "least" || op == "most") {  // b if either is NaN: the x86 instruction
    const std::string less = op == "least" ? "<" : ">", instruction = op == "least" ? "min" : "max";
    if (lanes == 1) return piece("($V a, $V b) { return a " + less + " b ? a : b; }");
    if (x.bits) return piece("($V a, $V b) { return " + builtin(p, instruction, x, 2) + "; }");
    n["B"] = p.blend(t, lanes), n["M"] = p.mask_of(t, lanes);
    return piece("($V a, $V b) { return $B($M(a " + less + " b), a, b); }");
  }
  if (op == "min" || op == "max") {
    const std::string less = op == "min" ? "<" : ">";
    // NaN if either is: a NaN in b falls through the comparison, one in a is tested.
    if (lanes == 1) return piece("($V a, $V b) { return a != a || a " + less + " b ? a : b; }");
    n["I"] = p.type(f32 ? DType::kI32 : DType::kI64, lanes);
    if (x.bits) {  // the instruction returns b when either is NaN; all bits set is a NaN
      const std::string call = builtin(p, op, x, 2);
      return piece("($V a, $V b) { return ($V)(($I)" + call + " | ($I)(a != a)); }");
    }
    n["B"] = p.blend(t, lanes), n["M"] = p.mask_of(t, lanes);
    return piece("($V a, $V b) { return $B($M((a " + less + " b) | (a != a)), a, b); }");
  }
  if (lanes > 1) {
    n["I"] = p.type(f32 ? DType::kI32 : DType::kI64, lanes);
    n["S"] = f32 ? "0x7fffffff" : "0x7fffffffffffffffll";
  }
  if (op == "abs") return piece("($V a) { return ($V)(($I)a & $S); }");
  if (op == "sqrt") {
    if (x.bits) return piece("($V a) { return " + builtin(p, "sqrt", x, 1) + "; }");
    return piece("($V a) { return ($V)" + list_of(lanes, fill_in("__builtin_sqrt$L(a[$i])", {{"L", n["L"]}})) + "; }");
  }
  if (op == "floor" || op == "ceil" || op == "round" || op == "trunc") {
    if (lanes == 1) {
      const int wide = f32 ? 4 : 2;
      return piece("($V x) { return " + p.function(op, t, wide) + "(" + p.broadcast(t, wide) + "(x))[0]; }");
    }
    const std::string mode = op == "round" ? "8" : op == "floor" ? "9" : op == "ceil" ? "10" : "11";  // quiet
    if (x.bits && p.target().has("sse4_1"))
      return piece("($V a) { return " +
                   (x.bits == 512
                        ? "__builtin_ia32_rndscale" + std::string(f32 ? "ps" : "pd") + "_mask(a, " + mode + ", a, -1, 4)"
                        : "__builtin_ia32_round" + x.suffix + "(a, " + mode + ")") +
                   "; }");
    // |x| + 2^23 (2^52) is rounded to an integer, half to even; larger values are integers already.
    n["M"] = f32 ? "0x1p23f" : "0x1p52";
    const std::string fix = op == "round"   ? ""
                            : op == "trunc" ? "r -= ($V)(($I)(r > m) & ($I)(($V){} + 1)); "
                            : op == "floor" ? "r -= ($V)(($I)(r > a) & ($I)(($V){} + 1)); "
                                            : "r += ($V)(($I)(r < a) & ($I)(($V){} + 1)); ";
    const std::string signed_first = op == "trunc" ? "" : "r = ($V)(($I)r | s); ";
    const std::string signed_last = "r = ($V)((($I)r & $S) | s); ";
    // A result of 0 keeps the sign of the argument; other results have it anyway, but for ceil and floor towards 0.
    std::string last = op == "trunc" || op == "round" ? signed_last : "r = ($V)(($I)r | (s & ($I)(r == 0))); ";
    return piece("($V a) { $I s = ($I)a & ~$S; $V m = ($V)(($I)a & $S), r = (m + $M) - $M; " + signed_first + fix + last +
                 "$I k = ($I)(m < $M); return ($V)((($I)r & k) | (($I)a & ~k)); }");
  }
  if (op == "mod" && lanes == 1) {  // exact: long division of the significands
    n["U"] = f32 ? "u32" : "u64", n["W"] = f32 ? "23" : "52", n["E"] = f32 ? "0xff" : "0x7ff", n["T"] = f32 ? "31" : "63";
    n["1"] = f32 ? "1u" : "1ull";
    return fill_in(R"(static $V $N($V a, $V b) {
  union { $V f; $U u; } x = {a}, y = {b};
  $U sign = x.u & ($1 << $T), one = $1 << $W;
  x.u &= ~($1 << $T), y.u &= ~($1 << $T);
  i32 ex = (i32)(x.u >> $W), ey = (i32)(y.u >> $W);
  if (y.u == 0 || ex == $E || b != b) return (a * b) / (a * b);
  if (x.u < y.u) return a;
  $U mx = x.u & (one - 1), my = y.u & (one - 1);
  if (ex) mx |= one; else ex = 1;
  if (ey) my |= one; else ey = 1;
  for (; ex > ey; --ex) mx = (mx % my) << 1;
  mx %= my;
  if (mx == 0) { x.u = sign; return x.f; }
  while (ey > 1 && mx < one) mx <<= 1, --ey;
  x.u = mx < one ? mx : (mx - one) | (($U)ey << $W);
  x.u |= sign;
  return x.f;
})",
                   n);
  }
  if (op == "floormod" && lanes == 1) {
    n["M"] = p.function("mod", t, 1);
    return piece("($V a, $V b) { $V r = $M(a, b); return r != 0 && (r < 0) != (b < 0) ? r + b : r; }");
  }
  if (op == "sign") {
    if (lanes == 1) return piece("($V a) { return a > 0 ? 1 : a < 0 ? -1 : a; }");
    return piece(
        "($V a) { $I p = ($I)(a > 0), m = ($I)(a < 0); return ($V)((($I)(($V){} + 1) & p) | (($I)(($V){} - 1) & m) | (($I)a & "
        "~(p | m))); }");
  }
  return "";
}

}  // namespace tlm::kernels
