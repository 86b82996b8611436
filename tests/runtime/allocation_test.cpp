// `Session::run` allocates nothing: every allocation of the process is counted, whichever thread makes it.
#include <gtest/gtest.h>
#include <atomic>
#include <cstddef>
#include <cstring>

#include "support.h"
#include "tlm/core/runtime/runtime_calls.h"
#include "tlm/core/runtime/session.h"
#include "tlm/core/thread_pool.h"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define TLM_COUNTS_ALLOCATIONS 0  // the sanitizer has an allocator of its own
#else
#define TLM_COUNTS_ALLOCATIONS 1
#endif

namespace {
std::atomic<long> allocations{0};
}

#if TLM_COUNTS_ALLOCATIONS
// The C library's own functions; operator new comes here too.
extern "C" {
void* __libc_malloc(size_t);
void* __libc_calloc(size_t, size_t);
void* __libc_realloc(void*, size_t);
void* __libc_memalign(size_t, size_t);

__attribute__((visibility("default"))) void* malloc(size_t n) { return ++allocations, __libc_malloc(n); }
__attribute__((visibility("default"))) void* calloc(size_t n, size_t size) { return ++allocations, __libc_calloc(n, size); }
__attribute__((visibility("default"))) void* realloc(void* p, size_t n) { return ++allocations, __libc_realloc(p, n); }
__attribute__((visibility("default"))) void* aligned_alloc(size_t alignment, size_t n) {
  return ++allocations, __libc_memalign(alignment, n);
}
}
#endif

namespace tlm::runtime::test {
namespace {

TEST(Allocation, RunAllocatesNothing) {
  if (!TLM_COUNTS_ALLOCATIONS) GTEST_SKIP() << "a sanitizer has an allocator of its own";
  auto image = std::make_shared<std::vector<std::byte>>(sample_package());
  const auto package = Package::load_memory(*image, image);
  ThreadPool pool({.width = 4});
  for (int threads : {1, 4}) {
    Session session(package, {.executor = &pool, .threads = threads});
    session.output(0);
    session.output(1);
    std::memcpy(session.input(0), sample_input().data(), session.input_bytes(0));
    RunProfile profile;
    profile.step_ms.resize(2);
    const long before = allocations;
    for (int repeat = 0; repeat < 50; ++repeat) {
      if (!session.run().ok()) std::abort();
      if (!session.run({.profile = &profile}).ok()) std::abort();
    }
    EXPECT_EQ(allocations - before, 0) << threads << " threads";
  }
  EXPECT_GT(allocations, 0) << "the counter counts";
}

// The same for each runtime call, whose attributes are looked up by name.
TEST(Allocation, RuntimeCallsAllocateNothing) {
  if (!TLM_COUNTS_ALLOCATIONS) GTEST_SKIP() << "a sanitizer has an allocator of its own";
  Manifest m;
  m.inputs = {{"x", DType::kF32, {3, 2, 4}}, {"w", DType::kF32, {1, 15, 4}}, {"r", DType::kF32, {1, 15, 5}}};
  m.outputs = {{"y_h", DType::kF32, {1, 2, 5}}, {"top", DType::kF32, {3, 2, 2}}};
  StepDesc gru, top;
  gru.name = "gru", gru.call = "GRU", gru.call_inputs = 3;
  gru.args = {{BufferSpace::kInput, 0, 0, 96},
              {BufferSpace::kInput, 1, 0, 240},
              {BufferSpace::kInput, 2, 0, 300},
              {},
              {BufferSpace::kOutput, 0, 0, 40}};
  gru.tensors = {{DType::kF32, {3, 2, 4}},
                 {DType::kF32, {1, 15, 4}},
                 {DType::kF32, {1, 15, 5}},
                 {DType::kF32, {}, false},
                 {DType::kF32, {1, 2, 5}}};
  gru.numbers = {{"hidden_size", {5}}, {"linear_before_reset", {1}}, {"activation_alpha", {0.25}}};
  gru.strings = {{"activations", "HardSigmoid,Tanh"}};
  gru.workspace_bytes = runtime_call_workspace("GRU", gru.tensors, gru.numbers);
  top.name = "top", top.call = "TopK", top.call_inputs = 1;
  top.args = {{BufferSpace::kInput, 0, 0, 96}, {BufferSpace::kOutput, 1, 0, 48}};
  top.tensors = {{DType::kF32, {3, 2, 4}}, {DType::kF32, {3, 2, 2}}};
  top.workspace_bytes = runtime_call_workspace("TopK", top.tensors, top.numbers);
  VariantDesc v;
  v.arch = host_arch();
  v.arena_bytes = 4096;
  v.steps = {gru, top};
  m.variants = {v};
  auto image = std::make_shared<std::vector<std::byte>>(PackageBuilder().bytes(m));
  Session session(Package::load_memory(*image, image), {.threads = 1});
  for (int i = 0; i < 3; ++i) session.input(i);
  for (int i = 0; i < 2; ++i) session.output(i);
  const long before = allocations;
  const bool ok = session.run().ok();
  const long made = allocations - before;
  EXPECT_TRUE(ok);
  EXPECT_EQ(made, 0);
}

}  // namespace
}  // namespace tlm::runtime::test
