#include "tlm/codegen/build/process.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>

#include "tlm/core/error.h"

extern char** environ;

namespace tlm::codegen {
namespace {

constexpr size_t kMaxOutput = size_t{1} << 20;

class Fd {
 public:
  Fd() = default;
  explicit Fd(int fd) : fd_(fd) {}
  Fd(const Fd&) = delete;
  Fd& operator=(const Fd&) = delete;
  ~Fd() { reset(); }
  void reset(int fd = -1) {
    if (fd_ >= 0) ::close(fd_);
    fd_ = fd;
  }
  int get() const { return fd_; }

 private:
  int fd_ = -1;
};

void make_pipe(Fd& read_end, Fd& write_end) {
  int fds[2];
  if (::pipe2(fds, O_CLOEXEC) != 0)
    throw Error(ErrorCode::kEnvironment, std::string("cannot create a pipe: ") + std::strerror(errno));
  read_end.reset(fds[0]);
  write_end.reset(fds[1]);
}

// A write to a child that has gone away must not kill this process: the signal is blocked and, if raised here, taken away again.
class SigpipeGuard {
 public:
  SigpipeGuard() {
    sigset_t pending;
    sigpending(&pending);
    was_pending_ = sigismember(&pending, SIGPIPE) == 1;
    sigemptyset(&set_);
    sigaddset(&set_, SIGPIPE);
    pthread_sigmask(SIG_BLOCK, &set_, &old_);
  }
  ~SigpipeGuard() {
    if (!was_pending_) {
      const timespec zero{0, 0};
      while (sigtimedwait(&set_, nullptr, &zero) == SIGPIPE) {
      }
    }
    pthread_sigmask(SIG_SETMASK, &old_, nullptr);
  }
  const sigset_t& old_mask() const { return old_; }

 private:
  sigset_t set_, old_;
  bool was_pending_ = false;
};

// This process's environment with `changes`; with a PATH in any case, as compilers look up their parts in it.
std::vector<char*> child_environment(const std::vector<std::string>& changes) {
  static char default_path[] = "PATH=/usr/local/bin:/usr/bin:/bin";
  std::vector<char*> all;
  for (char** e = environ; e && *e; ++e) {
    const std::string_view entry = *e;
    const std::string_view name = entry.substr(0, entry.find('=') + 1);
    bool changed = false;
    for (const std::string& c : changes) changed = changed || c.starts_with(name);
    if (!changed) all.push_back(*e);
  }
  if (!std::getenv("PATH")) all.push_back(default_path);
  for (const std::string& c : changes) all.push_back(const_cast<char*>(c.c_str()));
  all.push_back(nullptr);
  return all;
}

pid_t spawn(const std::vector<std::string>& argv, int in, int out, const sigset_t& mask,
            const std::vector<std::string>& changes) {
  std::vector<char*> environment = child_environment(changes);
  std::vector<char*> args;
  for (const auto& a : argv) args.push_back(const_cast<char*>(a.c_str()));
  args.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, in, 0);
  posix_spawn_file_actions_adddup2(&actions, out, 1);
  posix_spawn_file_actions_adddup2(&actions, out, 2);
  posix_spawnattr_t attr;
  posix_spawnattr_init(&attr);
  posix_spawnattr_setflags(&attr, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK);
  posix_spawnattr_setpgroup(&attr, 0);
  posix_spawnattr_setsigmask(&attr, &mask);
  pid_t pid = -1;
  const int error = posix_spawnp(&pid, args[0], &actions, &attr, args.data(), environment.data());
  posix_spawn_file_actions_destroy(&actions);
  posix_spawnattr_destroy(&attr);
  if (error != 0)
    throw Error(ErrorCode::kEnvironment, "cannot start '" + argv[0] + "': " + std::strerror(error), "",
                "install it or name another program");
  return pid;
}

}  // namespace

ProcessResult run_process(const std::vector<std::string>& argv, std::string_view input, const ProcessOptions& options) {
  TLM_CHECK(!argv.empty());
  Fd in_read, in_write, out_read, out_write;
  make_pipe(in_read, in_write);
  make_pipe(out_read, out_write);
  ::fcntl(in_write.get(), F_SETFL, O_NONBLOCK);
  ::fcntl(out_read.get(), F_SETFL, O_NONBLOCK);
  SigpipeGuard sigpipe;
  const pid_t pid = spawn(argv, in_read.get(), out_write.get(), sigpipe.old_mask(), options.environment);
  in_read.reset();
  out_write.reset();
  if (input.empty()) in_write.reset();

  using Clock = std::chrono::steady_clock;
  const auto after = [](double seconds) {
    return Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
  };
  const auto deadline = after(options.deadline_s);
  ProcessResult result;
  bool stopping = false, killed = false;
  Clock::time_point kill_at;
  while (out_read.get() >= 0) {
    if (!stopping) {
      result.timed_out = Clock::now() > deadline;
      result.cancelled = options.cancel.cancelled();
      stopping = result.timed_out || result.cancelled;
      kill_at = after(options.grace_s);
      if (stopping && options.grace_s > 0) ::kill(-pid, SIGTERM);
    }
    if (stopping && !killed && Clock::now() >= kill_at) {
      ::kill(-pid, SIGKILL);
      killed = true;
    }
    pollfd fds[2] = {{out_read.get(), POLLIN, 0}, {in_write.get(), POLLOUT, 0}};
    ::poll(fds, in_write.get() >= 0 ? 2 : 1, 20);
    if (in_write.get() >= 0 && (fds[1].revents & (POLLOUT | POLLERR))) {
      const ssize_t n = ::write(in_write.get(), input.data(), input.size());
      if (n > 0) input.remove_prefix(static_cast<size_t>(n));
      if (input.empty() || (n < 0 && errno != EAGAIN && errno != EINTR)) in_write.reset();
    }
    if (fds[0].revents & (POLLIN | POLLHUP)) {
      char buffer[65536];
      const ssize_t n = ::read(out_read.get(), buffer, sizeof buffer);
      if (n > 0 && result.output.size() < kMaxOutput) result.output.append(buffer, static_cast<size_t>(n));
      if (n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR)) out_read.reset();
    }
  }
  int status = 0;
  while (::waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  result.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return result;
}

std::string find_program(const std::string& name) {
  const auto runs = [](const std::string& file) {
    struct stat info {};
    return ::stat(file.c_str(), &info) == 0 && S_ISREG(info.st_mode) && ::access(file.c_str(), X_OK) == 0;
  };
  if (name.find('/') != std::string::npos) return runs(name) ? name : "";
  const char* path = std::getenv("PATH");
  std::string_view rest = path ? path : "/usr/local/bin:/usr/bin:/bin";
  while (!rest.empty()) {
    const size_t colon = rest.find(':');
    const std::string file = std::string(rest.substr(0, colon)) + "/" + name;
    if (runs(file)) return file;
    if (colon == std::string_view::npos) break;
    rest.remove_prefix(colon + 1);
  }
  return "";
}

}  // namespace tlm::codegen
