#include "tlm/tools/collect/collector.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <set>

#include "tlm/core/error.h"
#include "tlm/core/hash.h"
#include "tlm/space/records/record_json.h"
#include "tlm/space/search/top_k.h"

namespace tlm::collect {
namespace {

using space::Record;
using space::Schedule;

// Latencies that follow from the schedule alone.
class FakeMeasurer : public space::Measurer {
 public:
  // Gives up in the `stop`th batch.
  explicit FakeMeasurer(int stop = 1 << 20) : stop_(stop) {}

  space::Batch measure(const space::Space& space, const std::vector<Schedule>& schedules, const CancelToken&) override {
    if (++batches_ >= stop_) throw Error(ErrorCode::kInterrupted, "stopped");
    space::Batch b;
    b.anchor_schedule = space.constructive().schedule();
    b.anchor = result(b.anchor_schedule);
    Hasher id;
    id.number(static_cast<int64_t>(ir::workload_hash(space.subgraph()))).text(space.target().name);
    for (const Schedule& s : schedules) {
      b.programs.push_back(result(s));
      id.number(static_cast<int64_t>(hash(s)));
    }
    b.id = to_hex(id.value());
    b.threads = space.target().cores;
    b.date = "2025-01-31T12:00:00Z";
    return b;
  }
  int batches() const { return batches_; }

 private:
  static space::Measurement result(const Schedule& s) {
    space::Measurement m;
    m.status = space::MeasureStatus::kOk;
    m.median_ms = 1 + static_cast<double>(hash(s) % 1000) / 1000;
    m.ratio = 1.5 / m.median_ms;
    m.samples_ms = {m.median_ms};
    m.source_hash = hash(s);
    return m;
  }
  int stop_, batches_ = 0;
};

// As a model would: the same draws for the same seed.
class FakeModel : public space::Scheduler {
 public:
  FakeModel(int schedules, std::vector<int>* calls) : schedules_(schedules), calls_(calls) {}
  std::string name() const override { return "lm fake"; }
  std::vector<std::vector<Schedule>> schedule(const std::vector<std::shared_ptr<const space::Space>>& spaces) override {
    calls_->push_back(static_cast<int>(spaces.size()));
    std::vector<std::vector<Schedule>> out;
    for (const auto& s : spaces) out.push_back(space::random_draws(s, schedules_, 99));
    return out;
  }

