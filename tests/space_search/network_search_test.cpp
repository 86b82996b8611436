// The search of a network with measurements that are known in advance: budgets, records, resuming, interrupts.
#include "tlm/space/search/network_search.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <set>

#include "synthetic_latency.h"
#include "tests/space/workloads.h"
#include "tlm/codegen/build/temp_folder.h"
#include "tlm/core/hash.h"

namespace tlm::space::test {
namespace {

// Looks latencies up and keeps book.
class FakeMeasurer : public Measurer {
 public:
  Batch measure(const Space& space, const std::vector<Schedule>& schedules, const CancelToken& cancel) override {
    cancel.check();
    if (batches_ == interrupt_at) cancel.cancel();
    cancel.check();
    ++batches_;
    const SyntheticLatency latency(space);
    const uint64_t workload = ir::workload_hash(space.subgraph());
    Batch b;
    b.id = "batch " + std::to_string(batches_) + " of " + std::to_string(reinterpret_cast<uintptr_t>(this));
    b.anchor_schedule = space.constructive().schedule();
    b.anchor = timed(latency.ms(b.anchor_schedule), 1);
    for (const Schedule& s : schedules) {
      EXPECT_TRUE(space.replay(s).ok());
      ++times[{workload, hash(s)}];
      log_ratios += std::log2(latency.ratio(s));
      b.programs.push_back(timed(latency.ms(s), latency.ratio(s)));
      Measurement& m = b.programs.back();
      if (hash(s) % 16 == 3) m = Measurement{MeasureStatus::kCrashed, "signal 11", {}, 0, 0, 0};
      if (m.ratio > 0 && m.ratio < 1 / 3.0) m.status = MeasureStatus::kSlow;
    }
    b.date = "2025-01-31T12:00:00Z";
    b.emitter_version = 1;
    return b;
  }

  int batches() const { return batches_; }
  std::map<std::pair<uint64_t, uint64_t>, int> times;  // by workload and schedule
  int interrupt_at = -1;                               // before this batch
  double log_ratios = 0;                               // sum of log2, over all programs

