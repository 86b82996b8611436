#include "tlm/core/runtime/session.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>
#include <cfenv>
#include <cstring>
#include <thread>

#include "support.h"
#include "tlm/core/runtime/runtime_calls.h"
#include "tlm/core/thread_pool.h"

namespace tlm::runtime::test {
namespace {

std::shared_ptr<const Package> load(const std::vector<std::byte>& image) {
  auto copy = std::make_shared<std::vector<std::byte>>(image);
  return Package::load_memory(*copy, copy);
}

// Runs the sample in buffers of the session.
struct SampleRun {
  std::vector<float> y, z;
};
SampleRun run_sample(Session& session) {
  const std::vector<float> x = sample_input();
  std::memcpy(session.input(0), x.data(), session.input_bytes(0));
  const auto* y = static_cast<const float*>(session.output(0));
  const auto* z = static_cast<const float*>(session.output(1));
  session.run_or_throw();
  return {{y, y + kN}, {z, z + kN}};
}

TEST(Session, ComputesTheSampleOnAnyNumberOfThreads) {
  const auto package = load(sample_package());
  for (int threads : {1, 2, 3, 4, 16}) {
    ThreadPool pool({.width = threads});
    Session session(package, {.executor = &pool});
    EXPECT_EQ(session.threads(), threads);
    for (int repeat = 0; repeat < 20; ++repeat) {
      const SampleRun run = run_sample(session);
      EXPECT_EQ(run.y, expected_y()) << threads;
      EXPECT_EQ(run.z, expected_z()) << threads;
    }
  }
}

TEST(Session, BuiltInPoolAndThreadLimit) {
  const auto package = load(sample_package());
  Session all(package), one(package, {.threads = 1});
  EXPECT_EQ(one.threads(), 1);
  EXPECT_EQ(run_sample(all).y, expected_y());
  EXPECT_EQ(run_sample(one).y, expected_y());
}

TEST(Session, UsesCallersMemoryInPlace) {
  Session session(load(sample_package()));
  std::vector<float> x = sample_input(), y(kN), z(kN);
  session.bind_input(0, x.data(), x.size() * sizeof(float));
  session.bind_output(0, y.data(), y.size() * sizeof(float));
  session.bind_output(1, z.data(), z.size() * sizeof(float));
  ASSERT_TRUE(session.run().ok());
  EXPECT_EQ(y, expected_y());
  // The input is read where it lies: a change shows without binding again.
  x.assign(kN, 0.0f);
  ASSERT_TRUE(session.run().ok());
  EXPECT_EQ(z, std::vector<float>(kN, 0.0f) /* 0·w = ±0 */);
}

TEST(Session, RefusesWrongBindings) {
  Session session(load(sample_package()));
  std::vector<float> x(kN + 1);
  EXPECT_NE(error_of([&] { session.bind_input(0, x.data(), 4); }).find("input 'x': 4 bytes given; [64] of f32 has 256"),
            std::string::npos);
  EXPECT_NE(error_of([&] { session.bind_input(0, nullptr, 256); }).find("no memory given"), std::string::npos);
  EXPECT_NE(error_of([&] { session.bind_input(0, reinterpret_cast<char*>(x.data()) + 1, 256); }).find("not aligned"),
            std::string::npos);
  EXPECT_NE(error_of([&] { session.bind_input(1, x.data(), 256); }).find("there is no input 1; the model has 1"),
            std::string::npos);
  EXPECT_NE(error_of([&] { session.bind_output(-1, x.data(), 256); }).find("there is no output -1"), std::string::npos);
  EXPECT_EQ(session.input_index("x"), 0);
  EXPECT_EQ(session.output_index("z"), 1);
  EXPECT_NE(error_of([&] { session.output_index("q"); }).find("there is no output 'q'; the model has 'y', 'z'"),
            std::string::npos);
}

TEST(Session, RunWithoutMemoryNamesThePort) {
  Session session(load(sample_package()));
  session.input(0);
  session.output(0);
  const RunResult result = session.run();
  EXPECT_EQ(result.code, RunCode::kUnbound);
  EXPECT_STREQ(result.message, "output 'z' has no memory: bind it first");
  session.output(1);
  EXPECT_TRUE(session.run().ok());
}

TEST(Session, ManySessionsShareOnePackageAtOnce) {
  const auto package = load(sample_package());
  ThreadPool pool({.width = 2});
  std::vector<std::thread> threads;
  std::atomic<int> wrong{0};
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&] {
      Session session(package, {.executor = &pool});
      for (int repeat = 0; repeat < 200; ++repeat) wrong += run_sample(session).y != expected_y();
    });
  for (std::thread& t : threads) t.join();
  EXPECT_EQ(wrong, 0);
}

