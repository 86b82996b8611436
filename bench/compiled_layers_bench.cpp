// Layers other than matrix products as they are emitted, on one thread.
#include "layer.h"
#include "tlm/tools/zoo/net_builder.h"

namespace {

using tlm::ir::OpKind;
using tlm::ir::ValueId;
using tlm::tools::NetBuilder;

// A network of one input of this shape and the layer that `add` appends.
void run(benchmark::State& state, std::string name, const tlm::Shape& shape,
         const std::function<ValueId(NetBuilder&, ValueId)>& add) {
  for (const int64_t extent : shape) name += " " + std::to_string(extent);
  tlm::bench::Layer& layer = tlm::bench::layer(name, [&] {
    NetBuilder net(name, 1);
    const ValueId x = net.input("x", shape);
    return net.finish({{"y", add(net, x)}});
  });
  tlm::bench::time_layer(state, layer);
}

// One image of `in` channels and s × s points to `out` channels, bias and ReLU fused.
void Convolution(benchmark::State& state) {
  const int64_t in = state.range(0), out = state.range(1), size = state.range(2), kernel = state.range(3),
                stride = state.range(4);
  const std::string name = "conv " + std::to_string(out) + " " + std::to_string(kernel) + " " + std::to_string(stride);
  run(state, name, {1, in, size, size}, [&](NetBuilder& net, ValueId x) {
    return net.relu("relu", net.conv("conv", x, {out, kernel, stride, kernel / 2}, true));
  });
}
BENCHMARK(Convolution)
    ->ArgNames({"in", "out", "s", "kernel", "stride"})
    ->Args({3, 64, 224, 7, 2})
    ->Args({64, 64, 56, 1, 1})
    ->Args({256, 64, 56, 1, 1})
    ->Args({512, 128, 28, 1, 1})
    ->Args({1024, 256, 14, 1, 1})
    ->Args({2048, 512, 7, 1, 1})
    ->Args({64, 64, 56, 3, 1})
    ->Args({128, 128, 28, 3, 1})
    ->Args({256, 256, 14, 3, 1})
    ->Args({512, 512, 7, 3, 1})
    ->UseManualTime()
    ->Unit(benchmark::kMicrosecond);

void Depthwise(benchmark::State& state) {
  const int64_t c = state.range(0), size = state.range(1), stride = state.range(2);
  run(state, "depthwise " + std::to_string(stride), {1, c, size, size}, [&](NetBuilder& net, ValueId x) {
    return net.relu6("relu6", net.conv("conv", x, {c, 3, stride, 1, c}, true));
  });
}
BENCHMARK(Depthwise)
    ->ArgNames({"c", "s", "stride"})
    ->Args({32, 112, 1})
    ->Args({96, 112, 2})
    ->Args({192, 28, 1})
    ->Args({576, 14, 1})
    ->Args({960, 7, 1})
    ->UseManualTime()
    ->Unit(benchmark::kMicrosecond);

void Softmax(benchmark::State& state) {
  run(state, "softmax", {state.range(0), state.range(1)}, [](NetBuilder& net, ValueId x) {
    return net.op(OpKind::kSoftmax, "softmax", {x}, {{"axis", int64_t{1}}});
  });
}
BENCHMARK(Softmax)
    ->ArgNames({"rows", "n"})
    ->Args({1536, 128})
    ->Args({12, 1024})
    ->Args({1, 50257})
    ->UseManualTime()
    ->Unit(benchmark::kMicrosecond);

void LayerNorm(benchmark::State& state) {
  run(state, "layernorm", {state.range(0), state.range(1)}, [](NetBuilder& net, ValueId x) { return net.layer_norm("norm", x); });
}
BENCHMARK(LayerNorm)->ArgNames({"rows", "n"})->Args({1, 768})->Args({128, 768})->UseManualTime()->Unit(benchmark::kMicrosecond);

void Gelu(benchmark::State& state) {
  run(state, "gelu", {state.range(0), state.range(1)}, [](NetBuilder& net, ValueId x) { return net.gelu("gelu", x); });
}
BENCHMARK(Gelu)->ArgNames({"rows", "n"})->Args({128, 3072})->UseManualTime()->Unit(benchmark::kMicrosecond);

void MaxPool(benchmark::State& state) {
  const int64_t c = state.range(0), size = state.range(1), pad = state.range(2);
  run(state, "maxpool " + std::to_string(pad), {1, c, size, size},
      [&](NetBuilder& net, ValueId x) { return net.max_pool("pool", x, 3, 2, pad); });
}
BENCHMARK(MaxPool)
    ->ArgNames({"c", "s", "pad"})
    ->Args({64, 112, 1})
    ->Args({128, 55, 0})
    ->UseManualTime()
    ->Unit(benchmark::kMicrosecond);

void GlobalAveragePool(benchmark::State& state) {
  run(state, "average", {1, state.range(0), state.range(1), state.range(1)},
      [](NetBuilder& net, ValueId x) { return net.global_average_pool("pool", x); });
}
BENCHMARK(GlobalAveragePool)
    ->ArgNames({"c", "s"})
    ->Args({2048, 7})
    ->Args({1000, 13})
    ->UseManualTime()
    ->Unit(benchmark::kMicrosecond);

}  // namespace
