#include "tlm/lm/checkpoint.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>

#include "tests/lm/tiny_model.h"
#include "tlm/core/error.h"
#include "tlm/core/file.h"
#include "tlm/lm/safetensors.h"

namespace tlm::lm {
namespace {

class Checkpoint : public ::testing::Test {
 protected:
  void SetUp() override { std::filesystem::create_directories(folder_); }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::string file(const std::string& header, size_t data_bytes) const {
    std::string out(8, '\0');
    const uint64_t length = header.size();
    std::memcpy(out.data(), &length, 8);
    return out + header + std::string(data_bytes, 'x');
  }
  std::string refusal(const std::string& contents) const {  // of a file with these bytes; empty: accepted
    write_file_atomic(folder_ / "t.safetensors", contents);
    try {
      SafetensorsFile opened(folder_ / "t.safetensors");
    } catch (const Error& e) {
      EXPECT_EQ(e.code(), ErrorCode::kBadModel);
      return e.message();
    }
    return "";
  }

  const std::filesystem::path folder_ =
      std::filesystem::temp_directory_path() /
      ("tlm-lm-" + std::to_string(::getpid()) + "-" + ::testing::UnitTest::GetInstance()->current_test_info()->name());
};

TEST_F(Checkpoint, RoundTrip) {
  const Weights weights = tiny_weights(7);
  save_checkpoint(folder_ / "model", weights);
  const Weights back = load_checkpoint(folder_ / "model");
  EXPECT_EQ(back.config(), weights.config());
  EXPECT_EQ(back.data(), weights.data());
}

TEST_F(Checkpoint, PrefixAndHalfPrecision) {
  const Weights weights = tiny_weights(8);
  std::vector<std::vector<uint16_t>> halves;
  std::vector<NamedTensor> tensors;
  for (const WeightInfo& info : weights.table()) {
    halves.emplace_back();
    for (size_t i = 0; i < info.count; ++i) halves.back().push_back(f32_to_f16(weights.data()[info.offset + i]));
    tensors.push_back({"transformer." + info.name, {DType::kF16, info.shape, std::as_bytes(std::span(halves.back()))}});
  }
  write_safetensors(folder_ / "model.safetensors", tensors);
  write_file_atomic(folder_ / "config.json", print_config(weights.config()));
  const Weights back = load_checkpoint(folder_);
  for (size_t i = 0; i < back.data().size(); ++i) ASSERT_EQ(back.data()[i], f16_to_f32(f32_to_f16(weights.data()[i])));
}

TEST_F(Checkpoint, DamagedFilesAreRefused) {
  const auto one = [](const std::string& shape, const std::string& offsets, const std::string& type = "F32") {
    return R"({"a":{"dtype":")" + type + R"(","shape":)" + shape + R"(,"data_offsets":)" + offsets + "}}";
  };
  EXPECT_EQ(refusal(file(one("[2,3]", "[0,24]"), 24)), "");
  EXPECT_EQ(refusal("abc"), "a safetensors file has at least 8 bytes");
  EXPECT_EQ(refusal(std::string(8, '\xff') + "{}"), "the header does not fit into the file");
  EXPECT_EQ(refusal(file("{\"a\":", 8)), "the header is not a JSON object");
  EXPECT_EQ(refusal(file("[1]", 8)), "the header is not a JSON object");
  EXPECT_EQ(refusal(file(R"({"a":3})", 8)), "header of 'a' is not an object");
  EXPECT_EQ(refusal(file(R"({"__metadata__":{"k":1}})", 8)), "metadata 'k' is not a string");
  EXPECT_EQ(refusal(file(one("[2]", "[0,8]", "F7"), 8)), "tensor 'a' has no type that is known");
  EXPECT_EQ(refusal(file(one("2", "[0,8]"), 8)), "tensor 'a' lacks shape or data_offsets");
  EXPECT_EQ(refusal(file(one("[2]", "[0]"), 8)), "tensor 'a' lacks shape or data_offsets");
  EXPECT_EQ(refusal(file(one("[-2]", "[0,8]"), 8)), "tensor 'a' has a bad shape");
  EXPECT_EQ(refusal(file(one("[4294967296,4294967296]", "[0,8]"), 8)), "tensor 'a' has a bad shape");
  EXPECT_EQ(refusal(file(one("[2]", "[4,12]"), 8)), "tensor 'a' lies outside the file");
  EXPECT_EQ(refusal(file(one("[2]", "[8,0]"), 8)), "tensor 'a' lies outside the file");
  EXPECT_EQ(refusal(file(one("[3]", "[0,8]"), 8)), "tensor 'a' has 8 bytes, its shape needs 12");
}

TEST_F(Checkpoint, WhatDoesNotFitTheConfigurationIsRefused) {
  save_checkpoint(folder_, tiny_weights(9));
  Config other = tiny_config();
  other.inner = 19;
  write_file_atomic(folder_ / "config.json", print_config(other));
  EXPECT_THROW(load_checkpoint(folder_), Error);
  other = tiny_config();
  other.layers = 1 << 20;
  write_file_atomic(folder_ / "config.json", print_config(other));
  EXPECT_THROW(load_checkpoint(folder_), Error);
  other = tiny_config();
  other.heads = 5;
  EXPECT_THROW(parse_config(print_config(other), "test"), Error);
  EXPECT_THROW(parse_config("{}", "test"), Error);
  EXPECT_THROW(parse_config("nonsense", "test"), Error);
}

}  // namespace
}  // namespace tlm::lm