// Chunks in reverse, all by the caller: an executor of an application. Counts the loops.
class BackwardExecutor : public Executor {
 public:
  int loops = 0;
  std::function<void()> before_loop;
  int width() const override { return 2; }
  void parallel_for(int64_t count, Body body, void* context) override {
    ++loops;
    if (before_loop) before_loop();
    for (int64_t i = count; i-- > 0;) body(context, i, static_cast<int>(i % 2));
  }
};

TEST(Session, RunsOnTheApplicationsExecutor) {
  BackwardExecutor executor;
  Session session(load(sample_package()), {.executor = &executor});
  EXPECT_EQ(run_sample(session).y, expected_y());
  EXPECT_EQ(executor.loops, 2);  // the serial phase asks for no workers
}

TEST(Session, OverlappingRunIsRefused) {
  BackwardExecutor executor;
  Session session(load(sample_package()), {.executor = &executor});
  RunResult inner;
  executor.before_loop = [&] { inner = session.run(); };
  EXPECT_EQ(run_sample(session).y, expected_y());
  EXPECT_EQ(inner.code, RunCode::kBusy);
  executor.before_loop = nullptr;
  EXPECT_TRUE(session.run().ok());
}

TEST(Session, CancelStopsBetweenChunks) {
  BackwardExecutor executor;
  Session session(load(sample_package()), {.executor = &executor});
  run_sample(session);
  executor.loops = 0;
  executor.before_loop = [&] { session.cancel(); };
  EXPECT_EQ(session.run().code, RunCode::kCancelled);
  EXPECT_EQ(executor.loops, 1);
  executor.before_loop = nullptr;
  EXPECT_TRUE(session.run().ok()) << "the flag is used up";

  std::atomic<bool> flag{true};
  EXPECT_EQ(session.run({.cancel = &flag}).code, RunCode::kCancelled);
  flag = false;
  EXPECT_TRUE(session.run({.cancel = &flag}).ok());
  session.cancel();
  EXPECT_EQ(session.run().code, RunCode::kCancelled) << "a cancel before the run holds for it";
}

// y[i] = x[i] / 3: inexact, so it depends on the rounding mode and raises a flag.
std::vector<std::byte> third_package() {
  static const std::vector<std::byte> code = compile_module(R"(
static void third(const TlmKernelArgs* a, int64_t begin, int64_t end, void* worker) {
  const float* x = a->buffers[0];
  float* y = a->buffers[1];
  (void)worker;
  for (int64_t i = begin; i < end; ++i) y[i] = x[i] / 3;
}
static const TlmPhase phases[1] = {third};
static const TlmModule module = {TLM_KERNEL_ABI, 1, phases};
__attribute__((visibility("default"))) const TlmModule* tlm_module(void) { return &module; }
)");
  Manifest m;
  m.inputs = {{"x", DType::kF32, {kN}}};
  m.outputs = {{"y", DType::kF32, {kN}}};
  StepDesc s;
  s.name = "third";
  s.args = {{BufferSpace::kInput, 0, 0, kN * 4}, {BufferSpace::kOutput, 0, 0, kN * 4}};
  s.phases = {{0, kN, 4}};
  VariantDesc v;
  v.arch = host_arch();
  v.code_section = 1;
  v.steps = {s};
  m.variants = {v};
  PackageBuilder builder;
  builder.add_section(SectionKind::kCode, code);
  return builder.bytes(m);
}

TEST(Session, FloatingPointEnvironmentIsUntouchedAndWithoutEffect) {
  const auto package = load(third_package());
  ThreadPool pool({.width = 2});
  for (const int rounding : {FE_TONEAREST, FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO}) {
    Session session(package, {.executor = &pool});
    auto* x = static_cast<float*>(session.input(0));
    const auto* y = static_cast<const float*>(session.output(0));
    for (int64_t i = 0; i < kN; ++i) x[i] = static_cast<float>(i + 1);
    std::feclearexcept(FE_ALL_EXCEPT);
    std::fesetround(rounding);
    const RunResult result = session.run();
    const int rounding_after = std::fegetround(), flags_after = std::fetestexcept(FE_ALL_EXCEPT);
    std::fesetround(FE_TONEAREST);
    EXPECT_TRUE(result.ok());
    EXPECT_EQ(rounding_after, rounding);
    EXPECT_EQ(flags_after, 0);
    for (int64_t i = 0; i < kN; ++i) {
      volatile float exact = static_cast<float>(i + 1);
      EXPECT_EQ(y[i], exact / 3) << i << " rounding " << rounding;
    }
  }
}

