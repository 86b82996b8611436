#include "tlm/tools/tlm/collect_model.h"

#include "tlm/core/thread_pool.h"
#include "tlm/lm/decoding/strategies.h"
#include "tlm/lm/lm_scheduler.h"

namespace tlm::tools {
namespace {

// Decodes on all cores: nothing is measured meanwhile.
class ModelScheduler : public space::Scheduler {
 public:
  ModelScheduler(std::shared_ptr<const lm::LanguageModel> model, int schedules, uint64_t seed)
      : lm_(std::move(model), lm::standard_strategies().make("gumbel", schedules), {.seed = seed, .executor = &pool_},
            schedules) {}

  std::string name() const override { return lm_.name(); }
  std::vector<std::vector<space::Schedule>> schedule(const std::vector<std::shared_ptr<const space::Space>>& spaces) override {
    return lm_.schedule(spaces);
  }

 private:
  ThreadPool pool_;
  lm::LmScheduler lm_;
};

}  // namespace

collect::ModelFactory collect_model(const std::string& folder) {
  const auto model = std::make_shared<const lm::LanguageModel>(lm::LanguageModel::load(folder));
  return [model](int schedules, uint64_t seed) { return std::make_unique<ModelScheduler>(model, schedules, seed); };
}

}  // namespace tlm::tools
