// Every encoding of a tensor, and what is refused.
#include <gtest/gtest.h>

#include <fstream>

#include "tests/core/support.h"
#include "tlm/core/tensor.h"
#include "wire.h"

namespace tlm::ir::test {
namespace {

using tlm::test::TempFolder;

Tensor load(const Message& m) {
  TempFolder folder;
  std::ofstream(folder / "t.pb", std::ios::binary) << m.bytes;
  std::string name;
  Tensor t = read_tensor_proto(folder / "t.pb", &name);
  EXPECT_EQ(name, "t");
  return t;
}

void refuse(const Message& m, ErrorCode code, const std::string& part) {
  tlm::test::expect_error(code, part, [&] { load(m); });
}

std::vector<double> numbers(const Tensor& t) {
  std::vector<double> v;
  for (int64_t i = 0; i < t.size(); ++i) v.push_back(t.at_f64(i));
  return v;
}

Message packed(Message m, int field, const std::vector<int64_t>& v) {
  Message list;
  for (const int64_t i : v) list.number(1, i);
  std::string body;  // the varints without their tags
  for (const int64_t i : v) body += Message().number(1, i).bytes.substr(1);
  return m.text(field, body);
}

TEST(TensorProto, RawDataOfEveryType) {
  struct Case {
    int type;
    DType dtype;
    std::string raw;
    std::vector<double> expected;
  };
  using namespace std::string_literals;
  const Case cases[] = {
      {kFloat, DType::kF32, "\x00\x00\x80\x3f\x00\x00\x00\xc0"s, {1, -2}},
      {kDouble, DType::kF64, "\0\0\0\0\0\0\xf0\x3f\0\0\0\0\0\0\0\xc0"s, {1, -2}},
      {kHalf, DType::kF16, "\x00\x3c\x00\xc0"s, {1, -2}},
      {kBfloat, DType::kBF16, "\x80\x3f\x00\xc0"s, {1, -2}},
      {kInt8, DType::kI8, "\x01\xfe"s, {1, -2}},
      {kUint8, DType::kU8, "\x01\xfe"s, {1, 254}},
      {kInt16, DType::kI16, "\x01\x00\xfe\xff"s, {1, -2}},
      {kUint16, DType::kU16, "\x01\x00\xfe\xff"s, {1, 65534}},
      {kInt32, DType::kI32, "\x01\0\0\0\xfe\xff\xff\xff"s, {1, -2}},
      {kUint32, DType::kU32, "\x01\0\0\0\xfe\xff\xff\xff"s, {1, 4294967294.0}},
      {kInt64, DType::kI64, "\x01\0\0\0\0\0\0\0\xfe\xff\xff\xff\xff\xff\xff\xff"s, {1, -2}},
      {kUint64, DType::kU64, "\x01\0\0\0\0\0\0\0\x02\0\0\0\0\0\0\0"s, {1, 2}},
      {kBoolean, DType::kBool, "\x00\x07"s, {0, 1}},
  };
  for (const Case& c : cases) {
    const Tensor t = load(tensor("t", c.type, {2}).text(9, c.raw));
    EXPECT_EQ(t.dtype(), c.dtype);
    EXPECT_EQ(numbers(t), c.expected) << dtype_name(c.dtype);
  }
}

TEST(TensorProto, TypedFields) {
  EXPECT_EQ(numbers(load(tensor("t", kFloat, {2}).real(4, 1.5f).real(4, -2))), (std::vector<double>{1.5, -2}));
  for (const int type : {kInt8, kInt16, kInt32})
    EXPECT_EQ(numbers(load(packed(tensor("t", type, {2}), 5, {1, -2}))), (std::vector<double>{1, -2})) << type;
  for (const int type : {kUint8, kUint16})
    EXPECT_EQ(numbers(load(packed(tensor("t", type, {2}), 5, {1, 254}))), (std::vector<double>{1, 254})) << type;
  EXPECT_EQ(numbers(load(packed(tensor("t", kBoolean, {3}), 5, {1, 0, 2}))), (std::vector<double>{1, 0, 1}));
  EXPECT_EQ(numbers(load(packed(tensor("t", kHalf, {2}), 5, {0x3c00, 0xc000}))), (std::vector<double>{1, -2}));
  EXPECT_EQ(numbers(load(packed(tensor("t", kBfloat, {2}), 5, {0x3f80, 0xc000}))), (std::vector<double>{1, -2}));
  EXPECT_EQ(numbers(load(packed(tensor("t", kInt64, {2}), 7, {1, -2}))), (std::vector<double>{1, -2}));
  for (const int type : {kUint32, kUint64})
    EXPECT_EQ(numbers(load(packed(tensor("t", type, {2}), 11, {1, 2}))), (std::vector<double>{1, 2})) << type;
  const double d = 0.1;
  EXPECT_EQ(numbers(load(tensor("t", kDouble, {}).text(10, std::string(reinterpret_cast<const char*>(&d), 8)))),
            std::vector<double>{0.1});
}

TEST(TensorProto, EmptyAndScalar) {
  EXPECT_EQ(load(tensor("t", kFloat, {0, 3}).text(9, "")).shape(), (Shape{0, 3}));
  EXPECT_EQ(load(tensor("t", kFloat, {0, 3})).size(), 0);
  EXPECT_EQ(load(tensor("t", kFloat, {}).real(4, 7)).shape(), Shape{});
}

TEST(TensorProto, Refusals) {
  refuse(tensor("t", kString, {1}).text(6, "x"), ErrorCode::kUnsupported, "element type STRING");
  refuse(tensor("t", 14, {1}), ErrorCode::kUnsupported, "element type COMPLEX64");
  refuse(tensor("t", 77, {1}), ErrorCode::kUnsupported, "element type type 77");
  refuse(tensor("t", kFloat, {1}).message(3, Message().number(1, 0).number(2, 1)), ErrorCode::kUnsupported, "segments");
  refuse(tensor("t", kFloat, {2}).text(9, "1234567"), ErrorCode::kBadModel, "raw_data has 7 bytes; shape [2] needs 8");
  refuse(tensor("t", kFloat, {2}).real(4, 1), ErrorCode::kBadModel, "float_data has 1 elements; shape [2] needs 2");
  refuse(tensor("t", kInt64, {2}), ErrorCode::kBadModel, "int64_data has 0 elements; shape [2] needs 2");
  refuse(tensor("t", kFloat, {-2}).text(9, ""), ErrorCode::kBadModel, "[-2]");
  refuse(packed(tensor("t", kInt8, {1}), 5, {200}), ErrorCode::kBadModel, "int32_data has the value 200, which is no i8");
  refuse(packed(tensor("t", kUint8, {1}), 5, {-1}), ErrorCode::kBadModel, "int32_data has the value -1, which is no u8");
  refuse(packed(tensor("t", kUint32, {1}), 11, {int64_t{1} << 32}), ErrorCode::kBadModel, "which is no u32");
  // Gigabytes announced in a few bytes.
  refuse(tensor("t", kFloat, {1 << 28}).text(9, "1234"), ErrorCode::kBadModel,
         "raw_data has 4 bytes; shape [268435456] needs 1073741824");
  refuse(tensor("t", kFloat, {1 << 28}).real(4, 1), ErrorCode::kBadModel, "float_data has 1 elements");
  refuse(tensor("t", kFloat, {int64_t{1} << 40, int64_t{1} << 40}).text(9, ""), ErrorCode::kBadModel, "2^62");
  refuse(tensor("t", kDouble, {int64_t{1} << 61}).text(9, ""), ErrorCode::kBadModel, "shape [2305843009213693952] is too large");
  refuse(tensor("t", kFloat, std::vector<int64_t>(17, 1)).real(4, 1), ErrorCode::kUnsupported, "17 dimensions; at most 16");
}

}  // namespace
}  // namespace tlm::ir::test
