#include "tlm/lm/training/trainer.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "tests/lm_training/fake_records.h"
#include "tests/lm_training/scratch_folder.h"
#include "tlm/core/error.h"
#include "tlm/core/thread_pool.h"
#include "tlm/lm/training/training_state.h"

namespace tlm::lm {
namespace {

namespace fs = std::filesystem;

class Trainer : public testing::Test {
 protected:
  Trainer() : language_(standard_language({}, 8)), phases_(2) {
    const auto make = [](space::Split split, int count) {
      return make_datasets(test::fake_labels(test::product_spaces(split, count), 12), {}, serial_executor(), CancelToken(),
                           no_progress());
    };
    train_ = make(space::Split::kTrain, 3).train;
    dev_ = make(space::Split::kDev, 2).dev;
    phases_[0] = {"first", &train_, {.enough = 1, .branches = 4, .tokens = 600, .any_quality = true}, {}, 5, 3};
    phases_[1] = {"second", &train_, {.enough = 1, .branches = 4, .tokens = 600}, {}, 6, 9};
  }

  Weights fresh() const {
    Weights w({.layers = 1,
               .heads = 2,
               .width = 16,
               .inner = 32,
               .context = 384,
               .vocabulary = static_cast<int64_t>(language_.words.size())});
    w.initialize(1);
    return w;
  }
  TrainerOptions options(const fs::path& folder) const {
    TrainerOptions o;
    o.folder = folder;
    o.identity = 42;
    o.validations = 3;
    o.validation = {2, 8};
    return o;
  }
  std::vector<float> run(const TrainerOptions& o, Executor& executor = serial_executor(),
                         Progress& progress = no_progress()) const {
    Weights w = fresh();
    train(w, language_, phases_, dev_, o, executor, progress);
    return w.data();
  }

  LanguageInfo language_;
  Dataset train_, dev_;
  std::vector<Phase> phases_;
};

// Cancels after some steps.
class Interrupter : public Progress {
 public:
  Interrupter(CancelToken cancel, int64_t after) : cancel_(cancel), left_(after) {}
  void start(std::string_view, int64_t) override {}
  void advance(int64_t, std::string_view) override {
    if (--left_ == 0) cancel_.cancel();
  }
  void finish() override {}

 private:
  CancelToken cancel_;
  int64_t left_;
};

TEST_F(Trainer, InterruptedOftenItEndsInTheSameBits) {
  const test::ScratchFolder whole, parts;
  const std::vector<float> expected = run(options(whole.path()));
  int interruptions = 0;
  for (const int64_t after : {1, 2, 4, 3, 100}) {
    TrainerOptions o = options(parts.path());
    Interrupter progress(o.cancel, after);
    try {
      EXPECT_EQ(run(o, serial_executor(), progress), expected);
      break;
    } catch (const Error& e) {
      ASSERT_EQ(e.code(), ErrorCode::kInterrupted) << e.what();
      ++interruptions;
    }
  }
  EXPECT_EQ(interruptions, 4);
  EXPECT_EQ(load_training_position(*last_training_state(parts.path())).step, 12);
  const auto a = read_metrics(whole.path() / "metrics.jsonl"), b = read_metrics(parts.path() / "metrics.jsonl");
  ASSERT_EQ(a.size(), 12u);
  ASSERT_EQ(b.size(), 12u);
  for (size_t i = 0; i < a.size(); ++i) {
    EXPECT_EQ(a[i].step, static_cast<int64_t>(i + 1));
    EXPECT_EQ(a[i].phase, i < 3 ? "first" : "second");
    EXPECT_EQ(a[i].loss, b[i].loss);
    EXPECT_EQ(a[i].dev.has_value(), i % 4 == 3);
    ASSERT_EQ(b[i].dev.has_value(), i % 4 == 3);
    if (a[i].dev) {
      EXPECT_EQ(a[i].dev->loss, b[i].dev->loss);
    }
  }
}

TEST_F(Trainer, KilledOftenItEndsInTheSameBits) {
  const test::ScratchFolder whole, parts;
  const std::vector<float> expected = run(options(whole.path()));
  TrainerOptions o = options(parts.path());
  o.checkpoint_steps = 1;
  for (int kill_at = 1; kill_at <= 3; ++kill_at) {
    const pid_t child = fork();
    if (child == 0) {
      run(o);
      _exit(0);
    }
    // As soon as it has got some steps further; wherever it is then, in the middle of a state or of a step.
    for (int waited = 0; waited < 20000; ++waited) {
      const auto state = last_training_state(parts.path());
      if (state && std::stoi(state->filename().string().substr(11)) >= 3 * kill_at) break;
      usleep(1000);
    }
    kill(child, SIGKILL);
    waitpid(child, nullptr, 0);
  }
  ASSERT_TRUE(last_training_state(parts.path()));
  std::ofstream(parts.path() / "metrics.jsonl", std::ios::app) << "{\"step\": 1";  // a line that was cut short
  EXPECT_EQ(run(o), expected);
  EXPECT_EQ(read_metrics(parts.path() / "metrics.jsonl").size(), 12u);
  EXPECT_EQ(std::distance(fs::directory_iterator(parts.path()), fs::directory_iterator()), 2);  // the last state, the metrics
}

TEST_F(Trainer, TheSameBitsOnAnyNumberOfThreads) {
  const test::ScratchFolder a, b;
  ThreadPool pool({.width = 3});
  EXPECT_EQ(run(options(a.path())), run(options(b.path()), pool));
}

TEST_F(Trainer, StatesOfOtherDataOrSettingsAreRefused) {
  const test::ScratchFolder folder;
  TrainerOptions o = options(folder.path());
  run(o);
  o.identity = 43;
  EXPECT_THROW(run(o), Error);
  o.identity = 42;
  EXPECT_NO_THROW(run(o));  // done already
  std::ofstream(*last_training_state(folder.path()) / "state.json") << "{}";
  EXPECT_THROW(run(o), Error);
}

TEST_F(Trainer, NothingToLearnFromIsAnError) {
  const test::ScratchFolder folder;
  phases_[0].packing.enough = 1000;
  phases_[0].packing.quality = QualityMode::kBest;
  EXPECT_THROW(run(options(folder.path())), Error);
}

TEST_F(Trainer, EpochsAreStepsAndPartsOfThem) {
  const PackingOptions& packing = phases_[1].packing;
  int64_t first = static_cast<int64_t>(plan_epoch(train_, packing, 6, 0).size());
  EXPECT_EQ(steps_of_epochs(train_, packing, 6, 1), first);
  EXPECT_EQ(steps_of_epochs(train_, packing, 6, 0.5), (first + 1) / 2);
  EXPECT_EQ(steps_of_epochs(train_, packing, 6, 2), first + static_cast<int64_t>(plan_epoch(train_, packing, 6, 1).size()));
}

}  // namespace
}  // namespace tlm::lm