TEST(Session, MemoryOfTheApplication) {
  const auto package = load(sample_package());
  const size_t bytes = Session::arena_bytes_needed(*package, 2);
  ThreadPool pool({.width = 2});
  std::vector<std::byte> room(bytes + 64, std::byte{0x7f});
  auto* arena = reinterpret_cast<std::byte*>((reinterpret_cast<uintptr_t>(room.data()) + 63) / 64 * 64);
  {
    Session session(package, {.executor = &pool, .arena = arena, .arena_bytes = bytes});
    EXPECT_EQ(session.arena_bytes(), bytes);
    EXPECT_EQ(run_sample(session).y, expected_y());
  }
  EXPECT_NE(error_of([&] {
              Session s(package, {.executor = &pool, .arena = arena, .arena_bytes = bytes - 1});
            }).find("this session needs"),
            std::string::npos);
  EXPECT_NE(error_of([&] {
              Session s(package, {.executor = &pool, .arena = arena + 1, .arena_bytes = bytes});
            }).find("not 64-byte aligned"),
            std::string::npos);
}

struct CountingAllocator {
  int live = 0, calls = 0;
  bool empty = false;
  static void* allocate(void* user, size_t bytes, size_t alignment) {
    auto* self = static_cast<CountingAllocator*>(user);
    if (self->empty) return nullptr;
    ++self->live, ++self->calls;
    return std::aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
  }
  static void release(void* user, void* data, size_t) {
    --static_cast<CountingAllocator*>(user)->live;
    std::free(data);
  }
};

TEST(Session, AllocatorOfTheApplication) {
  const auto package = load(sample_package());
  CountingAllocator counting;
  const Allocator allocator{&counting, CountingAllocator::allocate, CountingAllocator::release};
  {
    Session session(package, {.threads = 1, .allocator = allocator});
    EXPECT_EQ(run_sample(session).y, expected_y());
    EXPECT_EQ(counting.calls, 4);  // the arena, three ports
  }
  EXPECT_EQ(counting.live, 0);
  counting.empty = true;
  EXPECT_NE(error_of([&] { Session s(package, {.allocator = allocator}); }).find("no memory for the arena"), std::string::npos);
}

TEST(Session, ProfileAddsUp) {
  const auto package = load(sample_package());
  ThreadPool pool({.width = 2});
  Session session(package, {.executor = &pool});
  run_sample(session);
  RunProfile profile;
  profile.step_ms.assign(2, -1);
  ASSERT_TRUE(session.run({.profile = &profile}).ok());
  EXPECT_GE(profile.step_ms[0], 0);
  EXPECT_GE(profile.step_ms[1], 0);
  EXPECT_GE(profile.total_ms, profile.step_ms[0] + profile.step_ms[1]);
  EXPECT_GE(profile.overhead_ms, 0);
  EXPECT_LE(profile.overhead_ms, profile.total_ms);
}

double cpu_seconds() {
  rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& t) { return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) * 1e-6; };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

TEST(Session, IdleWorkersUseNoProcessor) {
  Session session(load(sample_package()));
  run_sample(session);
  std::this_thread::sleep_for(std::chrono::milliseconds(50));  // past the spin time
  const double before = cpu_seconds();
  std::this_thread::sleep_for(std::chrono::milliseconds(1000));
  EXPECT_LT(cpu_seconds() - before, 0.01) << "idle processor time of one second";
}

// A package of one runtime call, without code: y = ScatterElements(x, indices, updates).
std::vector<std::byte> scatter_package() {
  Manifest m;
  m.inputs = {{"x", DType::kF32, {4}}, {"indices", DType::kI64, {2}}, {"updates", DType::kF32, {2}}};
  m.outputs = {{"y", DType::kF32, {4}}};
  StepDesc s;
  s.name = "scatter";
  s.call = "ScatterElements";
  s.call_inputs = 3;
  s.args = {{BufferSpace::kInput, 0, 0, 16},
            {BufferSpace::kInput, 1, 0, 16},
            {BufferSpace::kInput, 2, 0, 8},
            {BufferSpace::kOutput, 0, 0, 16}};
  s.tensors = {{DType::kF32, {4}}, {DType::kI64, {2}}, {DType::kF32, {2}}, {DType::kF32, {4}}};
  VariantDesc v;
  v.arch = host_arch();
  v.steps = {s};
  m.variants = {v};
  return PackageBuilder().bytes(m);
}

TEST(Session, RuntimeCallThatRefusesItsDataFailsTheRun) {
  Session session(load(scatter_package()));
  const std::vector<float> x = {1, 2, 3, 4}, updates = {10, 20};
  std::vector<int64_t> indices = {-1, 0};
  std::vector<float> y(4);
  session.bind_input(0, x.data(), 16);
  session.bind_input(1, indices.data(), 16);
  session.bind_input(2, updates.data(), 8);
  session.bind_output(0, y.data(), 16);
  session.run_or_throw();
  EXPECT_EQ(y, (std::vector<float>{20, 2, 3, 10}));
  indices[1] = 4;
  const RunResult result = session.run();
  EXPECT_EQ(result.code, RunCode::kFailed);
  EXPECT_STREQ(result.message, "step 'scatter' (ScatterElements): index out of range (4, limit 4)");
}

}  // namespace
}  // namespace tlm::runtime::test
