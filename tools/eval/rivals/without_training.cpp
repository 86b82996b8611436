// Rivals that know nothing but the space.
#include "tlm/space/search/top_k.h"
#include "tlm/tools/eval/rivals/rivals.h"

namespace tlm::eval {
namespace {

using space::Schedule;
using Spaces = std::vector<std::shared_ptr<const space::Space>>;

class Constructive : public space::Scheduler {
 public:
  explicit Constructive(int schedules) : schedules_(schedules) {}
  std::string name() const override { return "constructive"; }
  std::vector<std::vector<Schedule>> schedule(const Spaces& spaces) override {
    std::vector<std::vector<Schedule>> out;
    for (const auto& space : spaces) out.push_back(space::constructive_variations(space, schedules_));
    return out;
  }

 private:
  int schedules_;
};

class Random : public space::Scheduler {
 public:
  Random(int schedules, uint64_t seed) : schedules_(schedules), seed_(seed) {}
  std::string name() const override { return "random"; }
  std::vector<std::vector<Schedule>> schedule(const Spaces& spaces) override {
    std::vector<std::vector<Schedule>> out;
    for (const auto& space : spaces) out.push_back(space::random_draws(space, schedules_, seed_));
    return out;
  }

 private:
  int schedules_;
  uint64_t seed_;
};

}  // namespace

std::unique_ptr<space::Scheduler> make_constructive_rival(int schedules) { return std::make_unique<Constructive>(schedules); }
std::unique_ptr<space::Scheduler> make_random_rival(int schedules, uint64_t seed) {
  return std::make_unique<Random>(schedules, seed);
}

}  // namespace tlm::eval
