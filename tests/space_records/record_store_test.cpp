#include "tlm/space/records/record_store.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>

#include "samples.h"
#include "tlm/codegen/build/process.h"
#include "tlm/codegen/build/temp_folder.h"
#include "tlm/core/error.h"
#include "tlm/core/file.h"
#include "tlm/core/hash.h"

namespace tlm::space::test {
namespace {

class RecordStoreTest : public testing::Test {
 protected:
  std::filesystem::path file(const std::string& name = "r.db") const { return folder_.path() / name; }
  static std::vector<std::string> texts(const RecordStore& store) {
    std::vector<std::string> all;
    store.for_each([&](const Record& r) { all.push_back(text_of(r)); });
    return all;
  }
  void refuses(const std::filesystem::path& path, StoreAccess access, ErrorCode code, const std::string& message) {
    try {
      RecordStore(path, access).append(made_up_records("b", 1));
      ADD_FAILURE() << "accepted: " << path;
    } catch (const Error& e) {
      EXPECT_EQ(e.code(), code) << e.what();
      EXPECT_NE(e.message().find(message), std::string::npos) << e.what();
      EXPECT_EQ(e.where(), path.string());
    }
  }
  codegen::TempFolder folder_;
};

TEST_F(RecordStoreTest, KeepsEveryField) {
  const std::vector<Record> records = made_up_records("b", 3);
  EXPECT_EQ(RecordStore(file()).append(records), 3);
  const RecordStore store(file(), StoreAccess::kRead);
  const auto back = texts(store);
  ASSERT_EQ(back.size(), 3u);
  for (size_t i = 0; i < 3; ++i) EXPECT_EQ(back[i], text_of(records[i]));
}

TEST_F(RecordStoreTest, TheSameBatchTwiceIsThereOnce) {
  RecordStore store(file());
  EXPECT_EQ(store.append(made_up_records("b", 3)), 3);
  EXPECT_EQ(store.append(made_up_records("b", 4)), 1);
  EXPECT_EQ(store.append(made_up_records("c", 3)), 3);
  EXPECT_EQ(store.size(), 7);
}

TEST_F(RecordStoreTest, AnExceptionLeavesNothingBehind) {
  RecordStore store(file());
  store.append(made_up_records("a", 1));
  const auto records = made_up_records("b", 5);
  size_t i = 0;
  EXPECT_THROW(store.append_all([&](Record& r) -> bool {
    if (i == 4) throw Error(ErrorCode::kBadModel, "line 5");
    r = records[i++];
    return true;
  }),
               Error);
  EXPECT_EQ(store.size(), 1);
  EXPECT_EQ(store.append(records), 5);
}

TEST_F(RecordStoreTest, BestRanksByTheMedianOfTheNewestEmitter) {
  RecordStore store(file());
  const uint64_t workload = made_up_records("x", 1).at(0).workload_hash, target = made_up_records("x", 1).at(0).target_hash;
  store.append(made_up_records("a", 3));  // ratios 1, 2, 3
  auto next = made_up_records("b", 3);
  next[2].ratio = 0.5;  // median of 3 and 0.5
  store.append(next);
  auto best = store.best(workload, target, 10);
  ASSERT_EQ(best.size(), 3u);
  EXPECT_EQ(best[0].record.schedule, "micro.s0=made-up1");
  EXPECT_DOUBLE_EQ(best[0].ratio, 2);
  EXPECT_DOUBLE_EQ(best[1].ratio, 1.75);
  EXPECT_EQ(best[1].batches, 2);
  EXPECT_DOUBLE_EQ(best[2].ratio, 1);
  EXPECT_EQ(store.best(workload, target, 1).size(), 1u);
  EXPECT_TRUE(store.best(workload, target + 1, 10).empty());

  auto newer = made_up_records("c", 1, 8, 4);
  newer[0].ratio = 7;  // made-up0 by a newer emitter: older batches no longer count
  store.append(newer);
  best = store.best(workload, target, 10);
  EXPECT_EQ(best[0].record.schedule, "micro.s0=made-up0");
  EXPECT_DOUBLE_EQ(best[0].ratio, 7);
  EXPECT_EQ(best[0].batches, 1);

  newer = made_up_records("d", 1, 8, 5);
  newer[0].status = MeasureStatus::kCrashed;  // what was good once is no longer
  store.append(newer);
  EXPECT_EQ(store.best(workload, target, 10).at(0).record.schedule, "micro.s0=made-up1");
}

TEST_F(RecordStoreTest, BestPassesOverFailuresAndCopies) {
  RecordStore store(file());
  auto records = made_up_records("a", 4);
  records[3].status = MeasureStatus::kSlow;
  records[2].status = MeasureStatus::kCrashed;
  records[1].source_hash = records[0].source_hash;
  store.append(records);
  const auto best = store.best(records[0].workload_hash, records[0].target_hash, 10);
  ASSERT_EQ(best.size(), 1u);
  EXPECT_EQ(best[0].record.schedule, records[1].schedule);
}

TEST_F(RecordStoreTest, Workloads) {
  RecordStore store(file());
  store.append(made_up_records("a", 3, 8));
  auto failed = made_up_records("b", 2, 9);
  for (Record& r : failed) r.status = MeasureStatus::kCrashed, r.median_ms = r.ratio = 0;
  store.append(failed);
  const auto list = store.workloads();
  ASSERT_EQ(list.size(), 2u);
  EXPECT_EQ(list[0].name, "matmul");
  EXPECT_EQ(list[0].target_name, "x86-64, 256-bit, 1 core");
  EXPECT_EQ(list[0].records, 3);
  EXPECT_EQ(list[0].schedules, 3);
  EXPECT_DOUBLE_EQ(list[0].best_ratio, 3);
  EXPECT_DOUBLE_EQ(list[0].best_ms, 1.0 / 3);
  EXPECT_EQ(list[1].records, 2);
  EXPECT_EQ(list[1].schedules, 0);
  EXPECT_DOUBLE_EQ(list[1].best_ratio, 0);
  EXPECT_EQ(store.of_workload(list[1].workload_hash).size(), 2u);
}

TEST_F(RecordStoreTest, BadFiles) {
  write_file_atomic(file("text"), std::string(4096, 'x'));
  refuses(file("text"), StoreAccess::kRead, ErrorCode::kBadModel, "not a record file");
  refuses(file("text"), StoreAccess::kWrite, ErrorCode::kBadModel, "not a record file");
  write_file_atomic(file("empty"), "");
  refuses(file("empty"), StoreAccess::kRead, ErrorCode::kBadModel, "not a record file");
  refuses(file("none"), StoreAccess::kRead, ErrorCode::kEnvironment, "no such file");
  refuses(folder_.path(), StoreAccess::kWrite, ErrorCode::kEnvironment, "not a regular file");
  refuses(folder_.path() / "no" / "folder", StoreAccess::kWrite, ErrorCode::kEnvironment, "cannot open");

  RecordStore(file("damaged")).append(made_up_records("b", 50));
  std::string bytes = read_file(file("damaged"));
  ASSERT_GT(bytes.size(), 20000u);
  std::fill(bytes.begin() + 100, bytes.begin() + 16000, '\x5a');
  write_file_atomic(file("damaged"), bytes);
  refuses(file("damaged"), StoreAccess::kWrite, ErrorCode::kBadModel, "damaged");
}

TEST_F(RecordStoreTest, OtherDatabasesAndNewerVersions) {
  // The header of an SQLite file holds user_version at byte 60 and application_id at byte 68, big-endian.
  RecordStore(file()).append(made_up_records("b", 1));
  const std::string good = read_file(file());
  std::string newer = good, other = good;
  newer[63] = 2;
  other[68] = 0;
  write_file_atomic(file("newer"), newer);
  write_file_atomic(file("other"), other);
  refuses(file("newer"), StoreAccess::kWrite, ErrorCode::kBadModel, "has version 2; this tlm reads up to 1");
  refuses(file("newer"), StoreAccess::kRead, ErrorCode::kBadModel, "has version 2");
  refuses(file("other"), StoreAccess::kWrite, ErrorCode::kBadModel, "another SQLite database");
}

TEST_F(RecordStoreTest, ReadOnly) {
  RecordStore(file()).append(made_up_records("b", 1));
  EXPECT_THROW(RecordStore(file(), StoreAccess::kRead).append(made_up_records("c", 1)), Error);
  if (geteuid() == 0) GTEST_SKIP() << "root may write everywhere";
  ::chmod(file().c_str(), 0400);
  refuses(file(), StoreAccess::kWrite, ErrorCode::kEnvironment, "read-only");
  ::chmod(folder_.path().c_str(), 0500);
  EXPECT_EQ(RecordStore(file(), StoreAccess::kRead).size(), 1);
  ::chmod(folder_.path().c_str(), 0700);
}

TEST_F(RecordStoreTest, NoSpace) {
  RecordStore store(file());
  store.append(made_up_records("a", 1));
  rlimit old{};
  getrlimit(RLIMIT_FSIZE, &old);
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  const rlimit small{100000, old.rlim_max};
  setrlimit(RLIMIT_FSIZE, &small);
  try {
    store.append(made_up_records("big", 5000));
    ADD_FAILURE() << "written beyond the limit";
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), ErrorCode::kEnvironment) << e.what();
  }
  setrlimit(RLIMIT_FSIZE, &old);
  std::signal(SIGXFSZ, handler);
  EXPECT_EQ(store.size(), 1);
  EXPECT_EQ(store.append(made_up_records("big", 50)), 50);
}

}  // namespace
}  // namespace tlm::space::test
