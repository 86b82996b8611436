// tlm train: from a record file to a model, and what it refuses.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "sandbox.h"
#include "tests/lm_training/fake_records.h"
#include "tlm/lm/training/train_model.h"
#include "tlm/space/records/record_store.h"
#include "tlm/space/records/split_key.h"

namespace tlm::tools::test {
namespace {

// Records of three small products, one of them for dev.
void write_records(const Sandbox& s, const std::string& file, space::Split split = space::Split::kTrain) {
  space::RecordStore store(s.path(file));
  for (const auto& space : lm::test::product_spaces(split, 2)) store.append(lm::test::fake_records(space, 10, 1));
  for (const auto& space : lm::test::product_spaces(space::Split::kDev, 1)) store.append(lm::test::fake_records(space, 10, 2));
}

const std::string kSmall = "--layers 1 --heads 2 --width 16 --batch 1000 --enough 5 --data none";

TEST(Train, WritesAModelMetricsAndACard) {
  const Sandbox s;
  write_records(s, "r.db");
  const Outcome o = s.tlm(words("train --records r.db --out m --steps 3 --threads 1 " + kSmall));
  ASSERT_EQ(o.code, 0) << o.err;
  for (const char* text : {"of 2 workloads and targets to learn from", "of 1 for dev", "0 pretraining, 3 training", "parameters"})
    EXPECT_NE(o.out.find(text), std::string::npos) << text << "\n" << o.out;
  for (const char* file : {"m/config.json", "m/model.safetensors", "m/language.json", "m/training.json", "m/metrics.svg"})
    EXPECT_TRUE(s.exists(file)) << file;
  EXPECT_NE(s.read("m/MODEL_CARD.md").find("tlm train --records r.db"), std::string::npos);
  EXPECT_EQ(s.read("m/metrics.jsonl").substr(0, 10), "{\"step\":1,");

  // Lines of JSON are records as well, and give the same weights.
  s.shell("$TLM records export r.db -o r.jsonl");
  ASSERT_EQ(s.tlm(words("train --records r.jsonl --out n --steps 3 --threads 2 " + kSmall)).code, 0);
  EXPECT_EQ(s.read("m/model.safetensors"), s.read("n/model.safetensors"));

  // What is done stays done; nothing else is begun in its folder.
  s.refuses(words("train --records r.db --out m --steps 3 " + kSmall), 2, "the folder holds a training");
  s.refuses(words("train --records r.db --out m --steps 4 --resume " + kSmall), 2, "other settings: steps");
  s.refuses(words("train --out m --resume --steps 4"), 2, "other settings: steps");
  s.refuses(words("train --out m --resume --width 192"), 2, "other settings: width");  // although it is the default
  const std::string card = s.read("m/MODEL_CARD.md");
  EXPECT_EQ(s.tlm(words("train --out m --resume")).code, 0);
  EXPECT_EQ(s.tlm(words("train --out m --resume --steps 3")).code, 0);
  EXPECT_EQ(s.read("m/MODEL_CARD.md"), card);  // with the command that made it
}

// What nothing is said of is the recipe's, not another default of the command's.
TEST(Train, DefaultsAreThoseOfTheRecipe) {
  const Sandbox s;
  ASSERT_EQ(s.tlm(words("train --out m --steps 0 --data none")).code, 0);
  lm::Recipe expected;
  expected.steps = 0, expected.lists = "none";
  EXPECT_EQ(lm::differences(*lm::recipe_of(s.path("m")), expected), std::vector<std::string>());
}

TEST(Train, AnUntrainedModelNeedsNoRecords) {
  const Sandbox s;
  const Outcome o = s.tlm(words("train --out m --steps 0 " + kSmall));
  ASSERT_EQ(o.code, 0) << o.err;
  EXPECT_NE(s.read("m/MODEL_CARD.md").find("None: the weights are as they were initialised"), std::string::npos);
}

TEST(Train, Refusals) {
  const Sandbox s;
  write_records(s, "test.db", space::Split::kTest);
  write_records(s, "r.db");
  s.refuses(words("train --out m"), 2, "nothing to learn from");
  s.refuses(words("train --out m --resume"), 2, "no training was begun");
  s.refuses(words("train --records r.db --out m"), 2, "no lists of held-out workloads");
  s.refuses(words("train --records r.db --out m --quality good " + kSmall), 2, "no quality mode is called 'good'");
  s.refuses(words("train --records r.db --out m --fraction 2 " + kSmall), 2, "fraction must be from 0 to 1");
  const Outcome o = s.tlm(words("train --records test.db --out m --steps 3 " + kSmall));
  EXPECT_EQ(o.code, 2);
  EXPECT_NE(o.err.find("a record of a test workload"), std::string::npos) << o.err;
  EXPECT_FALSE(s.exists("m/training.json"));
}

// A folder of lists: one test workload, nothing else.
void write_lists(const Sandbox& s, const ir::Subgraph& tested) {
  const nlohmann::json line = {
      {"name", "asked"}, {"kind", "product"}, {"set", "network:some"}, {"cores", 1}, {"subgraph", ir::print(tested)}};
  s.shell("mkdir -p lists");
  s.write("lists/test_workloads.jsonl", line.dump() + "\n");
  s.write("lists/dev_workloads.jsonl", "");
  s.write("lists/network_workloads.jsonl", "");
}

TEST(Train, RefusesTestWorkloadsWhateverTheRecordsSay) {
  const Sandbox s;
  const auto train = lm::test::product_spaces(space::Split::kTrain, 2);
  {
    space::RecordStore store(s.path("wrong_key.db"));
    std::vector<space::Record> records = lm::test::fake_records(lm::test::product_spaces(space::Split::kTest, 1)[0], 10, 1);
    for (space::Record& r : records) r.split_key = space::split_key(train[0]->subgraph());
    store.append(records);
  }
  write_records(s, "r.db");
  const auto refused = [&](const std::string& file, const std::string& lists) {
    const Outcome o = s.tlm(words("train --records " + file + " --out refused --steps 3 --data " + lists));
    EXPECT_EQ(o.code, 2) << o.err;
    EXPECT_NE(o.err.find("a record of a test workload"), std::string::npos) << o.err;
    EXPECT_FALSE(s.exists("refused/training.json"));
  };
  refused("wrong_key.db", "none");
  write_lists(s, train[1]->subgraph());  // its key is of the split train
  refused("r.db", "lists");

  // Without lists it is learned from, and the model says so.
  const Outcome o = s.tlm(words("train --records r.db --out m --steps 1 " + kSmall));
  ASSERT_EQ(o.code, 0) << o.err;
  EXPECT_NE(o.out.find("lists          none"), std::string::npos) << o.out;
  EXPECT_NE(s.read("m/MODEL_CARD.md").find("No list of held-out workloads was read"), std::string::npos);
  write_lists(s, lm::test::product_spaces(space::Split::kTest, 1)[0]->subgraph());
  const Outcome listed =
      s.tlm(words("train --records r.db --out n --steps 1 --enough 5 --layers 1 --heads 2 --width 16 --data lists"));
  ASSERT_EQ(listed.code, 0) << listed.err;
  EXPECT_EQ(listed.out.find("lists          none"), std::string::npos) << listed.out;
  EXPECT_EQ(s.read("n/MODEL_CARD.md").find("No list of held-out workloads was read"), std::string::npos);
}

TEST(Train, InterruptedItKeepsItsStateAndGoesOn) {
  const Sandbox s;
  write_records(s, "r.db");
  const std::string command = "train --records r.db --out m --steps 400 " + kSmall;
  const Outcome o = s.shell("$TLM " + command + R"( >/dev/null 2>err & pid=$!
      until [ -s m/metrics.jsonl ]; do sleep 0.01; kill -0 $pid || exit 1; done
      kill -INT $pid; wait $pid)");
  ASSERT_EQ(o.code, 130) << s.read("err");
  EXPECT_EQ(s.shell("ls m | grep -c checkpoint-").out, "1\n");
  EXPECT_TRUE(s.exists("m/metrics.svg"));
  ASSERT_EQ(s.tlm(words("train --out m --resume")).code, 0);
  ASSERT_EQ(s.tlm(words("train --records r.db --out n --steps 400 " + kSmall)).code, 0);
  EXPECT_EQ(s.read("m/model.safetensors"), s.read("n/model.safetensors"));
}

}  // namespace
}  // namespace tlm::tools::test
