#include "tlm/codegen/build/compile_c.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "tlm/codegen/build/temp_folder.h"
#include "tlm/core/error.h"
#include "tlm/core/runtime/code_loader.h"

namespace tlm::codegen {
namespace {

constexpr char kPhase[] = R"(
typedef struct { void* const* buffers; const long* ints; void* workspace; } Args;
__attribute__((visibility("hidden"))) void tlm_phase_0(const Args* a, long begin, long end, void* worker) {
  (void)worker;
  for (long i = begin; i < end; ++i) ((int*)a->buffers[0])[i] = (int)(7 * i);
}
)";
constexpr char kModule[] = R"(
typedef struct Args Args;
typedef void (*Phase)(const Args*, long, long, void*);
__attribute__((visibility("hidden"))) void tlm_phase_0(const Args*, long, long, void*);
static const Phase phases[] = {tlm_phase_0};
typedef struct { unsigned abi, count; const Phase* phases; } Module;
static const Module module = {1, 1, phases};
__attribute__((visibility("default"))) const Module* tlm_module(void) { return &module; }
)";

TEST(CompileC, BuildsAnImageThatRuns) {
  const Target target = host_target();
  const std::vector<std::byte> image = build_image({kPhase, kModule}, target, find_c_toolchain(target), {});
  const runtime::LoadedCode code(image, "test");
  ASSERT_EQ(code.module().phase_count, 1u);
  int out[10] = {};
  void* buffers[] = {out};
  const TlmKernelArgs args{buffers, nullptr, nullptr};
  code.module().phases[0](&args, 2, 10, nullptr);
  EXPECT_EQ(out[1], 0);
  EXPECT_EQ(out[9], 63);
}

TEST(CompileC, SameBytesForAnyNumberOfJobsAndFromTheCache) {
  const Target target = host_target();
  const CToolchain toolchain = find_c_toolchain(target);
  const TempFolder folder;
  const BinaryCache cache(folder.path() / "cache");
  BuildOptions one, many;
  many.jobs = 2;
  many.cache = &cache;
  const auto image = build_image({kPhase, kModule}, target, toolchain, one);
  EXPECT_EQ(build_image({kPhase, kModule}, target, toolchain, many), image);
  EXPECT_EQ(build_image({kPhase, kModule}, target, toolchain, many), image);  // every object a hit
}

TEST(CompileC, RejectedSourceIsABugWithTheCompilersMessage) {
  const Target target = host_target();
  try {
    build_image({"int f(void) { return nonsense; }"}, target, find_c_toolchain(target), {});
    FAIL();
  } catch (const InternalError& e) {
    EXPECT_NE(std::string(e.what()).find("nonsense"), std::string::npos) << e.what();
  }
}

TEST(CompileC, UndefinedSymbolsAreRefused) {
  const Target target = host_target();
  EXPECT_THROW(build_image({"extern int other(void); int f(void) { return other(); }"}, target, find_c_toolchain(target), {}), Error);
}

TEST(CompileC, ACompilerThatIsNotThereIsNamed) {
  try {
    find_c_toolchain(host_target(), "tlm-no-such-compiler");
    FAIL();
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), ErrorCode::kEnvironment);
    EXPECT_NE(std::string(e.what()).find("tlm-no-such-compiler"), std::string::npos) << e.what();
    EXPECT_NE(std::string(e.what()).find("--cc"), std::string::npos) << e.what();
  }
}

TEST(CompileC, CancelIsAnInterrupt) {
  const Target target = host_target();
  BuildOptions options;
  options.cancel.cancel();
  try {
    build_image({kPhase, kModule}, target, find_c_toolchain(target), options);
    FAIL();
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), ErrorCode::kInterrupted);
  }
}

}  // namespace
}  // namespace tlm::codegen
