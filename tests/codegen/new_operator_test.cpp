// Operators that exist only here, as tensor expressions: they get a space, sentences and correct code without a line about them
// anywhere else.
#include <gtest/gtest.h>

#include "tlm/codegen/build/compile_c.h"
#include "tlm/codegen/check_workload.h"
#include "tlm/codegen/lower/lower.h"
#include "tlm/codegen/source/source_c.h"
#include "tlm/space/language/sentence.h"
#include "tlm/space/scheduler.h"

namespace tlm::codegen {
namespace {

// For each query the nearest of `m` codes by weighted L1 distance, its distance and a Gaussian of it.
constexpr char kNearestCode[] = R"(subgraph "nearest" {
  input q: f32[37,19]
  input c: f32[23,19]
  constant w: f32[19]
  internal d: f32[37,23]
  output best: f32[37]
  output which: i64[37]
  output kernel: f32[37]
  stage "distance" {
    spatial i:37, j:23
    reduce k:19
    body abs(q[i, k] - c[j, k])*w[k]
    combine sum
    store d[i, j] = acc0
  }
  stage "nearest" {
    spatial i:37
    reduce j:23
    body d[i, j]
    body j
    combine tuple not_commutative
    identity inf
    identity 0
    update select(acc2 < acc0, acc2, acc0)
    update select(acc2 < acc0, acc3, acc1)
    store best[i] = acc0
    store which[i] = acc1
  }
  stage "gaussian" {
    spatial i:37
    body exp(neg(best[i]*best[i]))
    store kernel[i] = acc0
  }
}
)";

// A local correlation of two feature maps at displacements of up to two pixels, as in optical flow.
constexpr char kCorrelation[] = R"(subgraph "correlation" {
  input a: f32[14,17,12]
  input b: f32[18,21,12]
  output y: f32[14,17,5,5]
  stage "correlation" {
    spatial h:14, w:17, dh:5, dw:5
    reduce c:12
    body a[h, w, c]*b[h + dh, w + dw, c]
    combine sum
    store y[h, w, dh, dw] = acc0*0.0833333358168602
  }
}
)";

void expect_right(const char* text) {
  const ir::Subgraph g = ir::parse_subgraph(text);
  ir::verify(g);
  for (const char* name : {"x86-64-v2", "x86-64-v3", "native"}) {
    Target target = named_target(name);
    if (!missing_features(target.features).empty()) continue;
    target.cores = 2;
    const auto space = space::Space::build(g, target);
    std::vector<Workload> workloads;
    for (int seed = 0; seed < 6; ++seed) {
      Workload w;
      w.hash = ir::workload_hash(g);
      w.space = space;
      const auto scheduler = seed == 0 ? space::make_constructive_scheduler() : space::make_random_scheduler(static_cast<uint64_t>(seed));
      w.schedule = scheduler->schedule({space}).at(0).at(0);
      const space::Walk walk = space->replay(w.schedule).value();
      EXPECT_EQ(space::read_decisions(space, space::decision_tokens(walk))->schedule(), w.schedule);
      w.program = walk.shared_subgraph();
      w.kernel = lower(*w.program, walk.plan(), target);
      w.first_entry = workloads.empty() ? 0 : workloads.back().first_entry + static_cast<uint32_t>(workloads.back().kernel.phases.size());
      workloads.push_back(std::move(w));
    }
    std::vector<const ir::Kernel*> kernels;
    std::vector<uint32_t> entries;
    for (const Workload& w : workloads) kernels.push_back(&w.kernel), entries.push_back(w.first_entry);
    const uint32_t phases = entries.back() + static_cast<uint32_t>(kernels.back()->phases.size());
    const auto image = build_image({write_c(kernels, entries, target), write_c_module(phases, target)}, target, find_c_toolchain(target), {});
    for (const Workload& w : workloads) {
      const CheckResult r = check_workload(w, image, {.seed = 3, .points = 100000});
      EXPECT_LE(r.max_error, 1e-5) << name << ": " << print(w.schedule);
      EXPECT_GT(r.compared, 0);
    }
  }
}

TEST(NewOperator, NearestCode) { expect_right(kNearestCode); }
TEST(NewOperator, Correlation) { expect_right(kCorrelation); }

}  // namespace
}  // namespace tlm::codegen
