// Integer operations whose C form is undefined or different: division (by zero: 0), remainders, shifts, powers.
#include "tlm/kernels/preamble/preamble_c.h"

namespace tlm::kernels {

std::string piece_integer(PreambleC& p, const std::string& op, DType t, const std::string& name) {
  const bool sign = is_signed_int(t);
  std::map<std::string, std::string> v = {
      {"T", p.type(t)}, {"N", name}, {"B", std::to_string(dtype_size(t) * 8)}, {"U", dtype_size(t) == 8 ? "u64" : "u32"}};
  auto piece = [&](const std::string& text) { return fill_in("static inline __attribute__((always_inline)) " + text, v); };
  // The smallest value divided by -1 wraps.
  if (op == "div")
    return piece(sign ? "$T $N($T a, $T b) { return b == 0 ? 0 : b == -1 ? ($T)(0 - ($U)a) : ($T)(a / b); }"
                      : "$T $N($T a, $T b) { return b == 0 ? 0 : ($T)(a / b); }");
  if (op == "mod")
    return piece(sign ? "$T $N($T a, $T b) { return b == 0 || b == -1 ? 0 : ($T)(a % b); }"
                      : "$T $N($T a, $T b) { return b == 0 ? 0 : ($T)(a % b); }");
  if (op == "floordiv") {
    v["D"] = p.function("div", t, 1), v["M"] = p.function("mod", t, 1);
    return piece(sign ? "$T $N($T a, $T b) { $T q = $D(a, b); return $M(a, b) != 0 && (a < 0) != (b < 0) ? ($T)(q - 1) : q; }"
                      : "$T $N($T a, $T b) { return $D(a, b); }");
  }
  if (op == "floormod") {
    v["M"] = p.function("mod", t, 1);
    return piece(sign ? "$T $N($T a, $T b) { $T r = $M(a, b); return r != 0 && (r < 0) != (b < 0) ? ($T)(r + b) : r; }"
                      : "$T $N($T a, $T b) { return $M(a, b); }");
  }
  if (op == "shl") return piece("$T $N($T a, $T b) { return (u64)(i64)b < $B ? ($T)(($U)a << b) : 0; }");
  if (op == "shr")
    return piece(sign ? "$T $N($T a, $T b) { return (u64)(i64)b < $B ? ($T)(a >> b) : a < 0 ? -1 : 0; }"
                      : "$T $N($T a, $T b) { return (u64)b < $B ? ($T)(a >> b) : 0; }");
  if (op == "min") return piece("$T $N($T a, $T b) { return b < a ? b : a; }");
  if (op == "max") return piece("$T $N($T a, $T b) { return a < b ? b : a; }");
  if (op == "abs") return piece(sign ? "$T $N($T a) { return a < 0 ? ($T)(0 - ($U)a) : a; }" : "$T $N($T a) { return a; }");
  if (op == "sign") return piece(sign ? "$T $N($T a) { return ($T)((a > 0) - (a < 0)); }" : "$T $N($T a) { return a != 0; }");
  if (op == "pow") {
    const std::string negative = sign ? "if (b < 0) return a == 1 ? 1 : a == -1 ? (b & 1 ? -1 : 1) : 0; " : "";
    return fill_in("static $T $N($T a, $T b) { " + negative +
                       "u64 r = 1, x = (u64)a; for (u64 e = (u64)b; e; e >>= 1, x *= x) if (e & 1) r *= x; return ($T)r; }",
                   v);
  }
  return "";
}

}  // namespace tlm::kernels
