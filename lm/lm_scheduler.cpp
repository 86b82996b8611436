#include "tlm/lm/lm_scheduler.h"

#include <algorithm>

#include "tlm/core/error.h"
#include "tlm/core/stopwatch.h"

namespace tlm::lm {

LmScheduler::LmScheduler(std::shared_ptr<const LanguageModel> model, std::shared_ptr<const Strategy> strategy,
                         DecodeOptions options, int schedules)
    : model_(std::move(model)), strategy_(std::move(strategy)), options_(std::move(options)), schedules_(schedules) {
  TLM_CHECK(model_ && strategy_ && schedules_ >= 1);
}

std::vector<std::vector<space::Schedule>> LmScheduler::schedule(const std::vector<std::shared_ptr<const space::Space>>& spaces) {
  report_ = {};
  report_.workloads = static_cast<int>(spaces.size());
  std::vector<std::shared_ptr<const space::Space>> fitting;
  for (const auto& space : spaces)
    if (model_->fits(space->target())) fitting.push_back(space);
  std::vector<Answer> answers = decode(*model_, fitting, *strategy_, options_, &report_.decoding);
  const Stopwatch time;
  std::vector<std::vector<space::Schedule>> out(spaces.size());
  written_.assign(spaces.size(), {});
  size_t next = 0;
  for (size_t i = 0; i < spaces.size(); ++i) {
    std::string reason = "the model was not trained for this kind of device";
    if (model_->fits(spaces[i]->target())) {
      Answer& answer = answers[next++];
      reason = std::move(answer.reason);
      for (const Sentence& s : answer.sentences) {
        if (static_cast<int>(out[i].size()) >= schedules_) break;
        space::Schedule schedule = s.walk.schedule();
        if (std::find(out[i].begin(), out[i].end(), schedule) != out[i].end()) continue;
        written_[i].push_back({schedule, s.defaults});
        out[i].push_back(std::move(schedule));
      }
    }
    if (!out[i].empty()) {
      count_defaults(written_[i][0]);
      continue;
    }
    out[i].push_back(spaces[i]->constructive().schedule());
    report_.fallbacks.push_back(spaces[i]->subgraph().name + ": " + reason);
  }
  report_.milliseconds = report_.decoding.total_ms + time.ms();
  return out;
}

void LmScheduler::count_defaults(const Written& taken) {
  for (const space::DecisionKind kind : taken.defaults) ++report_.defaults[space::kind_name(kind)];
}

void LmScheduler::tell_taken(const std::vector<space::Schedule>& schedules) {
  TLM_CHECK(schedules.size() == written_.size()) << schedules.size() << " schedules, " << written_.size() << " spaces";
  report_.defaults.clear();
  for (size_t i = 0; i < schedules.size(); ++i) {
    const auto taken =
        std::find_if(written_[i].begin(), written_[i].end(), [&](const Written& w) { return w.schedule == schedules[i]; });
    if (taken != written_[i].end()) count_defaults(*taken);
  }
}

}  // namespace tlm::lm
