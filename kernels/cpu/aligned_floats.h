// Memory for f32 that starts at a cache line and is not initialised.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <memory>
#include <new>

namespace tlm::kernels {

class AlignedFloats {
 public:
  AlignedFloats() = default;
  explicit AlignedFloats(size_t count) { reserve(count); }

  // Room for at least `count`; what was there is lost when it has to grow.
  void reserve(size_t count) {
    if (count <= count_) return;
    memory_.reset();
    count_ = 0;
    const size_t bytes = (count * sizeof(float) + kAlignment - 1) / kAlignment * kAlignment;
    memory_.reset(static_cast<float*>(std::aligned_alloc(kAlignment, bytes)));
    if (!memory_) throw std::bad_alloc();
    count_ = count;
  }
  float* data() { return memory_.get(); }
  const float* data() const { return memory_.get(); }

 private:
  static constexpr size_t kAlignment = 64;
  struct Free {
    void operator()(float* p) const { std::free(p); }
  };
  std::unique_ptr<float, Free> memory_;
  size_t count_ = 0;
};

}  // namespace tlm::kernels
