// Convolution and pooling against plain loops.
#include <gtest/gtest.h>

#include <cmath>

#include "run_graph.h"

namespace tlm::ir::test {
namespace {

using Ints = std::vector<int64_t>;

struct Geometry {
  const char* name;
  Shape x;
  int64_t m;  // output channels
  Ints kernel, strides, pads, dilations;
  int64_t group = 1;
  Attributes attrs() const {
    return {{"kernel_shape", kernel}, {"strides", strides}, {"pads", pads}, {"dilations", dilations}, {"group", group}};
  }
};

const Geometry kGeometries[] = {
    {"pointwise", {2, 3, 4, 5}, 4, {1, 1}, {1, 1}, {0, 0, 0, 0}, {1, 1}},
    {"3x3 padded", {1, 2, 5, 6}, 3, {3, 3}, {1, 1}, {1, 1, 1, 1}, {1, 1}},
    {"strided, uneven pads", {1, 2, 7, 6}, 2, {3, 2}, {2, 3}, {1, 0, 0, 2}, {1, 1}},
    {"dilated", {1, 1, 8, 8}, 2, {3, 3}, {1, 2}, {2, 1, 2, 1}, {2, 3}},
    {"two groups", {1, 4, 5, 5}, 6, {3, 3}, {1, 1}, {1, 1, 1, 1}, {1, 1}, 2},
    {"depthwise", {2, 3, 5, 5}, 3, {3, 3}, {2, 2}, {1, 1, 1, 1}, {1, 1}, 3},
    {"depthwise with multiplier", {1, 3, 5, 5}, 6, {3, 3}, {1, 1}, {1, 1, 1, 1}, {1, 1}, 3},
    {"one dimension", {2, 2, 9}, 3, {4}, {2}, {1, 2}, {1}},
    {"three dimensions", {1, 2, 4, 5, 4}, 2, {2, 3, 2}, {1, 2, 1}, {0, 1, 1, 1, 1, 0}, {1, 1, 1}},
};

// Calls f with every index of `shape`.
void each(const Shape& shape, const std::function<void(const Ints&)>& f) {
  Ints at(shape.size(), 0);
  for (int64_t n = element_count(shape), i = 0; i < n; ++i) {
    f(at);
    for (size_t d = shape.size(); d-- > 0;) {
      if (++at[d] < shape[d]) break;
      at[d] = 0;
    }
  }
}

int64_t flat(const Ints& at, const Shape& shape) {
  int64_t f = 0;
  for (size_t d = 0; d < shape.size(); ++d) f = f * shape[d] + at[d];
  return f;
}

// For each output and kernel position inside the input: f(output index, kernel index, input spatial index).
void windows(const Geometry& g, const Shape& y, const std::function<void(const Ints&, const Ints&, const Ints&)>& f) {
  each(y, [&](const Ints& o) {
    each(g.kernel, [&](const Ints& k) {
      Ints i;
      for (size_t d = 0; d < k.size(); ++d) {
        i.push_back(o[d + 2] * g.strides[d] + k[d] * g.dilations[d] - g.pads[d]);
        if (i.back() < 0 || i.back() >= g.x[d + 2]) return;
      }
      f(o, k, i);
    });
  });
}

Tensor conv_reference(const Geometry& g, const Tensor& x, const Tensor& w, const Tensor* bias, const Shape& ys) {
  std::vector<double> y(static_cast<size_t>(element_count(ys)), 0);
  int64_t cig = g.x[1] / g.group, cog = g.m / g.group;
  windows(g, ys, [&](const Ints& o, const Ints& k, const Ints& i) {
    for (int64_t c = 0; c < cig; ++c) {
      Ints xi = {o[0], o[1] / cog * cig + c}, wi = {o[1], c};
      xi.insert(xi.end(), i.begin(), i.end());
      wi.insert(wi.end(), k.begin(), k.end());
      y[static_cast<size_t>(flat(o, ys))] += x.at_f64(flat(xi, x.shape())) * w.at_f64(flat(wi, w.shape()));
    }
  });
  if (bias) each(ys, [&](const Ints& o) { y[static_cast<size_t>(flat(o, ys))] += bias->at_f64(o[1]); });
  return tensor(DType::kF32, ys, y);
}

TEST(Spatial, Conv) {
  for (const Geometry& g : kGeometries) {
    SCOPED_TRACE(g.name);
    Shape ws = {g.m, g.x[1] / g.group};
    ws.insert(ws.end(), g.kernel.begin(), g.kernel.end());
    Tensor x = random(g.x, 1), w = random(ws, 2), b = random({g.m}, 3);
    Tensor y = run(OpKind::kConv, {input(x), constant(w), constant(b)}, g.attrs())[0];
    expect_tensor(y, conv_reference(g, x, w, &b, y.shape()), 1e-5, 1e-5);
  }
}

TEST(Spatial, ConvKeepsPhysicalOrder) {
  // Channels-last: padding and the group tensor follow the order of their neighbours.
  OneNode n = one_node(OpKind::kConv, {input(random({1, 4, 5, 5}, 1)), constant(random({6, 2, 3, 3}, 2))},
                       {{"pads", Ints{1, 1, 1, 1}}, {"group", int64_t{2}}});
  for (ValueId v : {n.graph.inputs[0], n.graph.outputs[0]}) n.graph.value(v).order = {0, 2, 3, 1};
  SubgraphBuilder b(n.graph);
  ASSERT_TRUE(lower_graph(n.graph, b));
  verify(b.subgraph);
  ASSERT_EQ(b.subgraph.stages.size(), 3u);
  const TensorDecl& pad = b.subgraph.tensors[static_cast<size_t>(b.subgraph.stages[0].outputs[0].tensor)];
  EXPECT_EQ(pad.strides, (Ints{196, 1, 28, 4}));
  const TensorDecl& groups = b.subgraph.tensors[static_cast<size_t>(b.subgraph.stages[1].outputs[0].tensor)];
  EXPECT_EQ(groups.shape, (Shape{1, 2, 3, 5, 5}));
  EXPECT_EQ(groups.strides, (Ints{150, 3, 1, 30, 6}));
}

// y[o] += x[i]·w[k] at o = i·stride - pad + k·dilation: scattered, where the lowering gathers.
TEST(Spatial, ConvTranspose) {
  struct Row {
    Geometry g;
    Ints output_padding;
  };
  const Row rows[] = {
      {{"stride 1", {1, 2, 4, 4}, 3, {3, 3}, {1, 1}, {0, 0, 0, 0}, {1, 1}}, {0, 0}},
      {{"stride 2, padded", {2, 2, 4, 5}, 3, {3, 3}, {2, 2}, {1, 1, 1, 1}, {1, 1}}, {1, 1}},
      {{"stride 3 beyond the kernel", {1, 1, 3, 3}, 1, {2, 2}, {3, 3}, {0, 0, 0, 0}, {1, 1}}, {0, 0}},
      {{"dilated groups", {1, 4, 4, 4}, 4, {2, 3}, {2, 1}, {1, 0, 0, 1}, {2, 2}, 2}, {0, 0}},
      {{"one dimension", {1, 2, 5}, 2, {4}, {2}, {1, 1}, {1}}, {1}},
  };
  for (const Row& r : rows) {
    const Geometry& g = r.g;
    SCOPED_TRACE(g.name);
    Shape ws = {g.x[1], g.m / g.group};
    ws.insert(ws.end(), g.kernel.begin(), g.kernel.end());
    Tensor x = random(g.x, 1), w = random(ws, 2), b = random({g.m}, 3);
    Attributes attrs = g.attrs();
    attrs["output_padding"] = r.output_padding;
    Tensor y = run(OpKind::kConvTranspose, {input(x), constant(w), constant(b)}, attrs)[0];
    std::vector<double> expected(static_cast<size_t>(y.size()), 0);
    int64_t cig = g.x[1] / g.group, cog = g.m / g.group;
    each(g.x, [&](const Ints& i) {
      each(g.kernel, [&](const Ints& k) {
        for (int64_t c = 0; c < cog; ++c) {
          Ints o = {i[0], i[1] / cig * cog + c}, wi = {i[1], c};
          bool inside = true;
          for (size_t d = 0; d < k.size(); ++d) {
            o.push_back(i[d + 2] * g.strides[d] - g.pads[d] + k[d] * g.dilations[d]);
            inside = inside && o.back() >= 0 && o.back() < y.shape()[d + 2];
          }
          wi.insert(wi.end(), k.begin(), k.end());
          if (inside) expected[static_cast<size_t>(flat(o, y.shape()))] += x.at_f64(flat(i, g.x)) * w.at_f64(flat(wi, ws));
        }
      });
    });
    each(y.shape(), [&](const Ints& o) { expected[static_cast<size_t>(flat(o, y.shape()))] += b.at_f64(o[1]); });
    expect_tensor(y, tensor(DType::kF32, y.shape(), expected), 1e-5, 1e-5);
  }
}

TEST(Spatial, Pooling) {
  for (Geometry g : kGeometries) {
    if (g.group != 1) continue;
    SCOPED_TRACE(g.name);
    for (size_t d = 0; d < g.kernel.size(); ++d) {  // pads must be smaller than the kernel
      if (g.dilations[d] > 1) continue;
      for (size_t e : {d, d + g.kernel.size()}) g.pads[e] = std::min(g.pads[e], g.kernel[d] - 1);
    }
    for (int64_t ceil_mode : {0, 1}) {
      Tensor x = random(g.x, 5);
      Attributes attrs = g.attrs();
      attrs.erase("group");
      attrs["ceil_mode"] = ceil_mode;
      Tensor max = run(OpKind::kMaxPool, {input(x)}, attrs)[0];
      const Shape ys = max.shape();
      auto n = static_cast<size_t>(max.size());
      std::vector<double> best(n, -INFINITY), place(n, -1), sum(n, 0), count(n, 0);
      windows(g, ys, [&](const Ints& o, const Ints&, const Ints& i) {
        Ints xi = {o[0], o[1]};
        xi.insert(xi.end(), i.begin(), i.end());
        auto y = static_cast<size_t>(flat(o, ys));
        double v = x.at_f64(flat(xi, g.x));
        if (v > best[y]) {
          best[y] = v;
          place[y] = static_cast<double>(flat(xi, g.x));
        }
        sum[y] += v;
        count[y] += 1;
      });
      expect_tensor(max, tensor(DType::kF32, ys, best), 0, 0);
      std::vector<Tensor> both = run(OpKind::kMaxPool, {input(x)}, attrs, 2);
      expect_tensor(both[0], max, 0, 0);
      expect_tensor(both[1], tensor(DType::kI64, ys, place), 0, 0);
      for (size_t i = 0; i < n; ++i) sum[i] /= count[i];
      expect_tensor(run(OpKind::kAveragePool, {input(x)}, attrs)[0], tensor(DType::kF32, ys, sum), 1e-5, 1e-6);
    }
  }
}

TEST(Spatial, AverageCounts) {
  // 3 elements with one of padding on each side, windows of 2 by steps of 2: {pad, 2} {4, 6}.
  In x = f32({1, 1, 3}, {2, 4, 6});
  Attributes a = {{"kernel_shape", Ints{2}}, {"strides", Ints{2}}, {"pads", Ints{1, 1}}};
  check({{"without padding", OpKind::kAveragePool, {x}, a, {tensor(DType::kF32, {1, 1, 2}, {2, 5})}}});
  a["count_include_pad"] = int64_t{1};
  check({{"with padding", OpKind::kAveragePool, {x}, a, {tensor(DType::kF32, {1, 1, 2}, {1, 5})}}});
  // Windows of 3 by steps of 2 over 1 + 5: {pad, 2, 4} {4, 6, 8} {8, 10, past the end}.
  a = {{"kernel_shape", Ints{3}}, {"strides", Ints{2}}, {"pads", Ints{1, 0}}, {"ceil_mode", int64_t{1}}};
  check(
      {{"ceil mode", OpKind::kAveragePool, {f32({1, 1, 5}, {2, 4, 6, 8, 10})}, a, {tensor(DType::kF32, {1, 1, 3}, {3, 6, 9})}}});
}

TEST(Spatial, OtherPools) {
  In x = f32({1, 2, 2, 2}, {1, -2, 3, 4, 3, 4, 0, 0});
  check({
      {"global average", OpKind::kGlobalAveragePool, {x}, {}, {tensor(DType::kF32, {1, 2, 1, 1}, {1.5, 1.75})}},
      {"global max", OpKind::kGlobalMaxPool, {x}, {}, {tensor(DType::kF32, {1, 2, 1, 1}, {4, 4})}},
      {"global lp", OpKind::kGlobalLpPool, {x}, {{"p", int64_t{2}}}, {tensor(DType::kF32, {1, 2, 1, 1}, {std::sqrt(30.0), 5})}},
      {"lp",
       OpKind::kLpPool,
       {x},
       {{"kernel_shape", Ints{1, 2}}, {"p", int64_t{1}}},
       {tensor(DType::kF32, {1, 2, 2, 1}, {3, 7, 7, 0})}},
      {"column major places",
       OpKind::kMaxPool,
       {x},
       {{"kernel_shape", Ints{2, 2}}, {"storage_order", int64_t{1}}},
       {tensor(DType::kF32, {1, 2, 1, 1}, {4, 4}), tensor(DType::kI64, {1, 2, 1, 1}, {3, 6})}},
  });
}

TEST(Spatial, LRN) {
  for (double beta : {0.5, 0.75, 1.0, 0.6}) {
    for (int64_t size : {1, 2, 3, 5}) {
      Tensor x = random({2, 4, 3, 1}, 9), expected(DType::kF32, x.shape());
      double alpha = 0.3, bias = 1.5;
      each(x.shape(), [&](const Ints& at) {
        double sum = 0;
        for (int64_t c = at[1] - (size - 1) / 2; c <= at[1] + size / 2; ++c) {
          if (c < 0 || c >= 4) continue;
          double v = x.at_f64(flat({at[0], c, at[2], at[3]}, x.shape()));
          sum += v * v;
        }
        int64_t i = flat(at, x.shape());
        expected.set_f64(i, x.at_f64(i) / std::pow(bias + alpha / static_cast<double>(size) * sum, beta));
      });
      expect_tensor(run(OpKind::kLRN, {input(x)}, {{"size", size}, {"alpha", alpha}, {"beta", beta}, {"bias", bias}})[0],
                    expected);
    }
  }
}

}  // namespace
}  // namespace tlm::ir::test
