#include "tlm/codegen/measure/worker_process.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <csignal>
#include <stdexcept>
#include <vector>

#include "plant.h"
#include "tlm/core/error.h"

namespace tlm::codegen::test {
namespace {

struct Seen {
  WorkerExit exit;
  std::vector<WorkerMessage> messages;
};

Seen run(const std::function<void(const SendMessage&)>& work, double deadline_s = 20) {
  Seen seen;
  seen.exit = run_worker_process(work, [&](const WorkerMessage& m) { seen.messages.push_back(m); }, deadline_s, {});
  EXPECT_FALSE(has_children());
  return seen;
}

TEST(WorkerProcess, MessagesArriveInOrder) {
  const Seen seen = run([](const SendMessage& send) {
    for (int i = 0; i < 2000; ++i) send({WorkerEvent::kSample, i, i * 0.5});
  });
  EXPECT_TRUE(seen.exit.finished);
  EXPECT_EQ(seen.exit.exit_code, 0);
  ASSERT_EQ(seen.messages.size(), 2001u);
  for (int i = 0; i < 2000; ++i) EXPECT_EQ(seen.messages[static_cast<size_t>(i)].program, i);
  EXPECT_EQ(seen.messages.back().event, WorkerEvent::kEnd);
}

TEST(WorkerProcess, ASignalIsSeenAfterTheMessages) {
  const Seen seen = run([](const SendMessage& send) {
    send({WorkerEvent::kBegin, 7});
    raise(SIGSEGV);
  });
  EXPECT_FALSE(seen.exit.finished);
  EXPECT_EQ(seen.exit.signal, SIGSEGV);
  ASSERT_EQ(seen.messages.size(), 1u);
  EXPECT_EQ(seen.messages[0].program, 7);
}

TEST(WorkerProcess, ExceptionsAreTold) {
  const Seen seen = run([](const SendMessage&) { throw std::runtime_error("no memory " + std::string(1000, 'x')); });
  EXPECT_TRUE(seen.exit.finished);
  ASSERT_EQ(seen.messages.size(), 1u);
  EXPECT_EQ(seen.messages[0].event, WorkerEvent::kFailed);
  EXPECT_EQ(std::string(seen.messages[0].text).substr(0, 9), "no memory");
}

TEST(WorkerProcess, ASilentOneIsKilled) {
  const Seen seen = run(
      [](const SendMessage& send) {
        send({WorkerEvent::kBegin, 1});
        for (;;) pause();
      },
      0.3);
  EXPECT_TRUE(seen.exit.timed_out);
  EXPECT_FALSE(seen.exit.finished);
  EXPECT_EQ(seen.messages.size(), 1u);
}

TEST(WorkerProcess, AnExceptionOfTheReceiverKillsIt) {
  EXPECT_THROW(run_worker_process(
                   [](const SendMessage& send) {
                     send({WorkerEvent::kBegin, 1});
                     for (;;) pause();
                   },
                   [](const WorkerMessage&) { throw std::runtime_error("enough"); }, 500, {}),
               std::runtime_error);
  EXPECT_FALSE(has_children());
}

}  // namespace
}  // namespace tlm::codegen::test
