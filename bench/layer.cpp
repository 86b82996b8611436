#include "layer.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <map>
#include <vector>

#include "tlm/core/error.h"
#include "tlm/core/median.h"
#include "tlm/core/rng.h"
#include "tlm/ir/passes/pass_list.h"
#include "tlm/kernels/cpu/fma_peak.h"
#include "tlm/kernels/cpu/memory_stream.h"
#include "tlm/tools/engine/engine.h"

namespace tlm::bench {
namespace {

constexpr double kTolerance = 1e-4;  // of max |a-b| / max(1, max |b|)

double seconds(const std::function<void()>& call) {
  const auto begin = std::chrono::steady_clock::now();
  call();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

double difference(const float* a, const float* b, size_t n) {
  double worst = 0, scale = 1;
  for (size_t i = 0; i < n; ++i) {
    worst = std::max(worst, std::fabs(static_cast<double>(a[i]) - b[i]));
    scale = std::max(scale, std::fabs(static_cast<double>(b[i])));
  }
  return worst / scale;
}

}  // namespace

Layer::Layer(ir::Graph g) {
  EngineOptions options;
  options.target.cores = 1;
  options.scheduler = "constructive";
  const Engine engine(options);
  ir::run_graph_passes(g);
  const codegen::CompiledModel model = engine.compile(g, {}, true);
  for (const codegen::WorkloadReport& w : model.report.workloads)
    if (!w.max_error || *w.max_error > kTolerance)
      throw Error(ErrorCode::kEnvironment,
                  w.name + " differs from the interpreter by " + std::to_string(w.max_error.value_or(-1)));
  session_ = std::make_unique<runtime::Session>(engine.load(model), runtime::SessionOptions{.threads = 1});
  for (const runtime::StepDesc& s : session_->package().variant().steps) flops_ += s.flops, bytes_ += s.bytes;
  Rng rng(1);
  for (size_t i = 0; i < session_->package().manifest().inputs.size(); ++i) {
    auto* x = static_cast<float*>(session_->input(static_cast<int>(i)));
    const size_t n = session_->input_bytes(static_cast<int>(i)) / sizeof(float);
    for (size_t k = 0; k < n; ++k) x[k] = static_cast<float>(2 * rng.uniform() - 1);
  }
  session_->output(0);
}

Layer& layer(const std::string& name, const std::function<ir::Graph()>& make) {
  static std::map<std::string, std::unique_ptr<Layer>> made;
  std::unique_ptr<Layer>& l = made[name];
  if (!l) l = std::make_unique<Layer>(make());
  return *l;
}

void time_layer(benchmark::State& state, Layer& layer, const Peer* peer) {
  layer.run();
  if (peer) {
    peer->call();
    if (difference(layer.output(), peer->output, layer.output_size()) > kTolerance) {
      state.SkipWithError(("outputs differ from those of " + peer->name).c_str());
      return;
    }
  }
  const double peak = kernels::measure_peak_gflops(1, 10, 3) * 1e9;
  const double stream = kernels::measure_stream_gbps(1, static_cast<size_t>(layer.bytes()), 10, 3) * 1e9;
  std::vector<double> own, other;
  for (auto _ : state) {
    own.push_back(seconds([&] { layer.run(); }));
    state.SetIterationTime(own.back());
    if (peer) other.push_back(seconds(peer->call));
  }
  const double time = median(own);
  if (layer.flops() / peak >= layer.bytes() / stream) {
    state.counters["FLOP/s"] = layer.flops() / time;
    state.counters["% of peak"] = 100 * layer.flops() / time / peak;
  } else {
    state.counters["B/s"] = layer.bytes() / time;
    state.counters["% of stream"] = 100 * layer.bytes() / time / stream;
  }
  if (peer) {
    state.counters[peer->name + " FLOP/s"] = layer.flops() / median(other);
    state.counters["x " + peer->name] = median(other) / time;
  }
}

}  // namespace tlm::bench
