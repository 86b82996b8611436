#include "tlm/codegen/random_tensor.h"

namespace tlm::codegen {

Tensor random_tensor(DType dtype, const Shape& shape, Rng& rng) {
  Tensor t(dtype, shape);
  const int64_t n = t.size();
  if (is_float(dtype)) {
    for (int64_t i = 0; i < n; ++i) t.set_f64(i, rng.normal());
  } else {
    const uint64_t range = dtype == DType::kBool ? 2 : 8;
    for (int64_t i = 0; i < n; ++i) t.set_i64(i, static_cast<int64_t>(rng.below(range)));
  }
  return t;
}

}  // namespace tlm::codegen
