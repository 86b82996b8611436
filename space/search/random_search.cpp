#include "tlm/core/hash.h"
#include "tlm/core/rng.h"
#include "tlm/space/scheduler.h"

namespace tlm::space {
namespace {

class RandomScheduler : public Scheduler {
 public:
  explicit RandomScheduler(uint64_t seed) : seed_(seed) {}
  std::string name() const override { return "random"; }

  std::vector<std::vector<Schedule>> schedule(const std::vector<std::shared_ptr<const Space>>& spaces) override {
    std::vector<std::vector<Schedule>> out;
    for (const auto& space : spaces) {
      Rng rng(Hasher()
                  .number(static_cast<int64_t>(seed_))
                  .number(static_cast<int64_t>(ir::workload_hash(space->subgraph())))
                  .value());
      Walk w = space->walk();
      while (!w.done()) w.choose(static_cast<int>(rng.below(w.decision().candidates.size())));
      out.push_back({w.schedule()});
    }
    return out;
  }

 private:
  uint64_t seed_;
};

}  // namespace

std::unique_ptr<Scheduler> make_random_scheduler(uint64_t seed) { return std::make_unique<RandomScheduler>(seed); }

}  // namespace tlm::space
