// The laws of a space: candidates are a function of earlier choices, every prefix can be completed, every completion is a sound
// plan.
#include "tlm/space/space.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <set>

#include "check_plan.h"
#include "tlm/core/rng.h"
#include "workloads.h"

namespace tlm::space::test {
namespace {

Target with_cores(const std::string& name, int cores) {
  Target t = named_target(name);
  t.cores = cores;
  return t;
}

const std::vector<std::string> kTargets = {"x86-64", "x86-64-v2", "x86-64-v3", "x86-64-v4", "aarch64", "sm_80"};

void check_decision(const Decision& d) {
  EXPECT_GE(d.candidates.size(), 2u) << d.name;
  EXPECT_LE(d.candidates.size(), 120u) << d.name;
  EXPECT_EQ(std::set<Choice>(d.candidates.begin(), d.candidates.end()).size(), d.candidates.size()) << d.name;
  ASSERT_GE(d.neutral, 0);
  ASSERT_LT(d.neutral, static_cast<int>(d.candidates.size()));
}

bool same(const Decision& a, const Decision& b) {
  return a.kind == b.kind && a.stage == b.stage && a.item == b.item && a.name == b.name && a.candidates == b.candidates &&
         a.neutral == b.neutral;
}

Walk random_walk(const Space& space, Rng& rng) {
  Walk w = space.walk();
  while (!w.done()) {
    check_decision(w.decision());
    w.choose(static_cast<int>(rng.below(w.decision().candidates.size())));
  }
  return w;
}

// Visits every prefix below `w`, at most `budget` of them.
void every_prefix(const Walk& w, int64_t& budget, const std::function<void(const Walk&)>& visit) {
  if (budget-- <= 0) return;
  visit(w);
  if (w.done()) return;
  for (size_t i = 0; i < w.decision().candidates.size() && budget > 0; ++i) {
    Walk next = w;
    next.choose(static_cast<int>(i));
    every_prefix(next, budget, visit);
  }
}

// Completes every prefix of the space of `g` and checks the plan; returns how many there are, -1 if more than `budget`.
int64_t complete_every_prefix(const ir::Subgraph& g, const Target& t, int64_t budget) {
  auto space = Space::build(g, t);
  int64_t left = budget, prefixes = 0;
  every_prefix(space->walk(), left, [&](const Walk& prefix) {
    ++prefixes;
    if (!prefix.done()) check_decision(prefix.decision());
    Walk whole = prefix;
    whole.complete();
    ASSERT_TRUE(whole.done());
    ASSERT_TRUE(std::equal(prefix.chosen().begin(), prefix.chosen().end(), whole.chosen().begin()));
    check_plan(whole);
  });
  return left < 0 ? -1 : prefixes;
}

TEST(Space, EveryPrefixOfSmallSpacesCompletes) {
  const std::vector<Workload> small = {
      {"matmul", matmul(2, 3, 2)},
      {"softmax", softmax(2, 3)},
      {"elementwise", elementwise(2, 5)},
      {"argmax", argmax(3, 4)},
      {"scan", cumsum(2, 3)},
      {"gather", gather(3, 5, 4)},
      {"fold", ordered_fold(2, 3)},
      {"concat", concat(2)},
      {"transpose", transpose(3, 4)},
      {"scores", attention_scores(1, 2, 3)},
      {"pool", max_pool(3, 2)},
  };
  for (const std::string& target : kTargets) {
    for (const Workload& w : small) {
      SCOPED_TRACE(w.name + " on " + target);
      EXPECT_GT(complete_every_prefix(w.g, with_cores(target, 2), 60000), 0) << "not small";
      if (HasFailure()) return;
    }
  }
}

// Of larger ones as many prefixes as time allows.
TEST(Space, PrefixesOfLargerSpacesComplete) {
  for (const std::string& target : kTargets) {
    for (const Workload& w : {Workload{"conv", convolution(4, 2, 3, 3, 1)},
                              {"diamond", diamond(2)},
                              {"depthwise", depthwise(4, 3)},
                              {"grouped", grouped(4, 2, 2, 3)},
                              {"matmul", matmul(90, 300, 700)}}) {
      SCOPED_TRACE(w.name + " on " + target);
      complete_every_prefix(w.g, with_cores(target, 2), 1000);
      if (HasFailure()) return;
    }
  }
}

TEST(Space, RandomWalksAreSoundAndReplay) {
  for (const std::string& target : kTargets) {
    const Target t = with_cores(target, 4);
    for (const Workload& w : all_workloads()) {
      SCOPED_TRACE(w.name + " on " + target);
      auto space = Space::build(w.g, t);
      Rng rng(7);
      for (int i = 0; i < 10; ++i) {
        const Walk walk = random_walk(*space, rng);
        check_plan(walk);
        Result<Walk> again = space->replay(parse_schedule(print(walk.schedule())));
        ASSERT_TRUE(again.ok()) << again.reason();
        EXPECT_EQ(again->chosen(), walk.chosen());
        EXPECT_EQ(again->schedule(), walk.schedule());
        EXPECT_EQ(print(again->plan(), again->subgraph()), print(walk.plan(), walk.subgraph()));
        if (HasFailure()) return;
      }
    }
  }
}

TEST(Space, CandidatesDependOnEarlierChoicesAlone) {
  const Target t = with_cores("x86-64-v3", 4);
  for (const Workload& w : all_workloads()) {
    SCOPED_TRACE(w.name);
    auto first = Space::build(w.g, t), second = Space::build(ir::parse_subgraph(ir::print(w.g)), t);
    Rng rng(11);
    Walk a = first->walk(), b = second->walk();
    while (!a.done()) {
      ASSERT_FALSE(b.done());
      ASSERT_TRUE(same(a.decision(), b.decision())) << a.decision().name;
      const int n = static_cast<int>(a.decision().candidates.size());
      Walk aside = a;  // a branch that is taken and dropped leaves no trace
      aside.choose(static_cast<int>(rng.below(n)));
      aside.complete();
      const int pick = static_cast<int>(rng.below(n));
      a.choose(pick);
      b.choose(pick);
    }
    EXPECT_TRUE(b.done());
    EXPECT_EQ(a.schedule(), b.schedule());
  }
}

TEST(Space, NamesAreUniqueAndTextsToo) {
  const Target t = with_cores("x86-64-v4", 8);
  for (const Workload& w : all_workloads()) {
    auto space = Space::build(w.g, t);
    Rng rng(3);
    const Walk walk = random_walk(*space, rng);
    std::set<std::string> names;
    for (const Decision& d : walk.decisions()) {
      EXPECT_TRUE(names.insert(d.name).second) << d.name;
      const std::vector<std::string> axes = axis_names(d, walk.subgraph());
      for (size_t i = 0; i < d.candidates.size(); ++i) {
        const std::string text = choice_text(d, d.candidates[i], axes);
        EXPECT_EQ(parse_choice(d, text, axes), static_cast<int>(i)) << d.name << " " << text;
        EXPECT_EQ(text.find_first_of(";="), std::string::npos) << text;
      }
      EXPECT_EQ(parse_choice(d, "no such text", axes), -1);
    }
  }
}

TEST(Space, NeutralValuesAreThePlainProgram) {
  const Target t = with_cores("x86-64-v3", 4);
  for (const Workload& w : all_workloads()) {
    SCOPED_TRACE(w.name);
    auto space = Space::build(w.g, t);
    Result<Walk> walk = space->replay(Schedule());
    ASSERT_TRUE(walk.ok()) << walk.reason();
    const SchedulePlan plan = walk->plan();
    for (Attach a : plan.attach) EXPECT_EQ(a, Attach::kRoot);
    for (const NestPlan& n : plan.nests) {
      EXPECT_EQ(n.vector_axis, -1);
      EXPECT_EQ(n.parallel, 0);
      for (const AxisPlan& a : n.axes) EXPECT_EQ(a, AxisPlan());
      EXPECT_TRUE(std::is_sorted(n.inner_order.begin(), n.inner_order.end()));
      EXPECT_TRUE(std::is_sorted(n.reduce_order.begin(), n.reduce_order.end()));
    }
    for (const auto& packed : plan.packed) EXPECT_TRUE(packed.empty());
  }
}

TEST(Space, ReplayNamesWhatIsWrong) {
  auto space = Space::build(matmul(48, 64, 32), with_cores("x86-64-v3", 1));
  struct Case {
    std::string schedule;
    std::vector<std::string> parts;
  };
  for (const Case& c : std::vector<Case>{
           {"micro.s0=n:9x8 m:9", {"micro.s0", "'n:9x8 m:9'", "none", "n:2x8 m:6"}},
           {"micro.s0=n:2x8 m:6; unroll.s0=k:3", {"unroll.s0", "'k:3'", "k:2"}},
           {"micro.s0=none; block.s0=4", {"block.s0", "micro.s0"}},
           {"micro.s7=none", {"micro.s7"}},
       }) {
    Result<Walk> walk = space->replay(parse_schedule(c.schedule));
    ASSERT_FALSE(walk.ok()) << c.schedule;
    for (const std::string& part : c.parts) EXPECT_NE(walk.reason().find(part), std::string::npos) << walk.reason();
  }
  EXPECT_TRUE(space->replay(parse_schedule("micro.s0=n:2x8 m:6; unroll.s0=k:2")).ok());
}

TEST(Space, CopiesAreIndependent) {
  auto space = Space::build(matmul(48, 64, 32), with_cores("x86-64-v3", 1));
  Walk a = space->walk(), b = a;
  a.choose(1);
  EXPECT_TRUE(b.chosen().empty());
  EXPECT_EQ(b.decision().name, "micro.s0");
  b.choose(0);
  EXPECT_EQ(a.chosen(), std::vector<int>{1});
  EXPECT_EQ(b.chosen(), std::vector<int>{0});
}

TEST(Space, SizeIsExactForSmallSpacesAndCloseForLargeOnes) {
  const Target t = with_cores("x86-64-v3", 2);
  for (const ir::Subgraph& g : {softmax(8, 24), matmul(12, 16, 6), argmax(3, 40)}) {
    auto space = Space::build(g, t);
    int64_t budget = 1000000, complete = 0;
    every_prefix(space->walk(), budget, [&](const Walk& w) { complete += w.done(); });
    EXPECT_NEAR(space->log10_size(100000), std::log10(static_cast<double>(complete)), 1e-9);
    EXPECT_NEAR(space->log10_size(10), std::log10(static_cast<double>(complete)), 0.5);
  }
  EXPECT_GT(Space::build(convolution(56, 64, 64, 3, 1), t)->log10_size(), 8);
}

// The tile must leave room for what it multiplies: counted here from the shapes of a matrix product.
TEST(Space, RegisterTilesFitTheRegisterFile) {
  for (const char* target : {"x86-64", "x86-64-v3", "x86-64-v4", "aarch64"}) {
    const Target t = with_cores(target, 1);
    auto space = Space::build(matmul(197, 768, 768), t);
    const Walk walk = space->walk();
    ASSERT_EQ(walk.decision().kind, DecisionKind::kMicro);
    int64_t most = 0;
    for (const Choice& c : walk.decision().candidates) {
      if (c[0] != 1) continue;  // vectors of n: W gives `vectors`, A gives `rows` values
      const int64_t vectors = c[2], rows = c[4];
      EXPECT_LE(vectors * rows + std::min(vectors, rows) + 1 + (t.fma ? 0 : 1), t.vector_registers);
      most = std::max(most, vectors * rows);
    }
    EXPECT_GE(most, t.vector_registers * 3 / 4 - 2) << target;  // and use it
  }
}

TEST(Space, KnownGoodTilesAreCandidates) {
  auto has = [](const std::string& target, const ir::Subgraph& g, const std::string& text) {
    auto space = Space::build(g, with_cores(target, 1));
    Walk w = space->walk();
    while (w.decision().kind != DecisionKind::kMicro) w.choose(0);
    return parse_choice(w.decision(), text, axis_names(g.stages[w.decision().stage])) >= 0;
  };
  const ir::Subgraph conv = convolution(56, 64, 64, 1, 1);
  for (const char* tile : {"co:2x8 ow:6", "co:2x8 ow:5", "co:2x8 ow:4", "co:3x8 ow:4", "co:4x8 ow:3", "co:1x8 ow:12",
                           "co:1x8 ow:8", "co:2x8 oh:2 ow:3", "co:1x8 oh:4 ow:2"}) {
    EXPECT_TRUE(has("x86-64-v3", conv, tile)) << tile;
  }
  for (const char* tile : {"co:2x16 ow:12", "co:2x16 ow:14", "co:4x16 ow:6", "co:1x16 ow:28"}) {
    EXPECT_TRUE(has("x86-64-v4", conv, tile)) << tile;
  }
  EXPECT_TRUE(has("x86-64", conv, "co:2x4 ow:4"));
  EXPECT_TRUE(has("x86-64-v3", attention_scores(12, 64, 64), "d:1x8 i:3 j:4"));
  EXPECT_TRUE(has("x86-64-v3", softmax(96, 197), "c:2x8 r:4"));
}

// What must come in sequence is not reordered, and lanes of a vector would reorder it.
TEST(Space, OrderedCombinersStayInSequence) {
  auto space = Space::build(ordered_fold(16, 8), with_cores("x86-64-v4", 1));
  Rng rng(1);
  for (int i = 0; i < 50; ++i) {
    const Walk w = random_walk(*space, rng);
    for (const Decision& d : w.decisions()) {
      EXPECT_NE(d.kind, DecisionKind::kReduce);
      EXPECT_NE(d.kind, DecisionKind::kUnroll);
      if (d.kind != DecisionKind::kMicro) continue;
      for (const Choice& c : d.candidates) EXPECT_LE(c[0], 0) << "a vector of a reduction axis";
    }
  }
}

}  // namespace
}  // namespace tlm::space::test
