#include "tlm/lm/prompt_form.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "tlm/core/error.h"
#include "tlm/ir/partition.h"
#include "tlm/ir/passes/pass_list.h"
#include "tlm/space/language/sentence.h"
#include "tlm/tools/zoo/zoo.h"

namespace tlm::lm {
namespace {

using Blind = PromptForm::Blind;
using Numbers = PromptForm::Numbers;

std::shared_ptr<const space::Space> first_space(const std::string& network) {
  ir::Graph g = tools::make_zoo(network);
  ir::run_graph_passes(g);
  return space::Space::build(ir::partition(g).steps.at(0).subgraph, named_target("x86-64-v3"));
}

std::string prompt(Blind blind, Numbers numbers) {
  return space::to_text(write_prompt(*first_space("tiny_mlp"), {blind, numbers}));
}

TEST(PromptForm, ThePlainFormIsTheLanguage) {
  for (const char* network : {"tiny_mlp", "tiny_cnn"}) {
    const auto space = first_space(network);
    EXPECT_EQ(write_prompt(*space, {}), space::prompt_tokens(*space));
  }
}

TEST(PromptForm, Forms) {
  EXPECT_EQ(
      prompt(Blind::kNothing, Numbers::kDecimal),
      "<target> cpu vector 2 5 6 z registers 1 6 z fma l1 3 2 z l2 5 1 2 z l3 8 1 9 2 z cores 1 z fast "
      "<subgraph> <stage> sum f32 spatial 3 2 z 8 z reduce 1 6 z 8 z ops 2 z <load> input f32 a1 1 z <load> constant f32 a0 a1 "
      "<load> constant f32 identity <store> internal f32 identity <stage> map f32 same ops 1 z <load> internal f32 identity "
      "<store> output f32 identity <schedule>");
  EXPECT_EQ(prompt(Blind::kExtents, Numbers::kBits),
            "<target> cpu vector b9 z registers b5 z fma l1 b6 z l2 b10 z l3 b14 z cores 1 fast "
            "<subgraph> <stage> sum f32 spatial unknown reduce unknown ops unknown <load> input f32 a1 unknown "
            "<load> constant f32 a0 a1 <load> constant f32 identity <store> internal f32 identity "
            "<stage> map f32 same ops unknown <load> internal f32 identity <store> output f32 identity <schedule>");
  const std::string target =
      "<target> cpu vector unknown registers unknown unknown l1 unknown l2 unknown l3 unknown cores unknown fast <subgraph>";
  EXPECT_EQ(prompt(Blind::kTarget, Numbers::kBits).find(target + " <stage> sum f32 spatial b6 z 8 reduce b5 z 8 ops"), 0u);
  EXPECT_EQ(prompt(Blind::kAll, Numbers::kBits).find(target + " <stage> sum f32 spatial unknown reduce unknown"), 0u);
  // Withheld, the two alphabets are one.
  EXPECT_EQ(prompt(Blind::kAll, Numbers::kBits), prompt(Blind::kAll, Numbers::kDecimal));
}

TEST(PromptForm, ATargetIsWithheldFromPromptsOfEveryForm) {
  const auto space = first_space("tiny_cnn");
  for (const Numbers numbers : {Numbers::kBits, Numbers::kDecimal}) {
    const auto open = write_prompt(*space, {Blind::kNothing, numbers}), blind = write_prompt(*space, {Blind::kTarget, numbers});
    EXPECT_NE(open, blind);
    EXPECT_EQ(with_unknown_target(open), blind);
    EXPECT_EQ(with_unknown_target(blind), blind);
    EXPECT_EQ(with_unknown_target(write_prompt(*space, {Blind::kExtents, numbers})),
              write_prompt(*space, {Blind::kAll, numbers}));
  }
}

TEST(PromptForm, NumbersAreWithheldOneByOne) {
  const auto space = first_space("tiny_cnn");
  for (const Numbers numbers : {Numbers::kBits, Numbers::kDecimal}) {
    const auto open = write_prompt(*space, {Blind::kNothing, numbers}), blind = write_prompt(*space, {Blind::kExtents, numbers});
    Rng rng(3);
    EXPECT_EQ(with_unknown_numbers(open, 0, rng), open);
    EXPECT_EQ(with_unknown_numbers(open, 1, rng), blind);
    const auto half = with_unknown_numbers(open, 0.5, rng);
    const auto unknowns = [](const std::vector<space::Token>& p) {
      return std::count(p.begin(), p.end(), space::Vocabulary::standard().token("unknown"));
    };
    EXPECT_GT(unknowns(half), unknowns(open));
    EXPECT_LT(unknowns(half), unknowns(blind));
    EXPECT_EQ(with_unknown_numbers(half, 1, rng), blind);
  }
}

TEST(PromptForm, NegativeNumbersAndNamesOfAxes) {
  // Eighteen axes, the last of which is read backwards.
  std::string axes, shape, indices, reversed;
  for (int a = 0; a < 18; ++a) {
    const std::string comma = a ? ", " : "", name = "x" + std::to_string(a), extent = a == 17 ? "18" : "1";
    axes += comma + name + ":" + extent;
    shape += (a ? "," : "") + extent;
    indices += comma + name;
    reversed += comma + (a == 17 ? "17 - " + name : name);
  }
  const ir::Subgraph g = ir::parse_subgraph("subgraph \"reverse\" {\n  input X: f32[" + shape + "]\n  output Y: f32[" + shape +
                                            "]\n  stage \"s\" {\n    spatial " + axes + "\n    body X[" + reversed +
                                            "]\n    store Y[" + indices + "] = acc0\n  }\n}\n");
  const auto space = space::Space::build(g, named_target("x86-64-v3"));
  const auto text = [&](Blind blind, Numbers numbers) { return space::to_text(write_prompt(*space, {blind, numbers})); };
  EXPECT_NE(text(Blind::kNothing, Numbers::kBits).find("axis b5 x1 - 1"), std::string::npos) << text({}, {});
  EXPECT_NE(text(Blind::kNothing, Numbers::kDecimal).find("axis 1 7 z - 1 z"), std::string::npos);
  EXPECT_NE(text(Blind::kExtents, Numbers::kBits).find("axis b5 x1 unknown"), std::string::npos);
}

TEST(PromptForm, Names) {
  for (const Blind b : {Blind::kNothing, Blind::kExtents, Blind::kTarget, Blind::kAll}) EXPECT_EQ(parse_blind(blind_name(b)), b);
  for (const Numbers n : {Numbers::kBits, Numbers::kDecimal}) EXPECT_EQ(parse_numbers(numbers_name(n)), n);
  try {
    parse_blind("half");
    FAIL();
  } catch (const Error& e) {
    EXPECT_EQ(e.message(), "no blinding is called 'half'");
    EXPECT_EQ(e.hint(), "choose one of: nothing, extents, target, all");
  }
}

}  // namespace
}  // namespace tlm::lm
