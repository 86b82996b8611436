// Writers in processes of their own, some of which are killed.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <functional>
#include <map>

#include "samples.h"
#include "tlm/codegen/build/temp_folder.h"
#include "tlm/space/records/record_store.h"

namespace tlm::space::test {
namespace {

// Runs `work` in a child process, which ends by itself or is killed.
pid_t in_child(const std::function<void()>& work) {
  const pid_t pid = fork();
  if (pid != 0) return pid;
  int code = 0;
  try {
    work();
  } catch (...) {
    code = 1;
  }
  _exit(code);
}

int wait_for(pid_t pid) {
  int status = 0;
  waitpid(pid, &status, 0);
  return status;
}

std::map<std::string, int> records_by_batch(const std::filesystem::path& file) {
  std::map<std::string, int> count;
  RecordStore(file, StoreAccess::kRead).for_each([&](const Record& r) { ++count[r.batch]; });
  return count;
}

TEST(SeveralWriters, AllOfBothIsThere) {
  const codegen::TempFolder folder;
  const auto file = folder.path() / "r.db";
  std::vector<pid_t> children;
  for (const char* name : {"x", "y"})
    children.push_back(in_child([&, name] {
      RecordStore store(file);  // both may create it
      for (int b = 0; b < 30; ++b) store.append(made_up_records(name + std::to_string(b), 4));
    }));
  for (const pid_t pid : children) EXPECT_EQ(wait_for(pid), 0);
  const auto count = records_by_batch(file);
  EXPECT_EQ(count.size(), 60u);
  for (const auto& [batch, n] : count) EXPECT_EQ(n, 4) << batch;
}

TEST(SeveralWriters, KilledInTheMiddleOfABatchLosesThatBatchOnly) {
  const codegen::TempFolder folder;
  const auto file = folder.path() / "r.db";
  const pid_t pid = in_child([&] {
    RecordStore store(file);
    store.append(made_up_records("whole", 4));
    const auto records = made_up_records("half", 2000);
    size_t i = 0;
    store.append_all([&](Record& r) {
      if (i == 1500) kill(getpid(), SIGKILL);
      r = records[i++];
      return true;
    });
  });
  const int status = wait_for(pid);
  ASSERT_TRUE(WIFSIGNALED(status));
  EXPECT_EQ(WTERMSIG(status), SIGKILL);
  EXPECT_EQ(records_by_batch(file), (std::map<std::string, int>{{"whole", 4}}));
  RecordStore(file).append(made_up_records("after", 2));
  EXPECT_EQ(records_by_batch(file), (std::map<std::string, int>{{"whole", 4}, {"after", 2}}));
}

TEST(SeveralWriters, KilledAtAnyMomentLeavesWholeBatches) {
  const codegen::TempFolder folder;
  const auto file = folder.path() / "r.db";
  for (int round = 0; round < 8; ++round) {
    const pid_t pid = in_child([&] {
      RecordStore store(file);
      for (int b = 0;; ++b) store.append(made_up_records(std::to_string(round) + "." + std::to_string(b), 8));
    });
    usleep(static_cast<useconds_t>(15000 + 7000 * round));
    kill(pid, SIGKILL);
    wait_for(pid);
  }
  RecordStore(file).append(made_up_records("last", 8));
  for (const auto& [batch, n] : records_by_batch(file)) EXPECT_EQ(n, 8) << batch;
}

}  // namespace
}  // namespace tlm::space::test
