#include "tlm/lm/language_model.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <functional>

#include "tlm/core/error.h"
#include "tlm/core/file.h"
#include "tlm/ir/partition.h"
#include "tlm/ir/passes/pass_list.h"
#include "tlm/space/language/sentence.h"
#include "tlm/tools/zoo/zoo.h"

namespace tlm::lm {
namespace {

Weights weights_for(const LanguageInfo& info, uint64_t seed) {
  Weights weights(
      {.layers = 1, .heads = 2, .width = 8, .inner = 16, .context = 300, .vocabulary = static_cast<int64_t>(info.words.size())});
  weights.initialize(seed);
  return weights;
}

class LanguageModelFiles : public ::testing::Test {
 protected:
  void TearDown() override { std::filesystem::remove_all(folder_); }
  const std::filesystem::path folder_ =
      std::filesystem::temp_directory_path() /
      ("tlm-language-" + std::to_string(::getpid()) + "-" + ::testing::UnitTest::GetInstance()->current_test_info()->name());
};

TEST_F(LanguageModelFiles, RoundTrip) {
  LanguageInfo info = standard_language({PromptForm::Blind::kTarget, PromptForm::Numbers::kDecimal}, 5);
  info.description = "a test";
  const Weights weights = weights_for(info, 1);
  save_language_model(folder_ / "name", weights, info);
  const LanguageModel model = LanguageModel::load(folder_ / "name/");
  EXPECT_EQ(model.name(), "name");
  EXPECT_EQ(print_language(model.info()), print_language(info));
  EXPECT_EQ(model.model().config(), weights.config());
  EXPECT_EQ(load_checkpoint(folder_ / "name").data(), weights.data());
  save_language_model(folder_ / "half", weights, info, DType::kF16);
  const Weights half = load_checkpoint(folder_ / "half");
  for (size_t i = 0; i < half.data().size(); ++i)
    ASSERT_EQ(half.data()[i], f16_to_f32(f32_to_f16(weights.data()[i]))) << "value " << i;
  EXPECT_LT(std::filesystem::file_size(folder_ / "half/model.safetensors"),
            0.6 * static_cast<double>(std::filesystem::file_size(folder_ / "name/model.safetensors")));
}

TEST(LanguageModel, WordsAreMappedByName) {
  const space::Vocabulary& v = space::Vocabulary::standard();
  LanguageInfo info = standard_language();
  std::reverse(info.words.begin(), info.words.end());
  std::erase(info.words, "winograd");                  // a word that the model has never seen
  info.words.insert(info.words.begin() + 3, "@gone");  // one that the language no longer has
  const LanguageModel model(weights_for(info, 2), info, "test");
  EXPECT_EQ(model.id_of(v.token("winograd")), -1);
  for (space::Token t = 0; t < v.size(); ++t) {
    if (v.word(t) == "winograd") continue;
    ASSERT_GE(model.id_of(t), 0) << v.word(t);
    EXPECT_EQ(info.words[static_cast<size_t>(model.id_of(t))], v.word(t));
  }
  EXPECT_EQ(model.prompt_ids({v.token("cpu"), v.token("winograd")}),
            (std::vector<int32_t>{model.id_of(v.token("cpu")), model.id_of(v.token("unknown"))}));
}

TEST(LanguageModel, TheOpeningAsksForTheBestQualityOrAnother) {
  ir::Graph g = tools::make_zoo("tiny_mlp");
  ir::run_graph_passes(g);
  const auto space = space::Space::build(ir::partition(g).steps.at(0).subgraph, named_target("x86-64-v3"));
  const auto opening = [&](int buckets, int quality = 0) {
    const LanguageInfo info = standard_language({}, buckets);
    const LanguageModel model(weights_for(info, 3), info, "test");
    std::string text;
    for (const int32_t id : model.opening(space::prompt_tokens(*space), quality))
      text += " " + info.words[static_cast<size_t>(id)];
    return text;
  };
  const std::string prompt = opening(0);
  EXPECT_TRUE(prompt.ends_with(" identity <schedule>")) << prompt;
  EXPECT_EQ(opening(4), prompt + " <quality> 0");
  EXPECT_EQ(opening(16, 15), prompt + " <quality> 15");
}

TEST(LanguageModel, FitsTheDevicesItWasTrainedFor) {
  LanguageInfo info = standard_language();
  Target gpu;
  gpu.device = DeviceKind::kCuda;
  const LanguageModel model(weights_for(info, 4), info, "test");
  EXPECT_TRUE(model.fits(named_target("x86-64-v3")));
  EXPECT_FALSE(model.fits(gpu));
  info.devices = {"gpu"};
  EXPECT_TRUE(LanguageModel(weights_for(info, 4), info, "test").fits(gpu));
}

TEST(LanguageModel, BadFilesAreRefused) {
  const auto refusal = [](const std::function<void(LanguageInfo&)>& change) {
    LanguageInfo info = standard_language({}, 3);
    change(info);
    try {
      parse_language(print_language(info), "language.json");
    } catch (const Error& e) {
      EXPECT_EQ(e.code(), ErrorCode::kBadModel);
      return e.message();
    }
    return std::string();
  };
  EXPECT_EQ(refusal([](LanguageInfo&) {}), "");
  EXPECT_EQ(refusal([](LanguageInfo& i) { i.words.push_back("cpu"); }), "a word occurs twice");
  EXPECT_EQ(refusal([](LanguageInfo& i) { std::erase(i.words, "<end>"); }), "the word '<end>' is missing");
  EXPECT_EQ(refusal([](LanguageInfo& i) { std::erase(i.words, "<quality>"); }),
            "the words '<quality>' and '0' are not both there: quality_buckets asks for them");
  EXPECT_EQ(refusal([](LanguageInfo& i) { std::erase(i.words, "2"); }),
            "the words '<quality>' and '2' are not both there: quality_buckets asks for them");
  EXPECT_EQ(refusal([](LanguageInfo& i) { std::erase(i.words, "3"); }), "") << "three buckets: 0 to 2";
  EXPECT_EQ(refusal([](LanguageInfo& i) { i.quality_buckets = 17; }), "quality_buckets is 17, 0 to 16");
  const auto text_refusal = [](const std::string& text) {
    try {
      parse_language(text, "language.json");
    } catch (const Error& e) {
      return e.message();
    }
    return std::string();
  };
  EXPECT_EQ(text_refusal("nonsense"), "not a JSON object");
  EXPECT_EQ(text_refusal("{}"), "no 'format'");
  EXPECT_EQ(text_refusal(R"({"format": 2})"), "language format 2");
  EXPECT_EQ(text_refusal(R"({"format": 1, "words": 7})"), "'words' has the wrong type");
  EXPECT_EQ(text_refusal(R"({"format": 1, "words": [], "blind": "half"})"), "no blinding is called 'half'");

  // Another spelling; none stored is the first.
  const std::string today = print_language(standard_language()), line = " \"language_version\": 6,\n";
  ASSERT_NE(today.find(line), std::string::npos) << today;
  const std::pair<std::string, std::string> others[] = {{"", "1"}, {" \"language_version\": 9,\n", "9"}};
  for (const auto& [stored, version] : others) {
    std::string text = today;
    text.replace(text.find(line), line.size(), stored);
    try {
      parse_language(text, "old/language.json");
      ADD_FAILURE() << "read";
    } catch (const Error& e) {
      EXPECT_EQ(e.code(), ErrorCode::kUnsupported);
      EXPECT_EQ(e.message(), "the model learned version " + version + " of the tensor language, this is version 6");
      EXPECT_EQ(e.where(), "old/language.json");
      EXPECT_EQ(e.hint(), "train it again from its records with `tlm train`: records stay valid");
    }
  }

  const LanguageInfo info = standard_language();
  Weights other({.layers = 1, .heads = 1, .width = 4, .inner = 4, .context = 8, .vocabulary = 11});
  EXPECT_THROW(LanguageModel(other, info, "test"), Error);
}

}  // namespace
}  // namespace tlm::lm
