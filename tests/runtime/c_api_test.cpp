// The C boundary of libtlm_runtime: this program links nothing else of tlm. It runs the golden package.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>
#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string>
#include <thread>
#include <vector>

#include "tlm/core/runtime/runtime_cpp.h"
#include "tlm/runtime.h"

extern "C" const char* c_header_check(const char* path, const float* x, float* y, float* z);

namespace {

constexpr size_t kN = 64, kBytes = kN * sizeof(float);
const std::string kGolden = TLM_SOURCE_DIR "/tests/data/packages/sample-1.0.tlm";

// As tests/runtime/support.cpp: z = x·w, y[i] = (Σ z + 64)·(i + 3).
std::vector<float> input() {
  std::vector<float> x(kN);
  for (size_t i = 0; i < kN; ++i) x[i] = static_cast<float>(i % 5) - 1;
  return x;
}
std::vector<float> expected_y() {
  float total = 0;
  for (size_t i = 0; i < kN; ++i) total += input()[i] * (static_cast<float>(i % 7) - 3) + 1;
  std::vector<float> y(kN);
  for (size_t i = 0; i < kN; ++i) y[i] = total * static_cast<float>(i + 3);
  return y;
}

class CApi : public testing::Test {
 protected:
  void SetUp() override {
#ifndef __x86_64__
    GTEST_SKIP() << "the golden package is for x86-64";
#endif
  }
};

TEST_F(CApi, RunsFromC) {
  std::vector<float> x = input(), y(kN), z(kN);
  const char* message = c_header_check(kGolden.c_str(), x.data(), y.data(), z.data());
  ASSERT_EQ(message, nullptr) << message;
  EXPECT_EQ(y, expected_y());
}

TEST_F(CApi, PortsAndNames) {
  tlm::app::Engine engine;
  tlm::app::Package package(engine, kGolden);
  ASSERT_EQ(package.input_count(), 1);
  ASSERT_EQ(package.output_count(), 2);
  const TlmPort x = package.input(0), y = package.output(0);
  EXPECT_STREQ(x.name, "x");
  EXPECT_EQ(x.type, TLM_F32);
  EXPECT_EQ(x.rank, 1);
  EXPECT_EQ(x.shape[0], 64);
  EXPECT_EQ(x.bytes, kBytes);
  EXPECT_EQ(y.rank, 2);
  EXPECT_STREQ(tlm_package_model_name(package.get()), "sample");
  EXPECT_STREQ(tlm_package_metadata(package.get(), "author"), "tests");
  EXPECT_EQ(tlm_package_metadata(package.get(), "nobody"), nullptr);
  TlmPort none;
  EXPECT_EQ(tlm_package_input(package.get(), 1, &none), TLM_MISUSE);
  EXPECT_EQ(tlm_package_output(package.get(), -1, &none), TLM_MISUSE);
  EXPECT_EQ(tlm_runtime_api(), static_cast<uint32_t>(TLM_RUNTIME_API));
  EXPECT_NE(std::string(tlm_runtime_version()), "");
}

TEST_F(CApi, DescriptorMemoryAndWeights) {
  tlm::app::Engine engine;
  const int descriptor = open(kGolden.c_str(), O_RDONLY);
  TlmPackage* package = nullptr;
  ASSERT_EQ(tlm_package_load_descriptor(engine.get(), descriptor, nullptr, &package), TLM_OK) << tlm_error_message();
  close(descriptor);
  EXPECT_EQ(tlm_package_verify_weights(package), TLM_OK);
  tlm_package_release(package);

  std::ifstream file(kGolden, std::ios::binary);
  std::string bytes{std::istreambuf_iterator<char>(file), {}};
  ASSERT_EQ(tlm_package_load_memory(engine.get(), bytes.data(), bytes.size(), nullptr, &package), TLM_OK);
  tlm_package_release(package);
  bytes.back() ^= 1;
  auto options = tlm::app::options<TlmLoadOptions>();
  options.verify_weights = 1;
  EXPECT_EQ(tlm_package_load_memory(engine.get(), bytes.data(), bytes.size(), &options, &package), TLM_BAD_PACKAGE);
  EXPECT_EQ(package, nullptr);
  EXPECT_NE(std::string(tlm_error_message()).find("checksum"), std::string::npos);
}

TEST_F(CApi, StatusAndMessageOfFailures) {
  tlm::app::Engine engine;
  TlmPackage* package = nullptr;
  EXPECT_EQ(tlm_package_load(engine.get(), "/nonexistent.tlm", nullptr, &package), TLM_ENVIRONMENT);
  EXPECT_NE(std::string(tlm_error_message()).find("/nonexistent.tlm"), std::string::npos);
  EXPECT_EQ(tlm_package_load(engine.get(), nullptr, nullptr, &package), TLM_MISUSE);
  EXPECT_EQ(tlm_package_load(nullptr, kGolden.c_str(), nullptr, &package), TLM_MISUSE);
  EXPECT_EQ(tlm_package_load_memory(engine.get(), "x", 1, nullptr, &package), TLM_BAD_PACKAGE);
  unsigned char newer[64] = {0x7f, 'T', 'L', 'M', 'p', 'k', 'g', '\n', 9, 0};
  EXPECT_EQ(tlm_package_load_memory(engine.get(), newer, sizeof newer, nullptr, &package), TLM_UNSUPPORTED);
  EXPECT_NE(std::string(tlm_error_message()).find("9.0"), std::string::npos);
  EXPECT_EQ(tlm_session_run(nullptr, nullptr), TLM_MISUSE);
  EXPECT_THROW(tlm::app::Package(engine, "/nonexistent.tlm"), tlm::app::RuntimeError);
  tlm_engine_release(nullptr), tlm_package_release(nullptr), tlm_session_release(nullptr), tlm_session_cancel(nullptr);
  TlmEngineOptions unsized{};
  TlmEngine* none = nullptr;
  EXPECT_EQ(tlm_engine_create(&unsized, &none), TLM_MISUSE);
}

// A caller that was built when the struct was shorter, and one that knows more members than this library.
TEST_F(CApi, OptionsOfOtherSizes) {
  alignas(TlmEngineOptions) unsigned char memory[sizeof(TlmEngineOptions) + 32];
  std::memset(memory, 0xee, sizeof memory);
  auto* options = reinterpret_cast<TlmEngineOptions*>(memory);
  options->size = offsetof(TlmEngineOptions, threads);
  options->executor = nullptr;
  TlmEngine* engine = nullptr;
  EXPECT_EQ(tlm_engine_create(options, &engine), TLM_OK) << tlm_error_message();
  tlm_engine_release(engine);
  std::memset(memory, 0, sizeof memory);
  options->size = sizeof memory;
  EXPECT_EQ(tlm_engine_create(options, &engine), TLM_OK);
  tlm_engine_release(engine);
}

// An application's executor of two threads.
struct Application {
  std::atomic<int> loops{0}, live{0};
  std::vector<std::string> messages;
  static void parallel_for(void* user, int64_t count, TlmTask body, void* context) {
    ++static_cast<Application*>(user)->loops;
    std::thread other([&] {
      for (int64_t i = 1; i < count; i += 2) body(context, i, 1);
    });
    for (int64_t i = 0; i < count; i += 2) body(context, i, 0);
    other.join();
  }
  static void* allocate(void* user, size_t bytes, size_t alignment) {
    ++static_cast<Application*>(user)->live;
    return std::aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
  }
  static void release(void* user, void* data, size_t) {
    --static_cast<Application*>(user)->live;
    std::free(data);
  }
  static void log(void* user, TlmLogLevel, const char* message) { static_cast<Application*>(user)->messages.push_back(message); }
};

TEST_F(CApi, ExecutorAllocatorLogAndTwoModelsAtOnce) {
  Application app;
  const TlmExecutor executor{&app, 2, Application::parallel_for};
  const TlmAllocator allocator{&app, Application::allocate, Application::release};
  auto options = tlm::app::options<TlmEngineOptions>();
  options.executor = &executor;
  options.log = Application::log;
  options.log_user = &app;
  tlm::app::Engine engine(&options);
  tlm::app::Package first(engine, kGolden), second(engine, kGolden);
  ASSERT_EQ(app.messages.size(), 2u);
  EXPECT_NE(app.messages[0].find("loaded 'sample' from"), std::string::npos);
  {
    auto session_options = tlm::app::options<TlmSessionOptions>();
    session_options.allocator = &allocator;
    tlm::app::Session a(first, &session_options), b(second, &session_options);
    std::atomic<int> wrong{0};
    const auto run = [&](tlm::app::Session& session) {
      std::memcpy(session.input(0), input().data(), kBytes);
      const auto* y = static_cast<float*>(session.output(0));
      session.output(1);
      for (int repeat = 0; repeat < 20; ++repeat) {
        session.run();
        wrong += !std::equal(y, y + kN, expected_y().begin());
      }
    };
    std::thread other(run, std::ref(a));
    run(b);
    other.join();
    EXPECT_EQ(wrong, 0);
    EXPECT_EQ(app.loops, 2 * 20 * 2);
    EXPECT_EQ(app.live, 8);
  }
  EXPECT_EQ(app.live, 0);
}

TEST_F(CApi, ArenaOfTheCaller) {
  tlm::app::Engine engine;
  tlm::app::Package package(engine, kGolden);
  size_t bytes = 0;
  ASSERT_EQ(tlm_package_arena_bytes(package.get(), 1, &bytes), TLM_OK);
  void* memory = std::aligned_alloc(64, (bytes + 63) / 64 * 64);
  {
    auto options = tlm::app::options<TlmSessionOptions>();
    options.threads = 1;
    options.arena = memory;
    options.arena_bytes = bytes;
    tlm::app::Session session(package, &options);
    EXPECT_EQ(tlm_session_arena_bytes(session.get()), bytes);
    options.arena_bytes = bytes - 1;
    EXPECT_THROW(tlm::app::Session(package, &options), tlm::app::RuntimeError);
  }
  std::free(memory);
}

TEST_F(CApi, CancelUnboundAndTimes) {
  tlm::app::Engine engine;
  tlm::app::Package package(engine, kGolden);
  tlm::app::Session session(package);
  EXPECT_EQ(tlm_session_run(session.get(), nullptr), TLM_MISUSE);
  EXPECT_STREQ(tlm_error_message(), "input 'x' has no memory: bind it first");
  session.input(0), session.output(0), session.output(1);
  session.cancel();
  EXPECT_EQ(tlm_session_run(session.get(), nullptr), TLM_CANCELLED);
  double steps[2] = {-1, -1}, total = -1, overhead = -1;
  auto options = tlm::app::options<TlmRunOptions>();
  options.step_ms = steps;
  options.step_count = 2;
  options.total_ms = &total;
  options.overhead_ms = &overhead;
  session.run(&options);
  EXPECT_GE(steps[0], 0);
  EXPECT_GE(total, steps[0] + steps[1]);
  EXPECT_GE(overhead, 0);
}

TEST_F(CApi, EngineWithoutSpinning) {
  auto options = tlm::app::options<TlmEngineOptions>();
  options.threads = 2;
  options.has_spin = 1;
  options.spin_us = 0;
  tlm::app::Engine engine(&options);
  tlm::app::Package package(engine, kGolden);
  tlm::app::Session session(package);
  std::memcpy(session.input(0), input().data(), kBytes);
  const auto* y = static_cast<float*>(session.output(0));
  session.output(1);
  for (int repeat = 0; repeat < 50; ++repeat) {
    session.run();
    ASSERT_TRUE(std::equal(y, y + kN, expected_y().begin()));
  }
}

// ---- The library as a file

std::string output_of(const std::string& command) {
  std::string text;
  if (FILE* pipe = popen(command.c_str(), "r")) {
    char buffer[4096];
    while (const size_t n = fread(buffer, 1, sizeof buffer, pipe)) text.append(buffer, n);
    pclose(pipe);
  }
  return text;
}

TEST(RuntimeLibrary, ExportsExactlyTheGoldenList) {
  std::ifstream file(TLM_SOURCE_DIR "/tests/runtime/exports.txt");
  const std::string golden{std::istreambuf_iterator<char>(file), {}};
  const std::string actual = output_of("nm -D --defined-only '" TLM_RUNTIME_LIBRARY "' | awk '{print $3}' | LC_ALL=C sort");
  ASSERT_NE(actual, "") << "no output of nm";
  EXPECT_EQ(actual, golden)
      << "a symbol is added to tests/runtime/exports.txt by intent and never removed within a major version";
}

TEST(RuntimeLibrary, HasASonameAndNeedsOnlySystemLibraries) {
  const std::string dynamic = output_of("readelf -d '" TLM_RUNTIME_LIBRARY "'");
  EXPECT_NE(dynamic.find("Library soname: [libtlm_runtime.so.0]"), std::string::npos) << dynamic;
  const std::string allowed[] = {"libstdc++.so.6", "libm.so.6",  "libgcc_s.so.1", "libc.so.6",
                                 "ld-linux",       "libasan.so", "libubsan.so",   "libtsan.so"};
  for (size_t at = 0; (at = dynamic.find("Shared library: [", at)) != std::string::npos;) {
    at += std::strlen("Shared library: [");
    const std::string name = dynamic.substr(at, dynamic.find(']', at) - at);
    EXPECT_TRUE(std::any_of(std::begin(allowed), std::end(allowed), [&](const std::string& a) { return name.rfind(a, 0) == 0; }))
        << name;
  }
}

}  // namespace
