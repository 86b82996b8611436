#include "tlm/lm/training/trainer.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <fstream>

#include "tlm/core/error.h"
#include "tlm/core/stopwatch.h"
#include "tlm/lm/training/training_state.h"

namespace tlm::lm {
namespace {

// The batches of a phase, one after another, from any step on.
class Batches {
 public:
  Batches(const Phase& phase, int64_t step) : phase_(phase), at_(step) {
    for (plan(); at_ >= static_cast<int64_t>(batches_.size()); plan()) {
      at_ -= static_cast<int64_t>(batches_.size());
      ++epoch_;
    }
  }
  TrainingBatch next() {
    while (at_ == static_cast<int64_t>(batches_.size())) at_ = 0, ++epoch_, plan();
    return pack(*phase_.data, batches_[static_cast<size_t>(at_++)], phase_.packing);
  }

 private:
  void plan() {
    batches_ = plan_epoch(*phase_.data, phase_.packing, phase_.seed, epoch_);
    if (batches_.empty())
      throw Error(ErrorCode::kUsage, "there is nothing to learn from", phase_.name,
                  "workloads of the split train with enough programs that have a latency (`tlm train --help`)");
  }

  const Phase& phase_;
  int64_t epoch_ = 0, at_;
  std::vector<std::vector<Item>> batches_;
};

int64_t count_targets(const TrainingBatch& b) {
  return static_cast<int64_t>(b.targets.size()) - std::count(b.targets.begin(), b.targets.end(), TrainingBatch::kNoTarget);
}

std::string words(const StepMetrics& m, const std::optional<Validation>& dev) {
  char text[128];
  std::snprintf(text, sizeof text, "%s loss %.4f, %.0f tokens/s", m.phase.c_str(), m.loss, m.tokens_per_second);
  std::string out = text;
  if (dev) {
    std::snprintf(text, sizeof text, "; dev loss %.4f, pick %.3f", dev->loss, dev->pick);
    out += text;
  }
  return out;
}

class Trainer {
 public:
  Trainer(Weights& weights, const LanguageInfo& language, const std::vector<Phase>& phases, const Dataset& dev,
          const TrainerOptions& options, Executor& executor)
      : weights_(weights),
        gradients_(weights.config()),
        workspace_(weights.config()),
        language_(language),
        phases_(phases),
        dev_(dev),
        options_(options),
        executor_(executor),
        optimizer_(weights.config(), options.adamw) {
    for (const Phase& p : phases) total_ += p.steps;
  }

  void run(Progress& progress) {
    resume();
    const std::filesystem::path file = options_.folder / "metrics.jsonl";
    keep_metrics(file, position_.step);
    std::ofstream metrics(file, std::ios::app);
    ProgressTask task(progress, "train", total_ - position_.step);
    started_ = kept_ = Stopwatch();
    int64_t first = 0;  // step of the phase
    for (size_t p = 0; p < phases_.size(); first += phases_[p++].steps) {
      if (position_.step >= first + phases_[p].steps) continue;
      Batches batches(phases_[p], position_.step - first);
      while (position_.step < first + phases_[p].steps) {
        if (options_.cancel.cancelled()) {
          if (last_kept_ != position_.step) keep();
          options_.cancel.check();
        }
        const StepMetrics m = step(phases_[p], batches.next(), position_.step - first);
        metrics << metrics_line(m) << '\n' << std::flush;
        if (!metrics) throw Error(ErrorCode::kEnvironment, "cannot write", file.string());
        task.advance(1, words(m, last_dev_));
        if (due() && position_.step < total_) keep();
      }
    }
    if (last_kept_ != total_) keep();
  }

 private:
  void resume() {
    const auto state = last_training_state(options_.folder);
    if (!state) return;
    position_ = load_training_position(*state);
    if (position_.identity != options_.identity || position_.step > total_)
      throw Error(ErrorCode::kUsage, "the folder holds a training on other records or with other settings", state->string(),
                  "give what it was begun with, or another folder");
    load_training_state(*state, weights_, optimizer_);
    if (optimizer_.steps() != position_.step)
      throw Error(ErrorCode::kBadModel, "the optimiser is not of the same step as the state", state->string());
    last_kept_ = position_.step;
    before_ = position_.seconds;
  }

