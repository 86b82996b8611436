// The language model as a scheduler: prompt, weights and mask, nothing else. No records, no stored schedules, no cost model.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "tlm/lm/decoding/decoder.h"
#include "tlm/lm/decoding/strategy.h"
#include "tlm/lm/language_model.h"
#include "tlm/space/scheduler.h"

namespace tlm::lm {

// What the last call of schedule() did.
struct LmReport {
  double milliseconds = 0;             // all of it, measuring by the strategy excepted
  int workloads = 0;                   // asked for
  std::vector<std::string> fallbacks;  // for each workload that took the constructive schedule: its subgraph's name, and why
  // Decisions of the schedules taken that the model has no words for, by kind ("micro"): they took the default.
  std::map<std::string, int> defaults;
  DecodeStatistics decoding;
};

class LmScheduler : public space::Scheduler {
 public:
  // Up to `schedules` for each space, all different, best first: fewer where the strategy writes fewer.
  LmScheduler(std::shared_ptr<const LanguageModel> model, std::shared_ptr<const Strategy> strategy, DecodeOptions options,
              int schedules = 1);

  std::string name() const override { return "lm " + model_->name(); }
  // A space whose sentence exceeds the context, or whose target the model does not fit, gets the constructive schedule.
  std::vector<std::vector<space::Schedule>> schedule(const std::vector<std::shared_ptr<const space::Space>>& spaces) override;
  const LanguageModel& model() const { return *model_; }
  const LmReport& report() const { return report_; }
  // Which schedules of the last call were taken, one for each space: unless told, the report is about the first ones. One that
  // was not written here has no defaults.
  void tell_taken(const std::vector<space::Schedule>& schedules);

 private:
  struct Written {
    space::Schedule schedule;
    std::vector<space::DecisionKind> defaults;
  };
  void count_defaults(const Written& taken);

  std::shared_ptr<const LanguageModel> model_;
  std::shared_ptr<const Strategy> strategy_;
  DecodeOptions options_;
  int schedules_;
  LmReport report_;
  std::vector<std::vector<Written>> written_;  // for each space of the last call, in the order returned; none: it fell back
};

}  // namespace tlm::lm
