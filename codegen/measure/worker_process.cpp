#include "tlm/codegen/measure/worker_process.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>

#include "tlm/core/error.h"

namespace tlm::codegen {
namespace {

static_assert(sizeof(WorkerMessage) <= 512, "POSIX guarantees that pipes take 512 bytes at once");

// Faults end the child and are seen by the parent; signals of a terminal are the parent's to handle.
void reset_signals() {
  for (const int s : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP}) ::signal(s, SIG_DFL);
  for (const int s : {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE}) ::signal(s, SIG_IGN);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
}

[[noreturn]] void child_main(const std::function<void(const SendMessage&)>& work, int pipe, pid_t parent) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(1);  // it had ended before
  reset_signals();
  const rlimit no_core{0, 0};
  setrlimit(RLIMIT_CORE, &no_core);
  const auto send = [pipe](const WorkerMessage& m) {
    if (::write(pipe, &m, sizeof m) != static_cast<ssize_t>(sizeof m)) _exit(1);  // nobody listens
  };
  try {
    work(send);
    send({WorkerEvent::kEnd});
  } catch (const std::exception& e) {
    WorkerMessage m{WorkerEvent::kFailed};
    std::strncpy(m.text, e.what(), sizeof m.text - 1);
    send(m);
  } catch (...) {
    send({WorkerEvent::kFailed, -1, 0, "an unknown exception"});
  }
  _exit(0);
}

// The child and the reading end of its pipe; both are gone when it is destroyed.
class Child {
 public:
  explicit Child(const std::function<void(const SendMessage&)>& work) {
    int fds[2];
    if (::pipe2(fds, O_CLOEXEC) != 0)
      throw Error(ErrorCode::kEnvironment, std::string("cannot create a pipe: ") + std::strerror(errno));
    const pid_t parent = getpid();
    pid_ = fork();
    if (pid_ == 0) {
      ::close(fds[0]);
      child_main(work, fds[1], parent);
    }
    const int error = errno;
    ::close(fds[1]);
    pipe_ = fds[0];
    if (pid_ < 0) {
      ::close(pipe_);
      throw Error(ErrorCode::kEnvironment, std::string("cannot start a measuring process: ") + std::strerror(error));
    }
  }
  ~Child() {
    if (pid_ > 0) {
      kill();
      wait();
    }
    ::close(pipe_);
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  int pipe() const { return pipe_; }
  void kill() const { ::kill(pid_, SIGKILL); }
  int wait() {
    int status = 0;
    while (::waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
    }
    pid_ = -1;
    return status;
  }

 private:
  pid_t pid_ = -1;
  int pipe_ = -1;
};

}  // namespace

WorkerExit run_worker_process(const std::function<void(const SendMessage&)>& work,
                              const std::function<void(const WorkerMessage&)>& receive, double deadline_s,
                              const CancelToken& cancel) {
  using Clock = std::chrono::steady_clock;
  const auto limit = std::chrono::duration<double>(deadline_s);
  Child child(work);
  WorkerExit result;
  auto last = Clock::now();
  for (;;) {
    cancel.check();
    pollfd fd{child.pipe(), POLLIN, 0};
    ::poll(&fd, 1, 20);
    if (fd.revents == 0) {
      if (Clock::now() - last < limit) continue;
      result.timed_out = true;
      child.kill();
      break;
    }
    WorkerMessage m;
    const ssize_t n = ::read(child.pipe(), &m, sizeof m);
    if (n < 0 && errno == EINTR) continue;
    if (n != static_cast<ssize_t>(sizeof m)) break;  // it has ended
    last = Clock::now();
    result.finished = result.finished || m.event == WorkerEvent::kEnd || m.event == WorkerEvent::kFailed;
    receive(m);
  }
  const int status = child.wait();
  result.signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
  result.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 0;
  return result;
}

}  // namespace tlm::codegen
