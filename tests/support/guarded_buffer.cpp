#include "tests/support/guarded_buffer.h"

#include <sys/mman.h>
#include <unistd.h>
#include <csetjmp>
#include <csignal>
#include <cstring>
#include <utility>

#include "tlm/core/error.h"

namespace tlm::test {

GuardedBuffer::GuardedBuffer(size_t bytes, bool end_at_guard) : bytes_(bytes) {
  const size_t page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  const size_t inner = (std::max<size_t>(bytes, 1) + page - 1) / page * page;
  mapped_ = inner + 2 * page;
  void* map = mmap(nullptr, mapped_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  TLM_CHECK(map != MAP_FAILED) << mapped_;
  map_ = static_cast<std::byte*>(map);
  TLM_CHECK(mprotect(map_ + page, inner, PROT_READ | PROT_WRITE) == 0);
  data_ = map_ + page + (end_at_guard ? inner - bytes : 0);
  std::memset(map_ + page, 0x7f, inner);
}

GuardedBuffer::GuardedBuffer(GuardedBuffer&& other) noexcept
    : map_(std::exchange(other.map_, nullptr)), mapped_(other.mapped_), bytes_(other.bytes_), data_(other.data_) {}

GuardedBuffer::~GuardedBuffer() {
  if (map_) munmap(map_, mapped_);
}

void GuardedBuffer::fill(unsigned char value) { std::memset(data_, value, bytes_); }

namespace {
thread_local sigjmp_buf* jump = nullptr;
void on_fault(int signal) {
  if (jump) siglongjmp(*jump, signal);
  std::signal(signal, SIG_DFL);
  raise(signal);
}
}  // namespace

std::string run_catching_faults(const std::function<void()>& body) {
  struct sigaction action = {}, old[4];
  action.sa_handler = on_fault;
  action.sa_flags = SA_NODEFER;
  const int signals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL};
  for (int i = 0; i < 4; ++i) sigaction(signals[i], &action, &old[i]);
  sigjmp_buf here;
  sigjmp_buf* outer = jump;
  jump = &here;
  std::string fault;
  const int signal = sigsetjmp(here, 1);
  if (signal == 0) {
    body();
  } else {
    fault = strsignal(signal);
  }
  jump = outer;
  for (int i = 0; i < 4; ++i) sigaction(signals[i], &old[i], nullptr);
  return fault;
}

}  // namespace tlm::test
