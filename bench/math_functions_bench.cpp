// The f32 math functions of generated code on vectors of this machine: values that stay in the nearest cache. Their errors are
// those of tests/codegen_lower/math_test.
#include <benchmark/benchmark.h>

#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "tlm/codegen/build/compile_c.h"
#include "tlm/codegen/lower/lower.h"
#include "tlm/codegen/source/source_c.h"
#include "tlm/core/rng.h"
#include "tlm/core/runtime/code_loader.h"
#include "tlm/ir/tensor/subgraph.h"
#include "tlm/space/space.h"

namespace {

constexpr int kCount = 4096;  // 16 KiB in, 16 KiB out

// y[i] = function(x[i]), compiled for one core of this machine.
class MathKernel {
 public:
  explicit MathKernel(const std::string& function) {
    const std::string n = std::to_string(kCount);
    const tlm::ir::Subgraph g = tlm::ir::parse_subgraph("subgraph \"map\" {\n  input X: f32[" + n + "]\n  output Y: f32[" + n +
                                                        "]\n  stage \"map\" {\n    spatial i:" + n + "\n    body " + function +
                                                        "(X[i])\n    store Y[i] = acc0\n  }\n}\n");
    tlm::Target target = tlm::host_target();
    target.cores = 1;
    const tlm::space::Walk walk = tlm::space::Space::build(g, target)->constructive();
    kernel_ = tlm::codegen::lower(walk.subgraph(), walk.plan(), target);
    const tlm::ir::Kernel* kernels[] = {&kernel_};
    const uint32_t entries[] = {0};
    const auto phases = static_cast<uint32_t>(kernel_.phases.size());
    image_ =
        tlm::codegen::build_image({tlm::codegen::write_c(kernels, entries, target), tlm::codegen::write_c_module(phases, target)},
                                  target, tlm::codegen::find_c_toolchain(target), {});
    code_ = std::make_unique<tlm::runtime::LoadedCode>(image_, function);
  }

  void run(const float* x, float* y, void* workspace) const {
    void* const buffers[] = {const_cast<float*>(x), y};
    const TlmKernelArgs args = {buffers, nullptr, workspace};
    for (size_t p = 0; p < kernel_.phases.size(); ++p) code_->module().phases[p](&args, 0, kernel_.phases[p].extent, workspace);
  }

 private:
  tlm::ir::Kernel kernel_;
  std::vector<std::byte> image_;
  std::unique_ptr<tlm::runtime::LoadedCode> code_;
};

using Reference = double (*)(double);

void MathFunction(benchmark::State& state, const std::string& function, Reference reference, double low, double high) {
  const MathKernel kernel(function);
  struct alignas(64) Memory {
    float x[kCount], y[kCount], workspace[kCount];
  };
  const auto memory = std::make_unique<Memory>();
  tlm::Rng rng(1);
  for (float& x : memory->x) x = static_cast<float>(low + (high - low) * rng.uniform());
  kernel.run(memory->x, memory->y, memory->workspace);
  for (int i = 0; i < kCount; ++i) {
    const double exact = reference(memory->x[i]);
    if (!(std::fabs(memory->y[i] - exact) <= 4 * 0x1p-23 * std::fabs(exact))) {
      state.SkipWithError(("a wrong value at " + std::to_string(memory->x[i])).c_str());
      return;
    }
  }
  for (auto _ : state) {
    kernel.run(memory->x, memory->y, memory->workspace);
    benchmark::ClobberMemory();
  }
  state.counters["values/s"] = benchmark::Counter(kCount, benchmark::Counter::kIsIterationInvariantRate);
}
BENCHMARK_CAPTURE(MathFunction, exp, "exp", std::exp, -20, 20);
BENCHMARK_CAPTURE(MathFunction, erf, "erf", std::erf, -4, 4);
BENCHMARK_CAPTURE(MathFunction, tanh, "tanh", std::tanh, -4, 4);
BENCHMARK_CAPTURE(
    MathFunction, rsqrt, "rsqrt", [](double x) { return 1 / std::sqrt(x); }, 0.01, 100);
BENCHMARK_CAPTURE(MathFunction, log, "log", std::log, 0.01, 100);
BENCHMARK_CAPTURE(MathFunction, copy, "abs", std::fabs, -4, 4);  // what loads and stores alone take

}  // namespace
