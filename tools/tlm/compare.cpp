#include "tlm/tools/tlm/compare.h"

#include <algorithm>
#include <cmath>
#include <sstream>

namespace tlm::tools {

Comparison compare(const Tensor& actual, const Tensor& expected, const Tolerance& tolerance) {
  Comparison c;
  if (actual.dtype() != expected.dtype() || actual.shape() != expected.shape()) {
    std::ostringstream reason;
    reason << "is " << dtype_name(actual.dtype()) << to_string(actual.shape()) << ", expected " << dtype_name(expected.dtype())
           << to_string(expected.shape());
    return {false, 0, 0, reason.str()};
  }
  double scale = 0;
  for (int64_t i = 0; i < expected.size(); ++i)
    if (const double b = std::abs(expected.at_f64(i)); std::isfinite(b)) scale = std::max(scale, b);
  int64_t worst = -1;
  for (int64_t i = 0; i < expected.size(); ++i) {
    const double a = actual.at_f64(i), b = expected.at_f64(i);
    if (a == b || (std::isnan(a) && std::isnan(b))) continue;
    const double error = std::abs(a - b);
    const bool within =
        error <= tolerance.relative * std::abs(b) + tolerance.of_max * scale + tolerance.absolute && std::isfinite(b);
    if (std::isnan(error) || error > c.max_error) c.max_error = error;
    if (within) continue;
    if (worst < 0) worst = i;
    ++c.wrong;
  }
  if (c.wrong > 0) {
    std::ostringstream reason;
    reason << c.wrong << " of " << expected.size() << " elements differ; first at " << worst << ": " << actual.at_f64(worst)
           << ", expected " << expected.at_f64(worst) << "; max |difference| " << c.max_error;
    c.ok = false;
    c.reason = reason.str();
  }
  return c;
}

}  // namespace tlm::tools
