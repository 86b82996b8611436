// The reference in the repository: whole, and of today's space and code.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>

#include "tlm/codegen/emitter_version.h"
#include "tlm/core/target.h"
#include "tlm/space/records/packed_records.h"
#include "tlm/space/version.h"
#include "tlm/tools/eval/eval_workload.h"
#include "tlm/tools/eval/reference/reference_file.h"

namespace tlm::eval::test {
namespace {

constexpr int kTrials = 1000;

std::filesystem::path data() { return std::filesystem::path(TLM_SOURCE_DIR) / "lm/data"; }

// The reference names its machine by a hash; records measured on that machine say what it is.
std::map<uint64_t, Target> machines() {
  std::map<uint64_t, Target> out;
  space::read_record_file(data() / "dev.records.xz", [&](const space::Record& r) {
    if (!out.contains(r.target_hash)) out.emplace(r.target_hash, parse_target_json(r.target, "record"));
  });
  return out;
}

// Fewer trials than asked for: the space has no more schedules (the constructive one is measured in every batch and is no trial).
bool exhausted(const space::Space& space, int trials) {
  return std::lround(std::pow(10, space.log10_size(2 * kTrials))) <= trials + 1;
}

void expect_replays(const space::Space& space, const space::Schedule& s) {
  const Result<space::Walk> walk = space.replay(s);
  ASSERT_TRUE(walk.ok()) << walk.reason();
  EXPECT_EQ(print(walk->schedule()), print(s));
}

TEST(ShippedReference, CoversTheTestListInTodaysSpace) {
  const std::vector<EvalWorkload> list = read_workloads(data() / "test_workloads.jsonl");
  const std::vector<Reference> references = read_references(data() / "reference.jsonl");
  const std::map<uint64_t, Target> known = machines();
  EXPECT_EQ(references.size(), list.size());
  for (const EvalWorkload& w : list) {
    SCOPED_TRACE(w.name);
    const auto is_of = [&](const Reference& r) { return r.workload == w.hash && r.cores == w.cores; };
    ASSERT_EQ(std::count_if(references.begin(), references.end(), is_of), 1);
    const Reference& r = *std::find_if(references.begin(), references.end(), is_of);
    EXPECT_EQ(r.name, w.name);
    EXPECT_EQ(r.space_version, space::kSpaceVersion);
    EXPECT_EQ(r.emitter_version, codegen::kEmitterVersion);
    ASSERT_TRUE(known.contains(r.target));
    const Target& machine = known.at(r.target);
    EXPECT_EQ(machine.cores, w.cores);
    const std::shared_ptr<const space::Space> space = space_of(w, machine);
    EXPECT_TRUE(r.trials >= kTrials || exhausted(*space, r.trials)) << r.trials;
    EXPECT_GT(r.seconds, 0);
    EXPECT_FALSE(r.curve.empty());
    EXPECT_EQ(r.top.size(), 3u);
    ASSERT_EQ(r.after.size(), 3u);
    for (const ReferenceSchedule& s : r.top) expect_replays(*space, s.schedule);
    for (const ReferencePrefix& p : r.after) expect_replays(*space, p.best.schedule);
    EXPECT_EQ(r.after.back().trials, kTrials);
    EXPECT_EQ(r.after.back().best.schedule, r.top[0].schedule);
  }
}

}  // namespace
}  // namespace tlm::eval::test
