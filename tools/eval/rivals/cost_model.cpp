// A cost model trained on the model's records ranks schedules that are drawn from the space.
#include <algorithm>
#include <chrono>
#include <map>

#include "tlm/core/error.h"
#include "tlm/core/hash.h"
#include "tlm/core/rng.h"
#include "tlm/lm/parallel.h"
#include "tlm/space/search/features.h"
#include "tlm/space/search/mutation.h"
#include "tlm/tools/eval/rivals/rivals.h"

namespace tlm::eval {
namespace {

using space::Features;
using space::Schedule;
using space::Walk;

class CostModelRival : public space::Scheduler {
 public:
  CostModelRival(std::shared_ptr<const space::CostModel> model, const CostModelBudget& budget, int schedules, uint64_t seed,
                 Executor& executor)
      : model_(std::move(model)), budget_(budget), schedules_(schedules), seed_(seed), executor_(executor) {
    TLM_CHECK(budget.seconds > 0 || budget.samples > 0);
  }
  std::string name() const override { return "cost model"; }

  // Workloads side by side, each on one thread: with T threads each has T times its share of the wall-clock.
  std::vector<std::vector<Schedule>> schedule(const std::vector<std::shared_ptr<const space::Space>>& spaces) override {
    std::vector<std::vector<Schedule>> out(spaces.size());
    lm::parallel_for(executor_, static_cast<int64_t>(spaces.size()),
                     [&](int64_t i, int) { out[static_cast<size_t>(i)] = answer(*spaces[static_cast<size_t>(i)]); });
    return out;
  }

 private:
  std::vector<Schedule> answer(const space::Space& space) const {
    const auto begin = std::chrono::steady_clock::now();
    const std::chrono::duration<double> limit(budget_.seconds * executor_.width());
    const Walk constructive = space.constructive();
    const Features anchor = space::features(constructive);
    Rng rng(Hasher()
                .text("cost model")
                .number(static_cast<int64_t>(seed_))
                .number(static_cast<int64_t>(ir::workload_hash(space.subgraph())))
                .value());
    std::map<std::pair<double, uint64_t>, Schedule> best;  // by what the model expects
    const auto look = [&](const Walk& w) {
      Schedule s = w.schedule();
      const uint64_t h = hash(s);
      best.emplace(std::pair(model_->predict(space::feature_row(space::features(w), anchor)), h), std::move(s));
      if (best.size() > static_cast<size_t>(schedules_)) best.erase(std::prev(best.end()));
    };
    look(constructive);
    const auto spent = [&](int looked) {
      return budget_.seconds > 0 ? std::chrono::steady_clock::now() - begin >= limit : looked >= budget_.samples;
    };
    // As the search fills its population: changes of the constructive schedule, draws, and what lies between.
    for (int i = 1; !spent(i); ++i)
      look(i % 3 == 0 ? space::mutate(constructive, rng) : space::random_walk(space, rng, i % 3 == 1 ? 1 : 0.3));
    std::vector<Schedule> out;
    for (auto& [key, s] : best) out.push_back(std::move(s));
    return out;
  }

  std::shared_ptr<const space::CostModel> model_;
  CostModelBudget budget_;
  int schedules_;
  uint64_t seed_;
  Executor& executor_;
};

}  // namespace

std::unique_ptr<space::Scheduler> make_cost_model_rival(std::shared_ptr<const space::CostModel> model,
                                                        const CostModelBudget& budget, int schedules, uint64_t seed,
                                                        Executor& executor) {
  return std::make_unique<CostModelRival>(std::move(model), budget, schedules, seed, executor);
}

}  // namespace tlm::eval
