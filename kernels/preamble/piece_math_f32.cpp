// f32 scalars that are computed in f64 and rounded: within 1 ulp, special cases as in f64.
#include "tlm/kernels/preamble/preamble_c.h"

namespace tlm::kernels {

std::string piece_math_f32(PreambleC& p, const std::string& op, const std::string& name) {
  const std::string wide = p.function(op, DType::kF64, 1);
  const bool binary = op == "pow";
  return "static f32 " + name +
         (binary ? "(f32 a, f32 b) { return (f32)" + wide + "(a, b); }" : "(f32 a) { return (f32)" + wide + "(a); }");
}

}  // namespace tlm::kernels
