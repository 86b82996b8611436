#include "tlm/codegen/pack_constant.h"

#include <gtest/gtest.h>

#include <cstring>

namespace tlm::codegen {
namespace {

std::vector<float> floats(const std::vector<std::byte>& bytes) {
  std::vector<float> v(bytes.size() / sizeof(float));
  std::memcpy(v.data(), bytes.data(), bytes.size());
  return v;
}

Tensor counted(Shape shape) {
  Tensor t(DType::kF32, std::move(shape));
  for (int64_t i = 0; i < t.size(); ++i) t.set_f64(i, static_cast<double>(i + 1));
  return t;
}

TEST(PackConstant, WithoutDimensionsStaysRowMajor) {
  EXPECT_EQ(floats(pack_constant(counted({2, 3}), {})), (std::vector<float>{1, 2, 3, 4, 5, 6}));
}

TEST(PackConstant, Transposes) {
  EXPECT_EQ(floats(pack_constant(counted({2, 3}), {{1, 3, 1}, {0, 2, 1}})), (std::vector<float>{1, 4, 2, 5, 3, 6}));
}

TEST(PackConstant, PanelsArePaddedWithZeros) {
  // [co=3, ci=2] in panels of two output channels: [⌈3/2⌉][ci][2]
  EXPECT_EQ(floats(pack_constant(counted({3, 2}), {{0, 2, 2}, {1, 2, 1}, {0, 2, 1}})),
            (std::vector<float>{1, 3, 2, 4, 5, 0, 6, 0}));
}

TEST(PackConstant, MatchesItsDefinition) {
  const Tensor t = counted({5, 3, 4});
  const std::vector<ir::PackedDim> dims = {{0, 2, 3}, {2, 2, 2}, {1, 3, 1}, {0, 3, 1}, {2, 2, 1}};
  const std::vector<float> packed = floats(pack_constant(t, dims));
  size_t at = 0;
  for (int64_t a = 0; a < 2; ++a)
    for (int64_t b = 0; b < 2; ++b)
      for (int64_t c = 0; c < 3; ++c)
        for (int64_t d = 0; d < 3; ++d)
          for (int64_t e = 0; e < 2; ++e) {
            const int64_t i = a * 3 + d, j = c, k = b * 2 + e;
            const float expected = i < 5 && k < 4 ? static_cast<float>((i * 3 + j) * 4 + k + 1) : 0.0f;
            EXPECT_EQ(packed.at(at++), expected) << i << "," << j << "," << k;
          }
  EXPECT_EQ(at, packed.size());
}

}  // namespace
}  // namespace tlm::codegen
