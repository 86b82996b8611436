// Matrix products as they are emitted, on one thread: those of a BERT-base layer, matrix × vector as a GPT-2 has them, attention.
// Beside OpenBLAS where it was found; it packs its operands at each call, tlm has packed constants ahead of time.
#include <vector>

#include "layer.h"
#include "openblas.h"
#include "tlm/tools/zoo/net_builder.h"

namespace {

using tlm::bench::Layer;
using tlm::bench::Peer;
using tlm::tools::NetBuilder;

// `batch` products [m,k] × [k,n], or × [n,k]ᵀ, by OpenBLAS.
void time_with_openblas(benchmark::State& state, Layer& layer, const float* b, bool transposed, int batch, int m, int k, int n) {
#ifdef TLM_HAS_OPENBLAS
  openblas_set_num_threads(1);
  std::vector<float> c(layer.output_size());
  const float* a = layer.input(0);
  const Peer peer = {"OpenBLAS",
                     [&] {
                       for (int i = 0; i < batch; ++i)
                         cblas_sgemm(101, 111, transposed ? 112 : 111, m, n, k, 1, a + i * m * k, k, b + i * k * n,
                                     transposed ? k : n, 0, c.data() + i * m * n, n);
                     },
                     c.data()};
  tlm::bench::time_layer(state, layer, &peer);
#else
  (void)b, (void)transposed, (void)batch, (void)m, (void)k, (void)n;
  tlm::bench::time_layer(state, layer);
#endif
}

// [m,k] × [k,n], the second constant.
void MatrixProduct(benchmark::State& state) {
  const int64_t m = state.range(0), k = state.range(1), n = state.range(2);
  const std::string name = "product " + std::to_string(m) + " " + std::to_string(k) + " " + std::to_string(n);
  // The same weights by the same name and seed, for the peer.
  const auto weights = [&](NetBuilder& net) { return net.normal("w", {k, n}, 0, 1); };
  Layer& layer = tlm::bench::layer(name, [&] {
    NetBuilder net(name, 1);
    const auto x = net.input("x", {m, k});
    return net.finish({{"y", net.op(tlm::ir::OpKind::kMatMul, "matmul", {x, weights(net)})}});
  });
  NetBuilder net(name, 1);
  const auto x = net.input("x", {m, k});
  const auto w = weights(net);
  const tlm::ir::Graph g = net.finish({{"y", net.op(tlm::ir::OpKind::kMatMul, "matmul", {x, w})}});
  time_with_openblas(state, layer, g.value(w).constant->as<float>().data(), false, 1, static_cast<int>(m), static_cast<int>(k),
                     static_cast<int>(n));
}
BENCHMARK(MatrixProduct)
    ->ArgNames({"m", "k", "n"})
    ->Args({128, 768, 768})
    ->Args({128, 768, 3072})
    ->Args({128, 3072, 768})
    ->Args({512, 512, 512})
    ->Args({1024, 1024, 1024})
    ->Args({1, 768, 768})
    ->Args({1, 768, 3072})
    ->Args({1, 3072, 768})
    ->Args({1, 4096, 4096})
    ->UseManualTime()
    ->Unit(benchmark::kMicrosecond);

// [h,m,k] × [h,n,k]ᵀ, nothing constant: queries and keys of h heads.
void AttentionScores(benchmark::State& state) {
  const int64_t h = state.range(0), m = state.range(1), k = state.range(2), n = state.range(3);
  const std::string name =
      "scores " + std::to_string(h) + " " + std::to_string(m) + " " + std::to_string(k) + " " + std::to_string(n);
  Layer& layer = tlm::bench::layer(name, [&] {
    NetBuilder net(name, 1);
    const auto q = net.input("q", {h, m, k}), keys = net.input("k", {h, n, k});
    const auto t = net.op(tlm::ir::OpKind::kTranspose, "t", {keys}, {{"perm", std::vector<int64_t>{0, 2, 1}}});
    return net.finish({{"y", net.op(tlm::ir::OpKind::kMatMul, "matmul", {q, t})}});
  });
  time_with_openblas(state, layer, layer.input(1), true, static_cast<int>(h), static_cast<int>(m), static_cast<int>(k),
                     static_cast<int>(n));
}
BENCHMARK(AttentionScores)
    ->ArgNames({"h", "m", "k", "n"})
    ->Args({12, 128, 64, 128})
    ->Args({12, 1, 64, 1024})
    ->UseManualTime()
    ->Unit(benchmark::kMicrosecond);

}  // namespace
