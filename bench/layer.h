// One layer, compiled for this machine by the constructive scheduler, beside what the machine can do and beside a peer.
#pragma once

#include <benchmark/benchmark.h>

#include <functional>
#include <memory>
#include <string>

#include "tlm/core/runtime/session.h"
#include "tlm/ir/graph/graph.h"

namespace tlm::bench {

class Layer {
 public:
  // Compiles for one core, compares with the interpreter, binds random inputs. Throws Error where they differ.
  explicit Layer(ir::Graph g);
  void run() { session_->run_or_throw(); }
  const float* input(int i) const { return static_cast<const float*>(session_->input(i)); }
  const float* output() const { return static_cast<const float*>(session_->output(0)); }
  size_t output_size() const { return session_->output_bytes(0) / sizeof(float); }
  double flops() const { return flops_; }
  double bytes() const { return bytes_; }  // inputs, outputs and constants of its steps

 private:
  std::unique_ptr<runtime::Session> session_;
  double flops_ = 0, bytes_ = 0;
};

// The layer of this name, made once: Google Benchmark calls a benchmark several times.
Layer& layer(const std::string& name, const std::function<ir::Graph()>& make);

// The same computation by another library.
struct Peer {
  std::string name;
  std::function<void()> call;  // from the layer's inputs to `output`
  const float* output = nullptr;
};

// Times the layer, in turns with the peer if there is one, whose outputs are compared first. Counters: FLOP/s and % of the
// multiply-add peak, or GB/s and % of the memory stream (of as many bytes) for layers that are bound by it, peak and stream of
// this very run; the peer's FLOP/s and how many times its speed the layer has (medians).
void time_layer(benchmark::State& state, Layer& layer, const Peer* peer = nullptr);

}  // namespace tlm::bench
