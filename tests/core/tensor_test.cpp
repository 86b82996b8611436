#include "tlm/core/tensor.h"

#include <cmath>
#include <limits>

#include "support.h"

namespace tlm {
namespace {

constexpr DType kAll[] = {DType::kF32, DType::kF64, DType::kF16, DType::kBF16, DType::kI8,  DType::kI16, DType::kI32,
                          DType::kI64, DType::kU8,  DType::kU16, DType::kU32,  DType::kU64, DType::kBool};

TEST(Tensor, IsZeroFilledAndAligned) {
  for (const DType t : kAll) {
    const Tensor tensor(t, {3, 5});
    EXPECT_EQ(tensor.size(), 15);
    EXPECT_EQ(tensor.bytes(), 15 * dtype_size(t));
    EXPECT_EQ(reinterpret_cast<uintptr_t>(tensor.data()) % 64, 0u);
    for (int i = 0; i < 15; ++i) EXPECT_EQ(tensor.at_f64(i), 0) << dtype_name(t);
  }
}

TEST(Tensor, ScalarsAndEmptyOnes) {
  EXPECT_EQ(Tensor().size(), 0);
  EXPECT_EQ(Tensor().shape(), Shape{0});
  EXPECT_EQ(Tensor::scalar_i64(-5).at_i64(0), -5);
  EXPECT_EQ(Tensor::scalar_i64(-5).shape(), Shape{});
  EXPECT_EQ(Tensor::scalar_f32(0.5f).as<float>()[0], 0.5f);
  const std::vector<int64_t> values = {3, -1, 1LL << 60};
  EXPECT_EQ(Tensor::vector_i64(values).to_i64(), values);
  EXPECT_EQ(Tensor::vector_i64({}).shape(), Shape{0});
  Tensor empty(DType::kF32, {2, 0});
  EXPECT_TRUE(empty.as<float>().empty());
  EXPECT_TRUE(empty.mutable_as<float>().empty());
}

TEST(Tensor, SetAndReadEveryType) {
  for (const DType t : kAll) {
    Tensor tensor(t, {4});
    tensor.set_f64(1, 1.0);
    tensor.set_i64(2, 1);
    EXPECT_EQ(tensor.to_i64(), (std::vector<int64_t>{0, 1, 1, 0})) << dtype_name(t);
    EXPECT_EQ(tensor.at_f64(1), 1.0);
  }
}

TEST(Tensor, FloatsSaturateIntoIntegers) {
  struct Case {
    DType dtype;
    double value;
    int64_t expected;
  };
  const Case cases[] = {
      {DType::kI8, 127.9, 127},
      {DType::kI8, 128, 127},
      {DType::kI8, -1e9, -128},
      {DType::kI8, -1.9, -1},
      {DType::kU8, -3, 0},
      {DType::kU8, 300, 255},
      {DType::kI16, 1e6, 32767},
      {DType::kU16, 1e6, 65535},
      {DType::kI32, 1e12, INT32_MAX},
      {DType::kU32, 1e12, UINT32_MAX},
      {DType::kI64, 1e30, INT64_MAX},
      {DType::kI64, -1e30, INT64_MIN},
      {DType::kI32, NAN, 0},
      {DType::kU64, -INFINITY, 0},
      {DType::kU64, INFINITY, -1},  // all bits
      {DType::kBool, 0.25, 1},
      {DType::kBool, -0.0, 0},
      {DType::kBool, NAN, 1},
  };
  for (const Case& c : cases) {
    Tensor t(c.dtype, {});
    t.set_f64(0, c.value);
    EXPECT_EQ(t.at_i64(0), c.expected) << dtype_name(c.dtype) << " " << c.value;
  }
}

TEST(Tensor, IntegersKeepTheirLowBits) {
  const std::tuple<DType, int64_t, int64_t> cases[] = {
      {DType::kI8, 200, -56},        {DType::kU8, -1, 255},  {DType::kI16, 1 << 17 | 3, 3},
      {DType::kU32, -1, UINT32_MAX}, {DType::kBool, 256, 1},
  };
  for (const auto& [dtype, value, expected] : cases) {
    Tensor t(dtype, {});
    t.set_i64(0, value);
    EXPECT_EQ(t.at_i64(0), expected) << dtype_name(dtype) << " " << value;
  }
  Tensor u64(DType::kU64, {});
  u64.set_i64(0, -1);
  EXPECT_EQ(u64.at_f64(0), 0x1p64);
}

TEST(Tensor, DoublesRoundOnceIntoHalves) {
  Tensor half(DType::kF16, {2});
  // Just above the middle of 1 and its successor: by way of f32 it would first become the middle, then 1.
  half.set_f64(0, 1 + 0x1p-11 + 0x1p-40);
  EXPECT_EQ(half.at_f64(0), 1 + 0x1p-10);
  half.set_f64(1, -(1 + 0x1p-10 + 0x1p-11 - 0x1p-40));
  EXPECT_EQ(half.at_f64(1), -(1 + 0x1p-10));
  Tensor brain(DType::kBF16, {2});
  brain.set_f64(0, 1 + 0x1p-8 + 0x1p-40);
  EXPECT_EQ(brain.at_f64(0), 1 + 0x1p-7);
  brain.set_f64(1, INFINITY);
  EXPECT_EQ(brain.at_f64(1), INFINITY);
}

TEST(Tensor, From) {
  const std::vector<double> values = {0.5, -2, 1e9};
  EXPECT_EQ(Tensor::from<double>(DType::kI16, {3}, values).to_i64(), (std::vector<int64_t>{0, -2, 32767}));
  const std::vector<int> ints = {1, 2};
  EXPECT_EQ(Tensor::from<int>(DType::kF16, {2, 1}, ints).at_f64(1), 2.0);
  test::expect_error(ErrorCode::kInternal, "from 2 values", [&] { Tensor::from<int>(DType::kI32, {3}, ints); });
}

TEST(Tensor, CopiesShareAndOnlyASoleOwnerWrites) {
  Tensor a(DType::kI32, {2, 3});
  a.set_i64(4, 9);
  {
    const Tensor b = a.reshaped({3, 2});
    EXPECT_EQ(b.data(), a.data());
    EXPECT_EQ(b.at_i64(4), 9);
    test::expect_error(ErrorCode::kInternal, "shared by 2", [&] { a.mutable_data(); });
  }
  EXPECT_NO_THROW(a.mutable_data());
  test::expect_error(ErrorCode::kInternal, "[2,3] to [5]", [&] { a.reshaped({5}); });
}

TEST(Tensor, BorrowedDataIsKeptAliveAndReadOnly) {
  auto owner = std::make_shared<std::vector<float>>(std::vector<float>{1, 2, 3});
  Tensor t(DType::kF32, {3}, owner->data(), owner);
  EXPECT_EQ(owner.use_count(), 2);
  EXPECT_EQ(t.as<float>()[2], 3);
  test::expect_error(ErrorCode::kInternal, "read-only", [&] { t.mutable_data(); });
  test::expect_error(ErrorCode::kInternal, "[1]", [] { Tensor(DType::kF32, {1}, nullptr, nullptr); });
}

TEST(Tensor, ChecksTypesAndIndices) {
  const Tensor t(DType::kF16, {2});
  EXPECT_EQ(t.as<uint16_t>().size(), 2u);
  test::expect_error(ErrorCode::kInternal, "holds f16", [&] { t.as<float>(); });
  test::expect_error(ErrorCode::kInternal, "index 2 of 2", [&] { t.at_f64(2); });
  test::expect_error(ErrorCode::kInternal, "index -1 of 2", [&] { t.at_i64(-1); });
}

TEST(Tensor, RefusesWhatCannotBe) {
  test::expect_error(ErrorCode::kBadModel, "2^62", [] { Tensor(DType::kF32, {INT64_MAX, 2}); });
  test::expect_error(ErrorCode::kBadModel, "2^62 bytes", [] { Tensor(DType::kF64, {int64_t{1} << 62}); });
  test::expect_error(ErrorCode::kBadModel, "negative", [] { Tensor(DType::kF32, {-1}); });
  test::expect_error(ErrorCode::kEnvironment, "out of memory", [] { Tensor(DType::kF32, {int64_t{1} << 58}); });
}

}  // namespace
}  // namespace tlm
