// Whatever is changed in a schedule or taken from another one, a legal and complete schedule comes out.
#include "tlm/space/search/mutation.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "tests/space/check_plan.h"
#include "tests/space/workloads.h"
#include "tests/support/expression_generator.h"
#include "tests/support/network_workloads.h"
#include "tlm/space/search/features.h"

namespace tlm::space::test {
namespace {

Target target_of(uint64_t seed) {
  const char* const names[] = {"x86-64", "x86-64-v3", "x86-64-v4", "aarch64", "sm_80"};
  Target t = named_target(names[seed % 5]);
  t.cores = static_cast<int>(1 + seed % 4);
  return t;
}

// Complete, sound, and the same when it is read back.
void check(const Walk& w) {
  ASSERT_TRUE(w.done());
  check_plan(w.subgraph(), w.space().target(), w.plan());
  const Result<Walk> again = w.space().replay(parse_schedule(print(w.schedule())));
  ASSERT_TRUE(again.ok()) << again.reason();
  EXPECT_EQ(again->chosen(), w.chosen());
}

// Families of schedules: each is mutated or crossed with others of the space.
void evolve(const Space& space, uint64_t seed, int steps) {
  Rng rng(seed);
  std::vector<Walk> family = {random_walk(space, rng), random_walk(space, rng, 0.3)};
  for (int i = 0; i < steps; ++i) {
    const Walk& a = family[rng.below(family.size())];
    const Walk& b = family[rng.below(family.size())];
    Walk child = i % 3 == 2 ? crossover(a, b, rng) : mutate(a, rng);
    check(child);
    if (testing::Test::HasFailure()) {
      std::puts((ir::print(space.subgraph()) + print(a.schedule()) + "\n" + print(b.schedule())).c_str());
      return;
    }
    family[rng.below(2)] = std::move(child);
  }
}

TEST(Mutation, RandomProgramsStayLegal) {
  for (uint64_t seed = 0; seed < 400; ++seed) {
    SCOPED_TRACE(seed);
    const auto p = tlm::test::generate_program(seed);
    evolve(*Space::build(p.g, target_of(seed)), seed, 6);
    if (HasFailure()) return;
  }
}

TEST(Mutation, NetworkWorkloadsStayLegal) {
  const std::vector<ir::Subgraph>& all = tlm::test::network_workloads();
  ASSERT_GT(all.size(), 20u);
  const size_t step = std::max<size_t>(1, all.size() / 60);
  for (size_t i = 0; i < all.size(); i += step) {
    SCOPED_TRACE(i);
    evolve(*Space::build(all[i], target_of(i)), i, 9);
    if (HasFailure()) return;
  }
}

TEST(Mutation, SameSeedSameSchedule) {
  for (const Workload& w : all_workloads()) {
    const auto space = Space::build(w.g, target_of(2));
    Rng a(5), b(5);
    const Walk x = random_walk(*space, a), y = random_walk(*space, b);
    EXPECT_EQ(mutate(x, a).schedule(), mutate(y, b).schedule());
    EXPECT_EQ(crossover(x, mutate(x, a), a).schedule(), crossover(y, mutate(y, b), b).schedule());
  }
}

int differences(const Schedule& a, const Schedule& b) {
  int count = 0;
  for (const auto& [name, text] : a.choices) {
    const std::string* other = b.find(name);
    count += !other || *other != text;
  }
  return count;
}

// A change is small: most of the decisions are kept.
TEST(Mutation, KeepsMostDecisions) {
  const auto space = Space::build(convolution(56, 64, 64, 3, 1), target_of(1));
  Rng rng(3);
  const Walk parent = random_walk(*space, rng);
  const int decisions = static_cast<int>(parent.decisions().size());
  int total = 0, unchanged = 0;
  for (int i = 0; i < 200; ++i) {
    const int d = differences(parent.schedule(), mutate(parent, rng).schedule());
    total += d;
    unchanged += d == 0;
  }
  EXPECT_GT(total, 200);
  EXPECT_LT(total, 200 * decisions / 2);
  EXPECT_LT(unchanged, 10);
}

TEST(Crossover, TakesFromBoth) {
  const auto space = Space::build(diamond(64), target_of(1));
  Rng rng(9);
  int of_both = 0;
  for (int i = 0; i < 100; ++i) {
    const Walk a = random_walk(*space, rng), b = random_walk(*space, rng);
    const Schedule child = crossover(a, b, rng).schedule();
    of_both += differences(child, a.schedule()) > 0 && differences(child, b.schedule()) > 0;
  }
  EXPECT_GT(of_both, 40);
  const Walk a = random_walk(*space, rng);
  EXPECT_EQ(crossover(a, a, rng).schedule(), a.schedule());
}

TEST(NearestCandidate, BySizeAndOrder) {
  struct Case {
    DecisionKind kind;
    std::vector<Choice> candidates;
    Choice wanted;
    int nearest;
  };
  const std::vector<Case> cases = {
      {DecisionKind::kTile, {{0}, {4}, {16}, {64}}, {16}, 2},
      {DecisionKind::kTile, {{0}, {4}, {16}, {64}}, {14}, 2},
      {DecisionKind::kTile, {{0}, {4}, {16}, {64}}, {200}, 3},
      {DecisionKind::kTile, {{0}, {4}}, {0}, 0},
      {DecisionKind::kMicro,
       {{-1, 1, 1, -1, 1, -1, 1}, {1, 8, 2, 3, 4, -1, 1}, {1, 8, 2, 3, 6, -1, 1}},
       {1, 8, 2, 3, 7, -1, 1},
       2},
      {DecisionKind::kMicro, {{1, 8, 4, -1, 1, -1, 1}, {3, 8, 2, 1, 6, -1, 1}}, {3, 8, 1, 2, 3, -1, 1}, 1},
      {DecisionKind::kUnroll, {{-1, 1, -1, 1}, {4, 2, -1, 1}, {4, 8, -1, 1}}, {4, 4, -1, 1}, 1},
      {DecisionKind::kOrder, {{0, 1, 2}, {1, 0, 2}, {2, 1, 0}}, {2, 1, 0}, 2},
      {DecisionKind::kInner, {{0, 1, 2}, {2, 1, 0}}, {1, 0, 2, 3}, 0},
      {DecisionKind::kParallel, {{0, 1}, {1, 4}, {2, 16}}, {2, 12}, 2},
      {DecisionKind::kAttach, {{0}, {2}}, {2}, 1},
      {DecisionKind::kAttach, {{0}, {2}}, {1}, -1},
      {DecisionKind::kTail, {{0}, {2}}, {1}, -1},
  };
  for (const Case& c : cases) {
    Decision d;
    d.kind = c.kind;
    d.candidates = c.candidates;
    EXPECT_EQ(nearest_candidate(d, c.wanted), c.nearest) << kind_name(c.kind) << " " << c.wanted[0];
  }
}

TEST(Features, OfEveryWorkloadAreFinite) {
  for (uint64_t target = 0; target < 5; ++target) {
    for (const Workload& w : all_workloads()) {
      const auto space = Space::build(w.g, target_of(target));
      Rng rng(1);
      for (int i = 0; i < 5; ++i) {
        const Features f = features(random_walk(*space, rng));
        ASSERT_EQ(f.values.size(), feature_names().size());
        for (size_t k = 0; k < f.values.size(); ++k)
          EXPECT_TRUE(std::isfinite(f.values[k])) << w.name << " " << feature_names()[k];
        EXPECT_GT(f.model_cycles, 0) << w.name;
      }
    }
  }
}

float value(const Features& f, const std::string& name) {
  const auto& names = feature_names();
  const auto at = std::find(names.begin(), names.end(), name);
  EXPECT_NE(at, names.end()) << name;
  return f.values.at(static_cast<size_t>(at - names.begin()));
}

TEST(Features, OfAMatrixProduct) {
  Target t = named_target("x86-64-v3");
  t.cores = 2;
  const auto space = Space::build(matmul(96, 256, 128), t);
  const auto of = [&](const char* schedule) {
    const Result<Walk> w = space->replay(parse_schedule(schedule));
    EXPECT_TRUE(w.ok()) << w.reason();
    return features(*w);
  };
  const Features plain = of(""), tiled = of("micro.s0=n:2x8 m:6");
  EXPECT_EQ(value(plain, "main.scalar"), 1);
  EXPECT_EQ(value(tiled, "main.scalar"), 0);
  EXPECT_FLOAT_EQ(value(tiled, "main.accumulators"), std::log2(13.f));
  EXPECT_FLOAT_EQ(value(tiled, "main.largest_tile"), std::log2(7.f));
  EXPECT_FLOAT_EQ(value(tiled, "main.tiles"), std::log2(1.f + 16 * 16));
  EXPECT_FLOAT_EQ(value(tiled, "main.reduction"), std::log2(129.f));
  EXPECT_FLOAT_EQ(value(tiled, "main.loads_per_update"), std::log2(1 + 8.f / 12));
  EXPECT_LT(tiled.model_cycles, plain.model_cycles / 4);
  const std::vector<float> row = feature_row(tiled, tiled);
  EXPECT_EQ(row[feature_names().size() / 2], 0) << "differences to the anchor";
}

}  // namespace
}  // namespace tlm::space::test
