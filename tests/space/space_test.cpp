#include <gtest/gtest.h>

#include <set>

#include "tlm/core/rng.h"
#include "tlm/core/target.h"
#include "tlm/space/scheduler.h"
#include "tlm/space/space.h"
#include "workloads.h"

namespace tlm::space::test {
namespace {

TEST(Show, All) {
  if (!getenv("SHOW")) GTEST_SKIP();
  Target t = named_target(getenv("SHOW"));
  t.cores = 2;
  for (const Workload& w : all_workloads()) {
    auto space = Space::build(w.g, t);
    Walk walk = space->walk();
    walk.complete();
    printf("== %s  log10 %.1f\n%s\n%s", w.name.c_str(), space->log10_size(2000), print(walk.schedule()).c_str(), print(walk.plan(), w.g).c_str());
    for (const Decision& d : walk.decisions()) printf("  %s:%zu", d.name.c_str(), d.candidates.size());
    printf("\n");
  }
}

}  // namespace
}  // namespace tlm::space::test
