#include "tlm/tools/tlm/signals.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include <cstdio>
#include <ctime>

namespace tlm::tools {
namespace {

const CancelToken* g_cancel = nullptr;  // for the handler; never destroyed, as signals come after main as well

int64_t now_ms() {
  timespec t{};
  clock_gettime(CLOCK_MONOTONIC, &t);
  return int64_t{t.tv_sec} * 1000 + t.tv_nsec / 1000000;
}

extern "C" void on_stop(int number) {
  static volatile int64_t first_ms = -1;
  const int64_t now = now_ms();
  if (first_ms < 0) first_ms = now;
  g_cancel->cancel();
  // The same stop may arrive twice, from the terminal and from a parent process; only a later one is impatience.
  if (now - first_ms < 1000) return;
  signal(number, SIG_DFL);
  raise(number);
}

extern "C" void on_failed_write(int) {}  // not SIG_IGN, which the compilers would inherit

void handle(int number, void (*handler)(int)) {
  struct sigaction action {};
  action.sa_handler = handler;
  sigemptyset(&action.sa_mask);
  sigaction(number, &action, nullptr);
}

}  // namespace

void install_signal_handlers(const CancelToken& cancel) {
  g_cancel = new CancelToken(cancel);
  handle(SIGINT, on_stop);
  handle(SIGTERM, on_stop);
  struct sigaction hangup {};
  sigaction(SIGHUP, nullptr, &hangup);
  if (hangup.sa_handler != SIG_IGN) handle(SIGHUP, on_stop);  // nohup ignores it
  handle(SIGPIPE, on_failed_write);
  handle(SIGXFSZ, on_failed_write);
}

void occupy_standard_streams() {
  for (int fd = 0; fd <= 2; ++fd)
    if (fcntl(fd, F_GETFD) < 0) open("/dev/null", fd == 0 ? O_WRONLY : O_RDONLY);  // the wrong way round: use is an error still
}

bool flush_standard_output() {
  if (std::fflush(stdout) == 0 && !std::ferror(stdout)) return true;
  pollfd out{STDOUT_FILENO, POLLOUT, 0};
  return poll(&out, 1, 0) == 1 && (out.revents & POLLERR);
}

}  // namespace tlm::tools
