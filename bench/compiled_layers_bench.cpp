// Single layers, compiled for this machine by the default scheduler, on one thread.
#include <benchmark/benchmark.h>

#include <memory>

#include "tlm/core/rng.h"
#include "tlm/ir/passes/pass_list.h"
#include "tlm/tools/engine/engine.h"
#include "tlm/tools/zoo/net_builder.h"

namespace {

using tlm::tools::NetBuilder;

// Compiles the network for one core, binds random inputs.
std::unique_ptr<tlm::runtime::Session> prepare(tlm::ir::Graph g) {
  tlm::EngineOptions options;
  options.target.cores = 1;
  const tlm::Engine engine(options);
  tlm::ir::run_graph_passes(g);
  auto session =
      std::make_unique<tlm::runtime::Session>(engine.load(engine.compile(g)), tlm::runtime::SessionOptions{.threads = 1});
  tlm::Rng rng(1);
  auto* x = static_cast<float*>(session->input(0));
  for (size_t i = 0; i < session->input_bytes(0) / sizeof(float); ++i) x[i] = static_cast<float>(2 * rng.uniform() - 1);
  session->output(0);
  return session;
}

void run(benchmark::State& state, tlm::ir::Graph g) {
  const auto session = prepare(std::move(g));
  double flops = 0;
  for (const auto& step : session->package().variant().steps) flops += step.flops;
  for (auto _ : state) session->run_or_throw();
  state.counters["FLOP/s"] = benchmark::Counter(flops, benchmark::Counter::kIsIterationInvariantRate);
}

// [m,k] × [k,n], the second constant.
void MatrixProduct(benchmark::State& state) {
  NetBuilder net("matmul", 1);
  const auto x = net.input("x", {state.range(0), state.range(1)});
  const auto w = net.normal("w", {state.range(1), state.range(2)}, 0, 1);
  run(state, net.finish({{"y", net.op(tlm::ir::OpKind::kMatMul, "matmul", {x, w})}}));
}
BENCHMARK(MatrixProduct)->ArgNames({"m", "k", "n"})->Args({1, 768, 768})->Args({128, 768, 768})->Args({512, 512, 512});

// One image of c channels and s × s points, as many channels out.
void Convolution(benchmark::State& state) {
  const int64_t c = state.range(0), size = state.range(1), kernel = state.range(2);
  NetBuilder net("conv", 1);
  const auto x = net.input("x", {1, c, size, size});
  run(state, net.finish({{"y", net.relu("relu", net.conv("conv", x, {c, kernel, 1, kernel / 2}, true))}}));
}
BENCHMARK(Convolution)->ArgNames({"c", "s", "kernel"})->Args({64, 56, 1})->Args({64, 56, 3})->Args({512, 7, 3});

void Softmax(benchmark::State& state) {
  NetBuilder net("softmax", 1);
  const auto x = net.input("x", {state.range(0), state.range(1)});
  run(state, net.finish({{"y", net.op(tlm::ir::OpKind::kSoftmax, "softmax", {x}, {{"axis", int64_t{1}}})}}));
}
BENCHMARK(Softmax)->ArgNames({"rows", "n"})->Args({128, 128})->Args({1, 32000});

}  // namespace
