// A flag by which a user stops long work.
#pragma once

#include <atomic>
#include <memory>

namespace tlm {

// Copies share one flag. cancel() may be called from a signal handler.
class CancelToken {
 public:
  CancelToken() : flag_(std::make_shared<std::atomic<bool>>(false)) {}
  void cancel() const noexcept { flag_->store(true, std::memory_order_relaxed); }
  bool cancelled() const noexcept { return flag_->load(std::memory_order_relaxed); }
  const std::atomic<bool>& flag() const noexcept { return *flag_; }  // for code that knows atomics only
  // Throws Error(kInterrupted) when cancelled.
  void check() const;

 private:
  std::shared_ptr<std::atomic<bool>> flag_;
  static_assert(std::atomic<bool>::is_always_lock_free);
};

}  // namespace tlm
