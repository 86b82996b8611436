#include "tlm/ir/tensor/merge_axes.h"

#include <gtest/gtest.h>

#include "tests/support/expression_generator.h"
#include "tlm/ir/tensor/interpret.h"
#include "tlm/ir/tensor/placement.h"

namespace tlm::ir {
namespace {

struct Case {
  const char* name;
  const char* before;
  const char* after;
};

constexpr Case kCases[] = {
    {"a pointwise convolution with bias, activation and residual is a product of matrices", R"(subgraph "g" {
  input X: f32[2,8,5,6] strides [240,1,48,8]
  constant W: f32[4,8,1,1]
  constant B: f32[4]
  input R: f32[2,4,5,6] strides [120,1,24,4]
  internal C: f32[2,4,5,6] strides [120,1,24,4]
  output Y: f32[2,4,5,6] strides [120,1,24,4]
  stage "conv" {
    spatial n:2, co:4, oh:5, ow:6
    reduce ci:8, kh:1, kw:1
    body X[n, ci, oh + kh, ow + kw]*W[co, ci, kh, kw]
    combine sum
    store C[n, co, oh, ow] = acc0 + B[co]
  }
  stage "add" {
    spatial n:2, c:4, h:5, w:6
    body max(C[n, c, h, w] + R[n, c, h, w], 0.0)
    store Y[n, c, h, w] = acc0
  }
}
)",
     R"(subgraph "g" {
  input X: f32[60,8]
  constant W: f32[4,8]
  constant B: f32[4]
  input R: f32[60,4]
  internal C: f32[60,4]
  output Y: f32[60,4]
  stage "conv" {
    spatial n_oh_ow:60, co:4
    reduce ci:8
    body X[n_oh_ow, ci]*W[co, ci]
    combine sum
    store C[n_oh_ow, co] = acc0 + B[co]
  }
  stage "add" {
    spatial n_h_w:60, c:4
    body max(C[n_h_w, c] + R[n_h_w, c], 0.0)
    store Y[n_h_w, c] = acc0
  }
}
)"},
    {"a chain of elementwise stages is one row", R"(subgraph "g" {
  input X: f32[1,3,4,5] strides [60,1,15,3]
  internal T: f32[1,3,4,5]
  output Y: f32[1,3,4,5] strides [60,1,15,3] offset 7 buffer 70
  stage "a" {
    spatial n:1, c:3, h:4, w:5
    body exp(X[n, c, h, w])
    store T[n, c, h, w] = acc0
  }
  stage "b" {
    spatial n:1, c:3, h:4, w:5
    body T[n, c, h, w] + X[n, c, h, w]
    store Y[n, c, h, w] = acc0
  }
}
)",
     R"(subgraph "g" {
  input X: f32[60]
  internal T: f32[60]
  output Y: f32[60] offset 7 buffer 70
  stage "a" {
    spatial h_w_c:60
    body exp(X[h_w_c])
    store T[h_w_c] = acc0
  }
  stage "b" {
    spatial h_w_c:60
    body T[h_w_c] + X[h_w_c]
    store Y[h_w_c] = acc0
  }
}
)"},
    {"windows, guards, gaps in memory, constants in another order and axes used as values stay apart", R"(subgraph "g" {
  input X: f32[4,5,6]
  input G: f32[4,5] strides [7,1] buffer 30
  constant K: f32[5,4]
  output Y: f32[4,5,6]
  output Z: f32[3,5]
  output I: i64[4,5]
  stage "guard" {
    spatial a:4, b:5, c:6
    body select(1 <= b, X[a, b, c], 0.0) + K[b, a]
    store Y[a, b, c] = acc0
  }
  stage "window" {
    spatial a:3, b:5
    reduce r:2, c:6
    body X[a + r, b, c]
    combine sum
    store Z[a, b] = acc0 + G[a, b]
  }
  stage "index" {
    spatial a:4, b:5
    body a
    store I[a, b] = acc0
  }
}
)",
     nullptr},
    {"reduction axes merge; one of a single point remains to combine over", R"(subgraph "g" {
  input X: f32[3,4,5]
  output Y: f32[3]
  output Z: f32[3]
  stage "sum" {
    spatial a:3
    reduce b:4, c:5
    body X[a, b, c]
    combine sum
    store Y[a] = acc0
  }
  stage "one" {
    spatial a:3
    reduce b:1, c:1
    body X[a, b + 2, c]
    combine sum
    store Z[a] = acc0
  }
}
)",
     R"(subgraph "g" {
  input X: f32[3,4,5]
  output Y: f32[3]
  output Z: f32[3]
  stage "sum" {
    spatial a:3
    reduce b:4, c:5
    body X[a, b, c]
    combine sum
    store Y[a] = acc0
  }
  stage "one" {
    spatial a:3
    reduce b:1
    body X[a, b + 2, 0]
    combine sum
    store Z[a] = acc0
  }
}
)"},
    {"a mean over an image is one over a row", R"(subgraph "g" {
  input X: f32[3,4,5] strides [1,15,3]
  output Y: f32[3,1,1]
  stage "sum" {
    spatial a:3
    reduce b:4, c:5
    body X[a, b, c]
    combine sum
    store Y[a, 0, 0] = acc0/20.0
  }
}
)",
     R"(subgraph "g" {
  input X: f32[3,20] strides [1,3]
  output Y: f32[3]
  stage "sum" {
    spatial a:3
    reduce b_c:20
    body X[a, b_c]
    combine sum
    store Y[a] = acc0/20.0
  }
}
)"},
    {"where order matters only neighbours of the sequence merge", R"(subgraph "g" {
  input X: f32[4,5] strides [1,4]
  output Y: f32[]
  stage "fold" {
    reduce a:4, b:5
    body X[a, b]
    combine tuple not_commutative
    identity 0.0
    update acc0*0.5 + acc1
    store Y[] = acc0
  }
}
)",
     nullptr},
};

