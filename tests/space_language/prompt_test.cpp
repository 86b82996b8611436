// Prompts are total (any extent, any stage) and say what matters.
#include "tlm/space/language/prompt.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/support/expression_generator.h"
#include "tests/support/network_workloads.h"
#include "tlm/core/file.h"
#include "tlm/core/rng.h"
#include "tlm/space/language/sentence.h"

namespace tlm::space {
namespace {

ir::Subgraph scaled_copy(int64_t n, int64_t stride) {
  ir::Subgraph g;
  for (const auto role : {ir::TensorRole::kInput, ir::TensorRole::kOutput}) {
    ir::TensorDecl t;
    t.name = role == ir::TensorRole::kInput ? "x" : "y";
    t.role = role;
    t.shape = {n};
    t.strides = {role == ir::TensorRole::kInput ? stride : 1};
    t.buffer_elements = (n - 1) * t.strides[0] + 1;
    g.tensors.push_back(t);
  }
  ir::Stage s;
  s.name = "scale";
  s.axes = {{"i", n, ir::AxisKind::kSpatial}};
  s.body = {ir::make_op(ir::Op::kMul, {ir::make_load(0, DType::kF32, {ir::make_var(0)}), ir::make_float(2)})};
  s.result = {ir::make_acc(0, DType::kF32)};
  s.outputs = {{1, {ir::make_var(0)}}};
  g.stages.push_back(s);
  return g;
}

TEST(Prompt, Golden) {
  Target t = named_target("x86-64-v3");
  t.cores = 2, t.l1_kb = 32, t.l2_kb = 512, t.l3_kb = 32768;
  EXPECT_EQ(to_text(target_tokens(t)), "<target> cpu vector b9 z registers b5 z fma l1 b6 z l2 b10 z l3 b16 z cores 2 fast");
  EXPECT_EQ(to_text(subgraph_tokens(scaled_copy(1000, 3))),
            "<subgraph> <stage> map f32 spatial b10 xf x4 z 8 5 ops 1 <load> input f32 identity a0 3 <store> output f32 identity");
}

TEST(Prompt, ExtentsAreFollowedByTheirDivisors) {
  const auto extent = [](int64_t n) {
    const std::string text = to_text(subgraph_tokens(scaled_copy(n, 1)));
    const size_t begin = text.find("spatial ") + 8;
    return text.substr(begin, text.find(" ops") - begin);
  };
  EXPECT_EQ(extent(12), "12");  // one word
  EXPECT_EQ(extent(17), "b5 x1");
  EXPECT_EQ(extent(56), "b6 xc z 8 7");
  EXPECT_EQ(extent(90), "b7 x6 x8 2 9 5");
  EXPECT_EQ(extent(112), "b7 xc z 8 7");
  EXPECT_EQ(extent(60), "b6 xe z 4 3 5");
  EXPECT_EQ(extent(1001), "b10 xf x4 x8 7 11 13");
}

TEST(Prompt, AnyExtentHasWords) {
  Rng rng(3);
  for (int i = 0; i < 2000; ++i) {
    const auto n = static_cast<int64_t>(1 + (rng.next() >> (33 + rng.below(30))));
    const std::vector<Token> tokens = subgraph_tokens(scaled_copy(n, static_cast<int64_t>(1 + rng.below(100000))));
    EXPECT_EQ(from_text(to_text(tokens)), tokens);
  }
  EXPECT_FALSE(subgraph_tokens(scaled_copy(int64_t{1} << 31, 1)).empty());
}

TEST(Prompt, StagesNeverSeenBeforeHaveWords) {
  for (uint64_t seed = 0; seed < 300; ++seed) {
    const auto program = test::generate_program(seed, {});
    const std::vector<Token> tokens = subgraph_tokens(program.g);
    EXPECT_EQ(from_text(to_text(tokens)), tokens);
  }
}

TEST(Prompt, TargetsDiffer) {
  std::vector<std::vector<Token>> prompts;
  for (const std::string& name : target_names()) {
    if (name == "native" || name == "x86-64-v2") continue;  // v2 and x86-64 agree in every number that a schedule depends on
    prompts.push_back(target_tokens(named_target(name)));
  }
  for (size_t i = 0; i < prompts.size(); ++i)
    for (size_t j = 0; j < i; ++j) EXPECT_NE(prompts[i], prompts[j]) << to_text(prompts[i]);
}

size_t longest_prompt(const std::vector<ir::Subgraph>& workloads) {
  size_t longest = 0;
  for (const auto& w : workloads) longest = std::max(longest, prompt_tokens(*Space::build(w, named_target("x86-64-v3"))).size());
  return longest;
}

TEST(Prompt, NetworksFitTheirBudget) {
  const size_t all = longest_prompt(test::network_workloads()), longest = longest_prompt(test::zoo_workloads());
  EXPECT_LE(all, 256u);
  const std::string guide = read_file(std::string(TLM_SOURCE_DIR) + "/docs/language.md");
  if (all > longest) {  // models that are not in the repository are at hand
    EXPECT_NE(guide.find("read from ONNX, up to " + std::to_string(all) + " ("), std::string::npos)
        << "docs/language.md should say: up to " << all;
  }
  EXPECT_NE(guide.find("have up to " + std::to_string(longest) + " words"), std::string::npos)
      << "docs/language.md should say: up to " << longest << " words";
}

}  // namespace
}  // namespace tlm::space
