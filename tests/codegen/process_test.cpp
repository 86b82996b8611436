#include "tlm/codegen/build/process.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <thread>

#include "tlm/codegen/build/run_jobs.h"
#include "tlm/codegen/build/temp_folder.h"
#include "tlm/core/error.h"

namespace tlm::codegen {
namespace {

TEST(Process, PassesInputAndGathersOutput) {
  const std::string input(3 << 20, 'x');  // far larger than a pipe
  const ProcessResult r = run_process({"wc", "-c"}, input);
  EXPECT_EQ(r.exit_code, 0);
  EXPECT_EQ(std::stol(r.output), static_cast<long>(input.size()));
}

TEST(Process, ReportsExitCodesAndSignals) {
  EXPECT_EQ(run_process({"false"}, "").exit_code, 1);
  EXPECT_EQ(run_process({"sh", "-c", "kill -9 $$"}, "").exit_code, 128 + 9);
}

TEST(Process, ArgumentsAreNotParsedByAShell) {
  EXPECT_EQ(run_process({"echo", "$(id)", "a b", ";", "`id`"}, "").output, "$(id) a b ; `id`\n");
}

TEST(Process, SurvivesAChildThatDoesNotRead) { EXPECT_EQ(run_process({"true"}, std::string(1 << 20, 'x')).exit_code, 0); }

TEST(Process, DeadlineKillsTheWholeGroup) {
  const auto begin = std::chrono::steady_clock::now();
  ProcessOptions options;
  options.deadline_s = 0.2;
  const ProcessResult r = run_process({"sh", "-c", "sleep 30 & sleep 30"}, "", options);
  EXPECT_TRUE(r.timed_out);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(10));
}

TEST(Process, CancelStops) {
  ProcessOptions options;
  std::thread later([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    options.cancel.cancel();
  });
  const ProcessResult r = run_process({"sleep", "30"}, "", options);
  later.join();
  EXPECT_TRUE(r.cancelled);
}

TEST(Process, GraceLetsTheChildCleanUp) {
  ProcessOptions options;
  options.deadline_s = 0.3;
  options.grace_s = 20;
  ProcessResult r = run_process({"sh", "-c", "trap 'echo cleaned; exit 7' TERM; while :; do sleep 0.05; done"}, "", options);
  EXPECT_TRUE(r.timed_out);
  EXPECT_NE(r.output.find("cleaned"), std::string::npos);
  EXPECT_EQ(r.exit_code, 7);
  options.grace_s = 0.3;  // a child that does not listen is killed
  r = run_process({"sh", "-c", "trap '' TERM; while :; do sleep 0.05; done"}, "", options);
  EXPECT_EQ(r.exit_code, 128 + 9);
}

TEST(Process, EnvironmentIsAddedAndReplaced) {
  ProcessOptions options;
  options.environment = {"TLM_TEST_ADDED=a b", "HOME=/elsewhere"};
  EXPECT_EQ(run_process({"sh", "-c", "echo $TLM_TEST_ADDED $HOME"}, "", options).output, "a b /elsewhere\n");
  EXPECT_NE(run_process({"sh", "-c", "echo $PATH"}, "", options).output, "\n");
}

TEST(Process, MissingProgramIsAnEnvironmentError) {
  try {
    run_process({"tlm-no-such-program"}, "");
    FAIL();
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), ErrorCode::kEnvironment);
    EXPECT_NE(std::string(e.what()).find("tlm-no-such-program"), std::string::npos);
  }
  EXPECT_EQ(find_program("tlm-no-such-program"), "");
  EXPECT_NE(find_program("sh"), "");
}

TEST(RunJobs, RunsEachOnceOnAnyNumberOfThreads) {
  for (const int threads : {1, 2, 5}) {
    std::vector<std::atomic<int>> count(100);
    run_jobs(threads, 100, [&](int i) { ++count[static_cast<size_t>(i)]; });
    for (const auto& c : count) EXPECT_EQ(c, 1);
  }
}

TEST(RunJobs, FirstExceptionStopsTheRest) {
  std::atomic<int> started = 0;
  EXPECT_THROW(run_jobs(1, 100,
                        [&](int i) {
                          ++started;
                          if (i == 3) throw Error(ErrorCode::kUsage, "three");
                        }),
               Error);
  EXPECT_EQ(started, 4);
}

TEST(TempFolder, GoesWithAllItHolds) {
  std::filesystem::path path;
  {
    const TempFolder folder;
    path = folder.path();
    std::filesystem::create_directory(path / "inner");
    EXPECT_EQ(std::filesystem::status(path).permissions(), std::filesystem::perms::owner_all);
  }
  EXPECT_FALSE(std::filesystem::exists(path));
}

}  // namespace
}  // namespace tlm::codegen