 private:
  int schedules_;
  std::vector<int>* calls_;
};

class CollectorTest : public testing::Test {
 protected:
  std::string fresh_file() {
    const std::string name = std::string(testing::UnitTest::GetInstance()->current_test_info()->name());
    const std::string file = testing::TempDir() + "/" + name + std::to_string(files_++) + ".db";
    for (const char* end : {"", "-wal", "-shm"}) std::filesystem::remove(file + end);
    return file;
  }
  static std::vector<PlanItem> small_plan() {
    return training_plan(3, 2, {}, chosen_variants(named_target("x86-64-v3"), {"native-1", "native-2", "sse2-1"}));
  }
  static CollectOptions options(const std::string& quotas) {
    CollectOptions o;
    o.quotas = parse_quotas(quotas);
    o.batch = 8;
    o.seed = 5;
    return o;
  }
  static std::vector<std::string> lines(const space::RecordStore& store) {
    std::vector<std::string> out;
    store.for_each([&](const Record& r) { out.push_back(space::record_line(r)); });
    return out;
  }
  int files_ = 0;
};

TEST_F(CollectorTest, MeasuresEachSourcesShareOnce) {
  space::RecordStore store(fresh_file());
  FakeMeasurer measurer;
  const std::vector<PlanItem> plan = small_plan();
  const CollectOptions o = options("random:10,constructive:5,search:16,confirm:3");
  const CollectResult first = collect(plan, measurer, store, o);
  EXPECT_TRUE(first.complete);
  EXPECT_EQ(first.items, static_cast<int>(plan.size()));
  EXPECT_EQ(first.measured, static_cast<int>(plan.size()) * (10 + 5 + 16 + 3));
  for (const PlanItem& item : plan) {
    std::map<std::string, int> by_origin;
    std::set<uint64_t> seen;
    for (const Record& r : store.of_workload(ir::workload_hash(*item.subgraph), space::target_hash(item.variant.target))) {
      const bool fresh = seen.insert(r.schedule_hash).second;
      EXPECT_TRUE(fresh || (r.origin != "random" && r.origin != "search")) << r.schedule;
      by_origin[r.origin] += fresh || r.origin == "confirm";
    }
    EXPECT_EQ(by_origin["random"], 10);
    EXPECT_EQ(by_origin["constructive"], 5 + 1);  // and the constructive schedule itself
    EXPECT_EQ(by_origin["search"], 16);
    EXPECT_EQ(by_origin["confirm"], 3);
  }
  const int batches = measurer.batches();
  const CollectResult again = collect(plan, measurer, store, o);
  EXPECT_TRUE(again.complete);
  EXPECT_EQ(again.measured, 0);
  EXPECT_EQ(measurer.batches(), batches);
  const CollectOptions more = options("random:20,constructive:5,search:16,confirm:4");
  EXPECT_EQ(collect(plan, measurer, store, more).measured,
            static_cast<int>(plan.size()) * (10 + 4));  // the fastest may be others
  EXPECT_EQ(collect(plan, measurer, store, more).measured, 0);
}

TEST_F(CollectorTest, AStoppedCollectionGoesOnAsIfItHadNeverStopped) {
  const std::vector<PlanItem> plan = small_plan();
  const CollectOptions o = options("random:10,search:16,confirm:3");
  space::RecordStore whole(fresh_file());
  FakeMeasurer never;
  collect(plan, never, whole, o);
  const std::vector<std::string> expected = lines(whole);
  for (const int stop : {2, 3, 7}) {
    const std::string file = fresh_file();
    int stops = 0;
    for (bool complete = false; !complete;) {
      space::RecordStore store(file);
      FakeMeasurer measurer(stop);
      try {
        complete = collect(plan, measurer, store, o).complete;
      } catch (const Error& e) {
        ASSERT_EQ(e.code(), ErrorCode::kInterrupted);
        ++stops;
      }
    }
    EXPECT_GE(stops, 2);
    EXPECT_EQ(lines(space::RecordStore(file)), expected) << stop;
  }
}

TEST_F(CollectorTest, AModelsSchedulesAreMeasuredBesideTheFastest) {
  space::RecordStore store(fresh_file());
  FakeMeasurer measurer;
  const std::vector<PlanItem> plan = small_plan();
  collect(plan, measurer, store, options("random:12"));
  std::vector<int> calls;
  CollectOptions o = options("lm:8");
  o.model = [&](int schedules, uint64_t) { return std::make_unique<FakeModel>(schedules, &calls); };
  const CollectResult r = collect(plan, measurer, store, o);
  // All that it writes, but for what is known already.
  EXPECT_LE(r.measured, static_cast<int>(plan.size()) * 8);
  EXPECT_GE(r.measured, static_cast<int>(plan.size()) * 6);
  EXPECT_EQ(calls, (std::vector<int>{static_cast<int>(plan.size())}));  // decoded together
  std::map<std::string, int> company;                                   // by batch
  std::map<std::string, int> written;
  store.for_each([&](const Record& row) {
    company[row.batch] += row.origin == "company";
    written[row.batch] += row.origin == "lm fake";
  });
  int batches = 0;
  for (const auto& [batch, n] : written) {
    if (n == 0) continue;
    ++batches;
    EXPECT_GE(n, 6);
    EXPECT_GE(company[batch], 3);  // of the four one may be the constructive schedule, which is in each batch
    EXPECT_LE(company[batch], 4);
  }
  EXPECT_EQ(batches, static_cast<int>(plan.size()));
  EXPECT_EQ(collect(plan, measurer, store, o).measured, 0);
}

TEST_F(CollectorTest, LearnsFromTheWorkloadsBefore) {
  const std::vector<PlanItem> plan = training_plan(4, 2, {}, chosen_variants(named_target("x86-64-v3"), {"native-1"}));
  const std::vector<PlanItem> before(plan.begin(), plan.end() - 1), last = {plan.back()};
  const auto searched = [&](const std::vector<PlanItem>& items) {
    space::RecordStore store(fresh_file());
    FakeMeasurer measurer;
    collect(before, measurer, store, options("random:90"));
    collect(items, measurer, store, options("search:8"));
    std::string text;
    for (const Record& r : store.of_workload(ir::workload_hash(*last[0].subgraph), space::target_hash(last[0].variant.target)))
      text += r.schedule + "\n";
    return text;
  };
  EXPECT_NE(searched(plan), searched(last));
}

TEST_F(CollectorTest, KeepsToItsLimits) {
  const std::vector<PlanItem> plan = small_plan();
  {
    space::RecordStore store(fresh_file());
    FakeMeasurer measurer;
    CollectOptions o = options("random:10,constructive:20");
    o.programs = 14;
    EXPECT_EQ(collect(plan, measurer, store, o).measured, static_cast<int>(plan.size()) * 14);
  }
  {
    space::RecordStore store(fresh_file());
    FakeMeasurer measurer;
    CollectOptions o = options("random:10");
    o.seconds = 1e-9;
    const CollectResult r = collect(plan, measurer, store, o);
    EXPECT_FALSE(r.complete);
    EXPECT_EQ(r.measured, 0);
  }
  {
    space::RecordStore store(fresh_file());
    FakeMeasurer measurer;
    CollectOptions o = options("random:10");
    o.cancel.cancel();
    EXPECT_THROW(collect(plan, measurer, store, o), Error);
  }
}

TEST(Quotas, ReadBack) {
  const std::vector<Quota> q = parse_quotas("search:48,lm:24");
  ASSERT_EQ(q.size(), 2u);
  EXPECT_EQ(q[0].source, Source::kSearch);
  EXPECT_EQ(q[0].programs, 48);
  EXPECT_EQ(q[1].source, Source::kModel);
  for (const char* bad : {"", "search", "search:", "search:-1", "search:x", "greedy:3", "random:3,,", "random:12345678"}) {
    try {
      parse_quotas(bad);
      ADD_FAILURE() << bad;
    } catch (const Error& e) {
      EXPECT_EQ(e.code(), ErrorCode::kUsage) << bad;
    }
  }
}

}  // namespace
}  // namespace tlm::collect