TEST(MergeAxes, Cases) {
  for (const Case& c : kCases) {
    SCOPED_TRACE(c.name);
    const Subgraph before = parse_subgraph(c.before);
    verify(before);
    const Subgraph after = merge_axes(before);
    verify(after);
    EXPECT_EQ(print(after), print(parse_subgraph(c.after ? c.after : c.before)));
    EXPECT_EQ(print(merge_axes(after)), print(after)) << "not canonical";
  }
}

// Convolutions of images of the same number of points are the same product of matrices.
TEST(MergeAxes, EqualComputationsAreEqualWorkloads) {
  const auto pointwise = [](const std::string& h, const std::string& w) {
    return parse_subgraph(
        "subgraph \"g\" {\n  input X: f32[8," + h + "," + w + "]\n  constant W: f32[4,8]\n  output Y: f32[4," + h + "," + w +
        "]\n  stage \"s\" {\n    spatial co:4, h:" + h + ", w:" + w +
        "\n    reduce ci:8\n    body X[ci, h, w]*W[co, ci]\n    combine sum\n    store Y[co, h, w] = acc0\n  }\n}\n");
  };
  EXPECT_NE(workload_hash(pointwise("6", "4")), workload_hash(pointwise("3", "8")));
  EXPECT_EQ(workload_hash(merge_axes(pointwise("6", "4"))), workload_hash(merge_axes(pointwise("3", "8"))));
}

// The buffers after running `g` on the contents `buffers` (by tensor), outputs only.
std::vector<std::vector<std::byte>> run(const Subgraph& g, const std::vector<std::vector<std::byte>>& buffers,
                                        const std::vector<Tensor>& constants) {
  std::vector<Tensor> bound(g.tensors.size());
  for (size_t t = 0; t < bound.size(); ++t) {
    if (g.tensors[t].role == TensorRole::kInput) bound[t] = gather(g.tensors[t], buffers[t].data());
    if (g.tensors[t].role == TensorRole::kConstant) bound[t] = constants[t].reshaped(g.tensors[t].shape);
  }
  interpret(g, bound);
  std::vector<std::vector<std::byte>> out;
  for (size_t t = 0; t < bound.size(); ++t)
    out.push_back(g.tensors[t].role == TensorRole::kOutput ? place(g.tensors[t], bound[t]) : std::vector<std::byte>());
  return out;
}

TEST(MergeAxes, RandomProgramsComputeTheSame) {
  int changed = 0, merged = 0;
  test::GeneratorOptions options;
  options.mode = test::GeneratorOptions::Mode::kExact;
  for (uint64_t seed = 0; seed < 1500; ++seed) {
    options.views = seed % 2;
    const test::GeneratedProgram p = test::generate_program(seed, options);
    const Subgraph after = merge_axes(p.g);
    ASSERT_NO_THROW(verify(after)) << seed << print(p.g) << print(after);
    const auto axes = [](const Subgraph& g, bool several) {
      size_t n = 0;
      for (const Stage& s : g.stages)
        for (const Axis& a : s.axes) n += !several || a.extent > 1;
      return n;
    };
    if (print(after) == print(p.g)) continue;
    ++changed;
    merged += axes(after, true) < axes(p.g, true);
    std::vector<std::vector<std::byte>> buffers;
    for (size_t t = 0; t < p.g.tensors.size(); ++t) {
      const bool input = p.g.tensors[t].role == TensorRole::kInput;
      buffers.push_back(input ? place(p.g.tensors[t], p.inputs_and_constants[t]) : std::vector<std::byte>());
    }
    ASSERT_EQ(run(p.g, buffers, p.inputs_and_constants), run(after, buffers, p.inputs_and_constants))
        << seed << "\n"
        << print(p.g) << print(after);
  }
  EXPECT_GT(changed, 300);
  EXPECT_GT(merged, 100);
}

}  // namespace
}  // namespace tlm::ir