  StepMetrics step(const Phase& phase, const TrainingBatch& batch, int64_t step_of_phase) {
    const Stopwatch time;
    std::fill(gradients_.data().begin(), gradients_.data().end(), 0.0f);
    StepMetrics m;
    m.phase = phase.name;
    m.targets = count_targets(batch);
    m.loss = loss_and_gradients(weights_, batch, &gradients_, executor_, workspace_);
    if (!std::isfinite(m.loss))
      throw Error(ErrorCode::kUsage, "the loss is no number any more after step " + std::to_string(position_.step),
                  options_.folder.string(), "a smaller rate (--rate)");
    m.norm = clip_norm(gradients_, options_.clip, executor_);
    m.rate = phase.rate.at(step_of_phase, phase.steps);
    optimizer_.step(weights_, gradients_, static_cast<float>(m.rate), executor_);
    const auto tokens = static_cast<int64_t>(batch.tokens.size());
    m.step = ++position_.step;
    m.tokens = position_.tokens += tokens;
    m.tokens_per_second = static_cast<double>(tokens) / std::max(time.seconds(), 1e-9);
    if (validation_due()) m.dev = last_dev_ = validate(weights_, dev_, phases_.back().packing, options_.validation, executor_);
    m.seconds = position_.seconds = before_ + started_.seconds();
    return m;
  }

  bool validation_due() const {
    if (options_.validations == 0 || dev_.groups.empty()) return false;
    // Step s of n ends the k-th of v equal parts.
    const int64_t v = options_.validations, s = position_.step;
    return s * v / total_ != (s - 1) * v / total_;
  }

  bool due() const {
    if (options_.checkpoint_steps > 0 && position_.step % options_.checkpoint_steps == 0) return true;
    return kept_.seconds() >= options_.checkpoint_seconds;
  }

  void keep() {
    position_.seconds = before_ + started_.seconds();
    position_.identity = options_.identity;
    save_training_state(options_.folder, weights_, language_, optimizer_, position_);
    last_kept_ = position_.step;
    kept_ = Stopwatch();
  }

  Weights& weights_;
  Weights gradients_;
  GradientWorkspace workspace_;
  const LanguageInfo& language_;
  const std::vector<Phase>& phases_;
  const Dataset& dev_;
  const TrainerOptions& options_;
  Executor& executor_;
  AdamW optimizer_;
  TrainingPosition position_;
  int64_t total_ = 0;
  std::optional<int64_t> last_kept_;
  std::optional<Validation> last_dev_;
  double before_ = 0;  // seconds of earlier runs
  Stopwatch started_, kept_;
};

}  // namespace

int64_t steps_of_epochs(const Dataset& data, const PackingOptions& packing, uint64_t seed, double epochs) {
  int64_t steps = 0;
  for (int64_t e = 0; static_cast<double>(e) < epochs; ++e) {
    const auto batches = static_cast<double>(plan_epoch(data, packing, seed, e).size());
    steps += std::llround(batches * std::min(1.0, epochs - static_cast<double>(e)));
  }
  return steps;
}

double measure_step(const Weights& weights, const Phase& phase, Executor& executor) {
  constexpr int kWarm = 1, kTimed = 4;
  Weights copy = weights, gradients(weights.config());
  AdamW optimizer(weights.config());
  GradientWorkspace workspace(weights.config());
  Batches batches(phase, 0);
  Stopwatch time;
  for (int i = 0; i < kWarm + kTimed; ++i) {
    if (i == kWarm) time = Stopwatch();
    loss_and_gradients(copy, batches.next(), &gradients, executor, workspace);
    clip_norm(gradients, 1, executor);
    optimizer.step(copy, gradients, 1e-6f, executor);
  }
  return time.seconds() / kTimed;
}

void train(Weights& weights, const LanguageInfo& language, const std::vector<Phase>& phases, const Dataset& dev,
           const TrainerOptions& options, Executor& executor, Progress& progress) {
  Trainer(weights, language, phases, dev, options, executor).run(progress);
}

}  // namespace tlm::lm
