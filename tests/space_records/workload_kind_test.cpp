#include "tlm/space/records/workload_kind.h"

#include <gtest/gtest.h>

#include "workloads.h"

namespace tlm::space::test {
namespace {

ir::Subgraph text(const std::string& body) { return ir::parse_subgraph("subgraph \"g\" {\n" + body + "}\n"); }

TEST(WorkloadKind, FollowsFromTheAccesses) {
  const ir::Subgraph vector_times_matrix = text(
      "  input X: f32[64]\n  constant W: f32[10,64]\n  output Y: f32[10]\n  stage \"s\" {\n    spatial j:10\n    reduce k:64\n"
      "    body X[k]*W[j, k]\n    combine sum\n    store Y[j] = acc0\n  }\n");
  const ir::Subgraph wide_window = text(
      "  input X: f32[16,30]\n  constant W: f32[32,16,5]\n  output Y: f32[32,26]\n  stage \"s\" {\n    spatial c:32, t:26\n"
      "    reduce d:16, k:5\n    body X[d, t + k]*W[c, d, k]\n    combine sum\n    store Y[c, t] = acc0\n  }\n");
  const ir::Subgraph sum_of_squares = text(
      "  input X: f32[8,64]\n  output Y: f32[8]\n  stage \"s\" {\n    spatial i:8\n    reduce k:64\n    body X[i, k]*X[i, k]\n"
      "    combine sum\n    store Y[i] = acc0\n  }\n");
  const ir::Subgraph row_products = text(
      "  input X: f32[8,64]\n  input Z: f32[8,64]\n  output Y: f32[8]\n  stage \"s\" {\n    spatial i:8\n    reduce k:64\n"
      "    body X[i, k]*Z[i, k]\n    combine sum\n    store Y[i] = acc0\n  }\n");
  const struct {
    const char* name;
    ir::Subgraph g;
    const char* kind;
  } rows[] = {
      {"matrix product", matmul(8, 16, 32), "product"},
      {"one row", matmul(1, 16, 32), "matrix-vector"},
      {"vector times matrix", vector_times_matrix, "matrix-vector"},
      {"attention scores", attention_scores(4, 16, 8), "batched-product"},
      {"1×1", convolution(14, 32, 32, 1, 1), "product"},
      {"3×3", convolution(14, 32, 32, 3, 1), "window"},
      {"3×3, channels first", convolution_channels_first(32, 16, 14, 3), "window-other"},  // 14 channels out
      {"3×3, few channels", convolution(14, 3, 32, 3, 1), "window-other"},
      {"3×3, two steps", convolution(15, 32, 32, 3, 2), "window-other"},
      {"5×5", convolution(14, 32, 32, 5, 1), "window-other"},
      {"5 in a row", wide_window, "window-other"},
      {"grouped", grouped(14, 4, 16, 16), "window"},
      {"depthwise", depthwise(14, 32), "depthwise"},
      {"maximum over a window", max_pool(14, 32), "pool"},
      {"rows normalised", softmax(8, 64), "row-wise"},
      {"largest of each row", argmax(8, 64), "row-wise"},
      {"running sums", cumsum(8, 64), "row-wise"},
      {"sums of squares", sum_of_squares, "row-wise"},
      {"products of rows", row_products, "row-wise"},
      {"elementwise", elementwise(8, 64), "map"},
      {"transposed", transpose(8, 64), "map"},
      {"looked up", gather(8, 100, 64), "map"},
  };
  for (const auto& row : rows) EXPECT_EQ(workload_kind_name(workload_kind(row.g)), row.kind) << row.name << "\n" << print(row.g);
}

TEST(WorkloadKind, NamesReadBack) {
  for (const WorkloadKind k : workload_kinds()) EXPECT_EQ(parse_workload_kind(workload_kind_name(k)), k);
  EXPECT_EQ(workload_kinds().size(), 9u);
  EXPECT_FALSE(parse_workload_kind("other"));
}

}  // namespace
}  // namespace tlm::space::test
