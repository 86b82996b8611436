#include "tlm/core/runtime/manifest.h"

#include <gtest/gtest.h>
#include <cmath>
#include <functional>
#include <limits>
#include <nlohmann/json.hpp>

#include "support.h"

namespace tlm::runtime::test {
namespace {

using Json = nlohmann::json;

Manifest rich_manifest() {
  Manifest m = sample_manifest(1, 2);
  m.variants[0].features = {"avx2", "fma"};
  StepDesc call;
  call.name = "recurrent \"layer\"\n";
  call.workload = ~uint64_t{0};
  call.flops = 1e-300;
  call.bytes = 12345678901;
  call.call = "LSTM";
  call.call_inputs = 1;
  call.args = {{BufferSpace::kWeights, 0, ~uint64_t{0}, 1}, {BufferSpace::kArena, 0, 0, 0}};
  call.tensors = {{DType::kBF16, {2, 0, 3}}, {DType::kBool, {}, false}};
  call.numbers = {{"clip", {std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::infinity(), -0.0, 0.1}},
                  {"none", {}}};
  call.strings = {{"direction", "bidirectional"}};
  m.variants[0].steps.push_back(call);
  return m;
}

TEST(Manifest, RoundTripKeepsEverything) {
  const Manifest m = rich_manifest();
  const std::string text = manifest_json(m);
  const Manifest back = parse_manifest(text);
  EXPECT_EQ(manifest_json(back), text);
  const StepDesc &a = m.variants[0].steps[2], &b = back.variants[0].steps[2];
  EXPECT_EQ(b.name, a.name);
  EXPECT_EQ(b.workload, a.workload);
  EXPECT_EQ(b.flops, a.flops);
  EXPECT_EQ(b.bytes, a.bytes);
  EXPECT_EQ(b.args, a.args);
  EXPECT_EQ(b.tensors[0].dtype, DType::kBF16);
  EXPECT_EQ(b.tensors[0].shape, (Shape{2, 0, 3}));
  EXPECT_FALSE(b.tensors[1].present);
  EXPECT_EQ(b.numbers, a.numbers);
  EXPECT_TRUE(std::signbit(b.numbers.at("clip")[2]));
  EXPECT_EQ(b.strings, a.strings);
  EXPECT_EQ(back.variants[0].features, m.variants[0].features);
  EXPECT_EQ(back.variants[0].steps[1].phases[1].extent, kN);
  EXPECT_EQ(back.metadata, m.metadata);
  EXPECT_EQ(back.outputs[0].shape, (Shape{1, kN}));
}

TEST(Manifest, NamesThatAreNoUtf8StillGiveAPackage) {
  Manifest m = sample_manifest(1, 2);
  m.model_name = "caf\xe9";
  EXPECT_EQ(parse_manifest(manifest_json(m)).model_name, "caf\xef\xbf\xbd");
}

// Every damage of one member is refused with the path to it.
TEST(Manifest, MessagesNameTheMember) {
  struct Case {
    const char* pointer;
    Json value;
    const char* message;
  };
  const Case cases[] = {
      {"/inputs", 5, "expected an array, found number\n  at: inputs"},
      {"/inputs/0/name", 5, "expected a string, found number\n  at: inputs[0].name"},
      {"/inputs/0/dtype", "f99", "unknown element type 'f99'\n  at: inputs[0].dtype"},
      {"/inputs/0/shape/0", -1, "number -1 is not between 0 and"},
      {"/inputs/0/shape/0", 1.5, "expected an integer, found number\n  at: inputs[0].shape[0]"},
      {"/inputs/0/shape", Json::array({1LL << 40, 1LL << 40}), "at: inputs[0].shape"},
      {"/inputs/0/shape", Json(std::vector<int>(65, 1)), "rank 65 exceeds 64"},
      {"/metadata/author", Json::array(), "expected a string, found array\n  at: metadata.author"},
      {"/metadata", "x", "expected an object, found string\n  at: metadata"},
      {"/variants/0/arena_bytes", -1, "number -1 is not between 0 and"},
      {"/variants/0/code_section", -2, "number -2 is not between -1 and"},
      {"/variants/0/code_section", 1ull << 40, "is not between -1 and 2147483647"},
      {"/variants/0/steps/0/workload", "xyz", "16 hexadecimal digits\n  at: variants[0].steps[0].workload"},
      {"/variants/0/steps/0/workload", "000000000000000G", "16 hexadecimal digits"},
      {"/variants/0/steps/0/flops", "many", "expected a number, found string"},
      {"/variants/0/steps/0/args/1/space", "moon", "unknown space 'moon'\n  at: variants[0].steps[0].args[1].space"},
      {"/variants/0/steps/0/args/1/index", 1ull << 31, "is not between 0 and 2147483647"},
      {"/variants/0/steps/0/phases/0/grain", 0, "number 0 is not between 1 and"},
      {"/variants/0/steps/0/phases/0/extent", 0, "number 0 is not between 1 and"},
      {"/variants/0/steps/0/phases/0/entry", 1ull << 32, "is not between 0 and 4294967295"},
      {"/variants/0/steps/2/call", "", "name is empty"},
      {"/variants/0/steps/2/tensors/0/present", 1, "expected true or false, found number"},
      {"/variants/0/steps/2/numbers/clip/0", "big", "expected a number, found string"},
      {"/variants/0/features", Json::array({1}), "expected a string, found number\n  at: variants[0].features[0]"},
  };
  const Json good = Json::parse(manifest_json(rich_manifest()));
  for (const Case& c : cases) {
    Json bad = good;
    bad[Json::json_pointer(c.pointer)] = c.value;
    const std::string message = error_of([&] { parse_manifest(bad.dump()); });
    EXPECT_NE(message.find(c.message), std::string::npos) << c.pointer << ": " << message;
  }
}

// Takes away every member in turn, or turns it into null.
void damage_each(Json& node, const std::function<void()>& check) {
  if (!node.is_structured()) return;
  for (auto it = node.begin(); it != node.end(); ++it) {
    damage_each(*it, check);
    Json kept = std::move(*it);
    *it = nullptr;
    check();
    *it = std::move(kept);
  }
}

TEST(Manifest, NoMemberMayBeNull) {
  Json json = Json::parse(manifest_json(rich_manifest()));
  int count = 0;
  damage_each(json, [&] {
    ++count;
    EXPECT_NE(error_of([&] { parse_manifest(json.dump()); }), "") << json.dump();
  });
  EXPECT_GT(count, 100);
}

TEST(Manifest, TopMembersMustBeThere) {
  const Json good = Json::parse(manifest_json(rich_manifest()));
  for (const auto& [key, value] : good.items()) {
    Json bad = good;
    bad.erase(key);
    EXPECT_NE(error_of([&] { parse_manifest(bad.dump()); }).find("member '" + key + "' is missing"), std::string::npos) << key;
  }
  for (const std::string text : {"", "{", "[]", "5", "null", "\xff", "{\"inputs\":", "[[[[[[[["})
    EXPECT_NE(error_of([&] { parse_manifest(text); }), "") << text;
  EXPECT_NE(error_of([] { parse_manifest(std::string(1000000, '[')); }), "") << "deep nesting";
}

}  // namespace
}  // namespace tlm::runtime::test
