#include "tlm/core/npy.h"

#include "support.h"
#include "tlm/core/file.h"
#include "tlm/core/rng.h"

namespace tlm {
namespace {

using test::expect_error;

Tensor parse(const std::string& file) { return parse_npy(std::as_bytes(std::span(file)), "x.npy"); }

// A version 1 file with this dictionary, unpadded, and this data.
std::string file_of(const std::string& dictionary, const std::string& data = "", char major = 1) {
  std::string file = "\x93NUMPY";
  file += {major, '\0'};
  const size_t length = dictionary.size();
  for (int i = 0; i < (major == 1 ? 2 : 4); ++i) file += static_cast<char>(length >> 8 * i & 0xff);
  return file + dictionary + data;
}

TEST(Npy, RoundTripsEveryTypeAndRank) {
  test::TempFolder folder;
  Rng rng(1);
  for (int t = 0; t <= static_cast<int>(DType::kBool); ++t) {
    for (const Shape& shape : {Shape{}, Shape{7}, Shape{0}, Shape{2, 3, 4}, Shape{1, 0, 5}}) {
      Tensor tensor(static_cast<DType>(t), shape);
      for (int64_t i = 0; i < tensor.size(); ++i) tensor.set_i64(i, rng.between(-100, 100));
      write_npy(folder / "a.npy", tensor);
      const Tensor back = read_npy(folder / "a.npy");
      EXPECT_EQ(back.dtype(), tensor.dtype());
      EXPECT_EQ(back.shape(), shape);
      EXPECT_EQ(back.to_i64(), tensor.to_i64());
    }
  }
}

// As numpy.save of NumPy 1.24 writes them.
TEST(Npy, HeaderIsNumPys) {
  const std::string header = npy_header(DType::kF32, {2, 3});
  EXPECT_EQ(header.size(), 128u);
  EXPECT_EQ(header.substr(0, 10), std::string("\x93NUMPY\x01\x00\x76\x00", 10));
  EXPECT_TRUE(header.substr(10).starts_with("{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), } ")) << header;
  EXPECT_EQ(header.back(), '\n');
  EXPECT_NE(npy_header(DType::kI64, {5}).find("'shape': (5,), }"), std::string::npos);
  EXPECT_NE(npy_header(DType::kBool, {}).find("'|b1', 'fortran_order': False, 'shape': (), }"), std::string::npos);
}

TEST(Npy, ReadsEveryVersion) {
  const std::string dictionary = "{'descr': '<i2', 'fortran_order': False, 'shape': (2,), }\n";
  for (const char major : {1, 2, 3})
    EXPECT_EQ(parse(file_of(dictionary, std::string("\x01\x00\xff\xff", 4), major)).to_i64(), (std::vector<int64_t>{1, -1}));
  expect_error(ErrorCode::kBadModel, "version 4", [&] { parse(file_of(dictionary, "", 4)); });
}

TEST(Npy, FortranOrderBecomesRowMajor) {
  // a[i][j][k] = 100 i + 10 j + k, i fastest in the file.
  std::string data;
  std::vector<int64_t> expected;
  for (int k = 0; k < 4; ++k)
    for (int j = 0; j < 3; ++j)
      for (int i = 0; i < 2; ++i) data += static_cast<char>(100 * i + 10 * j + k);
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 3; ++j)
      for (int k = 0; k < 4; ++k) expected.push_back(100 * i + 10 * j + k);
  EXPECT_EQ(parse(file_of("{'descr': '|u1', 'fortran_order': True, 'shape': (2, 3, 4), }", data)).to_i64(), expected);
  EXPECT_EQ(parse(file_of("{'descr': '|u1', 'fortran_order': True, 'shape': (), }", "\x05")).to_i64(), std::vector<int64_t>{5});
}

TEST(Npy, DataNeedNotBeAlignedAndBoolsAreNormal) {
  const Tensor t = parse(file_of("{'descr':'<i4','fortran_order':False,'shape':(1,)}", std::string("\x01\x02\x00\x00", 4)));
  EXPECT_EQ(t.as<int32_t>()[0], 513);
  EXPECT_EQ(parse(file_of("{'descr': '|b1', 'fortran_order': False, 'shape': (3,), }", std::string("\x00\x01\xff", 3))).to_i64(),
            (std::vector<int64_t>{0, 1, 1}));
  EXPECT_EQ(
      parse(file_of("{\"shape\": (1), \"fortran_order\": False, \"descr\": \"<V2\"}", std::string("\x80\x3f", 2))).at_f64(0),
      1.0);
}

TEST(Npy, RefusesMalformedHeaders) {
  const std::string good = "{'descr': '<f4', 'fortran_order': False, 'shape': (1,), }";
  ASSERT_NO_THROW(parse(file_of(good, "abcd")));
  struct Case {
    std::string file, message;
  };
  const auto with_shape = [](const std::string& shape) {
    return file_of("{'descr': '<f4', 'fortran_order': False, 'shape': " + shape + "}", "abcd");
  };
  const auto with_type = [](const std::string& type) {
    return file_of("{'descr': " + type + ", 'fortran_order': False, 'shape': (1,)}", "abcd");
  };
  const Case cases[] = {
      {"", "not a .npy file"},
      {"\x93NUMP", "not a .npy file"},
      {std::string("PK\x03\x04 a zip file"), "not a .npy file"},
      {std::string("\x93NUMPY\x01\x00\x76", 9), "ends within its header"},
      {std::string("\x93NUMPY\x01\x00\xff\xff{", 11), "ends within its header"},
      {std::string("\x93NUMPY\x02\x00\xff\xff\xff\xff{", 13), "ends within its header"},
      {file_of(""), "'{' expected"},
      {file_of("{}"), "a key is missing"},
      {file_of("{'descr': '<f4', 'fortran_order': False}"), "a key is missing"},
      {file_of("{'descr': '<f4', 'fortran_order': False, 'shape': (1,)"), "'}' expected"},
      {file_of(good + "{}", "abcd"), "text after the dictionary"},
      {file_of("{'descr': '<f4', 'evil': False}"), "unknown key 'evil'"},
      {file_of("{'descr': '<f4"), "a string has no end"},
      {file_of("{descr: '<f4'}"), "a string expected"},
      {file_of("{'descr': '<f4', 'fortran_order': 1}"), "True or False expected"},
      {with_shape("1"), "'(' expected"},
      {with_shape("(1"), "')' expected"},
      {with_shape("(-1,)"), "an extent expected"},
      {with_shape("(,)"), "an extent expected"},
      {with_shape("(99999999999999999999,)"), "an extent expected"},
      {with_shape("(4611686018427387904, 4)"), "2^62"},
      {with_shape("(1000000000,)"), "announces 1000000000 elements of 4 bytes, the file holds 4"},
      {with_shape("(0,)"), "announces 0 elements"},
      {with_shape("(" +
                  [] {
                    std::string ones;
                    for (int i = 0; i < 65; ++i) ones += "1,";
                    return ones;
                  }() +
                  ")"),
       "more than 64 dimensions"},
      {with_type("'>f4'"), "element type '>f4'"},
      {with_type("'<c8'"), "element type '<c8'"},
      {with_type("'|O'"), "element type '|O'"},
      {with_type("'<f16'"), "element type '<f16'"},
      {with_type("''"), "element type ''"},
      {with_type("[('a', '<f4')]"), "a string expected"},
      {file_of(good, "abc"), "holds 3 bytes"},
      {file_of(good, "abcde"), "holds 5 bytes"},
  };
  for (const Case& c : cases) {
    expect_error(ErrorCode::kBadModel, c.message, [&] { parse(c.file); });
    expect_error(ErrorCode::kBadModel, "at: x.npy", [&] { parse(c.file); });
  }
}

// Damage of a good file is refused or gives a tensor; it never does worse (run under the sanitizers).
TEST(Npy, SurvivesDamage) {
  std::string good = npy_header(DType::kF32, {2, 3});
  good.append(24, 'x');
  Rng rng(2);
  int refused = 0;
  for (int i = 0; i < 3000; ++i) {
    std::string bad = good;
    for (int flips = static_cast<int>(rng.between(1, 4)); flips > 0; --flips)
      bad[rng.below(100)] = static_cast<char>(rng.below(256));
    if (rng.below(4) == 0) bad.resize(rng.below(bad.size()));
    try {
      EXPECT_LE(parse(bad).bytes(), bad.size());
    } catch (const Error& e) {
      EXPECT_EQ(static_cast<int>(e.code()), static_cast<int>(ErrorCode::kBadModel)) << e.what();
      ++refused;
    }
  }
  EXPECT_GT(refused, 1000);
}

}  // namespace
}  // namespace tlm
