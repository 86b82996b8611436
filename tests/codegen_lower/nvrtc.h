// NVRTC opened at run time, for tests that only want to know whether CUDA C compiles. Needs no GPU.
#pragma once

#include <string>
#include <vector>

namespace tlm::test {

class Nvrtc {
 public:
  Nvrtc();
  bool available() const { return library_ != nullptr; }
  const std::string& reason() const { return reason_; }  // why not
  // Size of the cubin in bytes, or 0 with the compiler's log in `log`.
  size_t compile(const std::string& source, int sm, std::string& log) const;

 private:
  void* library_ = nullptr;
  std::string reason_;
};

}  // namespace tlm::test
