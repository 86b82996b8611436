// Candidates that crash, hang, compute nonsense or are no C.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <fstream>
#include <thread>

#include "plant.h"
#include "tlm/core/error.h"

namespace tlm::codegen::test {
namespace {

using space::MeasureStatus;

struct Case {
  const char* planted;
  MeasureStatus status;
  const char* reason;
};

class Faults : public testing::TestWithParam<Case> {};

TEST_P(Faults, HitTheirProgramAlone) {
  const auto space = small_space();
  const auto schedules = some_schedules(*space, 4);
  std::string log;
  MeasureOptions options = quick_options({{print(schedules[2]), GetParam().planted}}, &log);
  if (GetParam().status == MeasureStatus::kTimedOut) options.deadline_s = 2;
  const space::Batch batch = make_measurer(options)->measure(*space, schedules, {});
  EXPECT_EQ(batch.programs[2].status, GetParam().status);
  EXPECT_NE(batch.programs[2].reason.find(GetParam().reason), std::string::npos) << batch.programs[2].reason;
  EXPECT_TRUE(batch.programs[2].samples_ms.empty());
  EXPECT_EQ(batch.programs[2].ratio, 0);
  for (const int i : {0, 1, 3}) EXPECT_EQ(batch.programs[static_cast<size_t>(i)].status, MeasureStatus::kOk);
  EXPECT_EQ(batch.anchor.status, MeasureStatus::kOk);
  EXPECT_NE(log.find(print(schedules[2])), std::string::npos) << log;
  EXPECT_FALSE(has_children());
}

INSTANTIATE_TEST_SUITE_P(
    All, Faults,
    testing::Values(Case{kTrap, MeasureStatus::kCrashed, "signal"}, Case{kWildStore, MeasureStatus::kCrashed, "signal 11"},
                    Case{"((float*)args->buffers[0])[0] = 1;", MeasureStatus::kCrashed, "signal 11"},  // an input
                    Case{kHang, MeasureStatus::kTimedOut, "no answer"}, Case{kNothing, MeasureStatus::kWrong, "instead of"},
                    Case{kNoC, MeasureStatus::kFailed, "rejected"}));

TEST(FaultyAnchor, OthersAreMeasured) {
  const auto space = small_space();
  const auto schedules = some_schedules(*space, 2);
  const space::Batch batch =
      make_measurer(quick_options({{print(space->constructive().schedule()), kTrap}, {print(schedules[1]), kNothing}}))
          ->measure(*space, schedules, {});
  EXPECT_EQ(batch.anchor.status, MeasureStatus::kCrashed);
  EXPECT_EQ(batch.programs[0].status, MeasureStatus::kOk);
  EXPECT_GT(batch.programs[0].median_ms, 0);
  EXPECT_EQ(batch.programs[0].ratio, 0);
  EXPECT_EQ(batch.programs[1].status, MeasureStatus::kWrong);  // the interpreter sees it without the anchor
}

TEST(FaultyBatch, AllOfThem) {
  const auto space = small_space();
  const auto schedules = some_schedules(*space, 3);
  Planted planted;
  for (const auto& s : schedules) planted[print(s)] = kTrap;
  const space::Batch batch = make_measurer(quick_options(planted))->measure(*space, schedules, {});
  for (const space::Measurement& m : batch.programs) EXPECT_EQ(m.status, MeasureStatus::kCrashed);
  EXPECT_EQ(batch.anchor.status, MeasureStatus::kOk);
}

TEST(CancelledBatch, EndsAtOnceAndLeavesNoChild) {
  const auto space = small_space();
  const auto schedules = some_schedules(*space, 1);
  MeasureOptions options = quick_options({{print(schedules[0]), kHang}});
  options.deadline_s = 500;
  const CancelToken cancel;
  std::thread later([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(1500));
    cancel.cancel();
  });
  try {
    make_measurer(options)->measure(*space, schedules, cancel);
    ADD_FAILURE() << "came back";
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), ErrorCode::kInterrupted) << e.what();
  }
  later.join();
  EXPECT_FALSE(has_children());
}

// The first process whose parent is `pid`; 0: none.
pid_t child_of(pid_t pid) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/task/" + std::to_string(pid) + "/children");
  pid_t child = 0;
  file >> child;
  return child;
}

bool runs(pid_t pid) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/stat");
  std::string text;
  std::getline(file, text);
  return !text.empty() && text.find(") Z") == std::string::npos;
}

TEST(KilledMeasurer, ItsWorkerEndsToo) {
  const auto space = small_space();
  const auto schedules = some_schedules(*space, 1);
  MeasureOptions options = quick_options({{print(schedules[0]), kHang}});
  options.deadline_s = 500;
  int reached[2];
  ASSERT_EQ(pipe(reached), 0);
  // The probe comes right before the worker.
  options.probe = [&] {
    const char byte = 1;
    EXPECT_EQ(write(reached[1], &byte, 1), 1);
    return space::Probe{};
  };
  const pid_t parent = fork();
  if (parent == 0) {
    try {
      make_measurer(options)->measure(*space, schedules, {});
    } catch (...) {
    }
    _exit(0);
  }
  char byte = 0;
  ASSERT_EQ(read(reached[0], &byte, 1), 1);
  pid_t worker = 0;
  for (int i = 0; i < 1000 && (worker = child_of(parent)) == 0; ++i) usleep(10000);
  ASSERT_NE(worker, 0);
  kill(parent, SIGKILL);
  int status = 0;
  waitpid(parent, &status, 0);
  for (int i = 0; i < 1000 && runs(worker); ++i) usleep(10000);
  EXPECT_FALSE(runs(worker));
  close(reached[0]);
  close(reached[1]);
}

}  // namespace
}  // namespace tlm::codegen::test
