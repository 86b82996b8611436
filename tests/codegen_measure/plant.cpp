#include "plant.h"

#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cerrno>

#include "tlm/space/scheduler.h"
#include "workloads.h"

namespace tlm::codegen::test {

std::shared_ptr<const space::Space> small_space(int cores) {
  Target target = host_target();
  target.cores = cores;
  return space::Space::build(space::test::matmul(48, 64, 40), target);
}

std::vector<space::Schedule> some_schedules(const space::Space& space, int count) {
  const space::Schedule anchor = space.constructive().schedule();
  std::vector<space::Schedule> schedules;
  for (uint64_t seed = 0; static_cast<int>(schedules.size()) < count; ++seed) {
    const auto drawn = space::make_random_scheduler(seed)->schedule({space.shared_from_this()}).at(0).at(0);
    if (drawn == anchor || std::find(schedules.begin(), schedules.end(), drawn) != schedules.end()) continue;
    schedules.push_back(drawn);
  }
  return schedules;
}

MeasureOptions quick_options(Planted planted, std::string* log) {
  MeasureOptions options;
  options.jobs = 2;
  options.rounds = 3;
  options.round_ms = 0.01;
  options.deadline_s = 20;
  options.slow_factor = 1e9;  // tests must not depend on speed
  options.max_weight_bytes = 1 << 20;
  options.probe = [] { return space::Probe{100, 10}; };
  options.log = Log([log](LogLevel, std::string_view text) {
    if (log) *log += std::string(text) + "\n";
  });
  if (!planted.empty())
    options.plant = [planted = std::move(planted)](const space::Schedule& s, const std::string& source) {
      const auto it = planted.find(print(s));
      if (it == planted.end()) return source;
      std::string changed = source;
      int phases = 0;
      for (size_t at = 0; (at = changed.find("void tlm_phase_", at)) != std::string::npos; ++phases) {
        at = changed.find('{', at);
        changed.insert(at + 1, "\n  " + it->second + "\n");
      }
      EXPECT_GT(phases, 0) << source;
      return changed;
    };
  return options;
}

bool has_children() {
  int status = 0;
  return !(waitpid(-1, &status, WNOHANG) == -1 && errno == ECHILD);
}

}  // namespace tlm::codegen::test