 private:
  static Measurement timed(double ms, double ratio) {
    Measurement m;
    m.status = MeasureStatus::kOk;
    m.samples_ms = {ms, ms, ms};
    m.median_ms = ms;
    m.ratio = ratio;
    return m;
  }
  int batches_ = 0;
};

std::vector<SearchWorkload> network() {
  Target t = named_target("x86-64-v3");
  t.cores = 2;
  std::vector<SearchWorkload> out;
  out.push_back({Space::build(convolution(28, 64, 64, 3, 1), t), 4, "conv"});
  out.push_back({Space::build(matmul(197, 768, 768), t), 2, "matmul"});
  out.push_back({Space::build(softmax(96, 197), t), 1, "softmax"});
  return out;
}

SearchOptions options_with(int trials) {
  SearchOptions o;
  o.trials = trials;
  o.confirmed = 0;
  return o;
}

std::vector<Schedule> chosen(const SearchResult& r) {
  std::vector<Schedule> out;
  for (const SearchOutcome& o : r.workloads) out.push_back(o.schedule);
  return out;
}

TEST(NetworkSearch, SpendsItsTrialsAndFindsFasterSchedules) {
  FakeMeasurer measurer;
  const SearchResult r = search_network(network(), measurer, nullptr, options_with(40));
  ASSERT_EQ(r.workloads.size(), 3u);
  for (const SearchOutcome& o : r.workloads) {
    EXPECT_EQ(o.trials, 40);
    EXPECT_EQ(o.measured, 40);
    EXPECT_GT(o.ratio, 1);
  }
  EXPECT_EQ(r.measured, 120);
  EXPECT_LT(r.network_ms, 0.8 * r.anchor_ms);
  EXPECT_EQ(measurer.times.size(), 120u);
}

TEST(NetworkSearch, SameSeedSameSchedules) {
  FakeMeasurer a, b, c;
  EXPECT_EQ(chosen(search_network(network(), a, nullptr, options_with(32))),
            chosen(search_network(network(), b, nullptr, options_with(32))));
  EXPECT_EQ(a.times, b.times);
  SearchOptions other = options_with(32);
  other.seed = 1;
  search_network(network(), c, nullptr, other);
  EXPECT_NE(a.times, c.times);
}

// Each schedule is measured at most once, but for the best known, which accompanies each batch of its workload.
void expect_measured_once(const std::vector<const FakeMeasurer*>& measurers, int batches) {
  std::map<std::pair<uint64_t, uint64_t>, int> all;
  for (const FakeMeasurer* m : measurers) {
    for (const auto& [key, times] : m->times) all[key] += times;
  }
  int again = 0;
  for (const auto& [key, times] : all) again += times - 1;
  EXPECT_LE(again, batches) << "one more in each batch";
}

TEST(NetworkSearch, RecordsAreTrials) {
  const codegen::TempFolder folder;
  RecordStore store(folder.path() / "r.db");
  FakeMeasurer first, second, third, fourth;
  const SearchResult r = search_network(network(), first, &store, options_with(24));
  const int64_t records = store.size();
  EXPECT_GE(records, 72);

  const SearchResult same = search_network(network(), second, &store, options_with(24));
  EXPECT_EQ(second.batches(), 0) << "all is known";
  EXPECT_EQ(same.measured, 0);
  EXPECT_EQ(chosen(same), chosen(r));
  EXPECT_EQ(same.workloads[0].trials, 24);
  EXPECT_DOUBLE_EQ(same.workloads[0].ratio, r.workloads[0].ratio);
  EXPECT_DOUBLE_EQ(same.network_ms, r.network_ms);
  EXPECT_EQ(store.size(), records);

  const SearchResult more = search_network(network(), third, &store, options_with(40));
  EXPECT_EQ(more.measured, 48);
  for (const SearchOutcome& o : more.workloads) EXPECT_EQ(o.trials, 40);
  EXPECT_LE(more.network_ms, r.network_ms);
  expect_measured_once({&first, &third}, first.batches() + third.batches());

  // A network that shares a workload begins with what is known of it.
  const SearchResult neighbour = search_network({network()[0]}, fourth, &store, options_with(40));
  EXPECT_EQ(fourth.batches(), 0);
  EXPECT_EQ(neighbour.workloads[0].schedule, more.workloads[0].schedule);
  // The same workload on another machine is another one.
  Target t = named_target("x86-64-v4");
  const SearchResult elsewhere =
      search_network({{Space::build(convolution(28, 64, 64, 3, 1), t), 1, "conv"}}, fourth, &store, options_with(8));
  EXPECT_EQ(elsewhere.measured, 8);
}

// The programs of the first batch of a workload are better for what is known of another one.
TEST(NetworkSearch, OtherWorkloadsTeach) {
  Target t = named_target("x86-64-v3");
  t.cores = 2;
  const SearchWorkload unknown = {Space::build(convolution(14, 128, 128, 3, 1), t), 1, "unknown"};
  double with = 0, without = 0;
  for (uint64_t seed = 0; seed < 3; ++seed) {
    const codegen::TempFolder folder;
    RecordStore store(folder.path() / "r.db");
    FakeMeasurer a, b, c;
    SearchOptions o = options_with(128);
    o.seed = seed;
    search_network({network()[0]}, a, &store, o);
    o.trials = 16;
    search_network({unknown}, b, &store, o);
    search_network({unknown}, c, nullptr, o);
    with += b.log_ratios / 16 / 3;
    without += c.log_ratios / 16 / 3;
  }
  std::printf("log2 of the speed in the first batch: %.2f with records of another workload, %.2f without\n", with, without);
  EXPECT_GT(with, without + 0.2);
}

TEST(NetworkSearch, AnInterruptLosesNoBatchThatWasMeasured) {
  const codegen::TempFolder folder;
  RecordStore store(folder.path() / "r.db");
  std::vector<FakeMeasurer> measurers(6);
  std::vector<const FakeMeasurer*> all;
  int batches = 0;
  for (size_t run = 0; run < measurers.size(); ++run) {
    FakeMeasurer& m = measurers[run];
    all.push_back(&m);
    if (run + 1 < measurers.size()) m.interrupt_at = 1;
    try {
      const SearchResult r = search_network(network(), m, &store, options_with(40));
      EXPECT_EQ(run + 1, measurers.size());
      for (const SearchOutcome& o : r.workloads) EXPECT_EQ(o.trials, 40);
    } catch (const Error& e) {
      EXPECT_EQ(e.code(), ErrorCode::kInterrupted);
      EXPECT_EQ(m.batches(), 1);
    }
    batches += m.batches();
    std::set<std::string> recorded;
    store.for_each([&](const Record& r) { recorded.insert(r.batch); });
    EXPECT_EQ(static_cast<int>(recorded.size()), batches);
  }
  expect_measured_once(all, batches);
}

TEST(NetworkSearch, TheFastestAreConfirmed) {
  FakeMeasurer measurer;
  SearchOptions o = options_with(20);
  o.confirmed = 3;
  const SearchResult r = search_network({network()[0]}, measurer, nullptr, o);
  EXPECT_EQ(r.workloads[0].trials, 20);
  EXPECT_EQ(measurer.batches(), 3) << "16, 4, and the fastest three again";
  int again = 0;
  for (const auto& [key, times] : measurer.times) again += times > 1;
  EXPECT_GE(again, 3);
}

TEST(NetworkSearch, ASpaceThatIsExhausted) {
  Target t = named_target("x86-64-v3");
  FakeMeasurer measurer;
  const auto space = Space::build(elementwise(2, 5), t);
  const SearchResult r = search_network({{space, 1, "small"}, {network()[2]}}, measurer, nullptr, options_with(200));
  EXPECT_LT(r.workloads[0].trials, 200);
  EXPECT_GT(r.workloads[1].trials, r.workloads[0].trials);
}

}  // namespace
}  // namespace tlm::space::test
