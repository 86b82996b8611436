#include "tlm/codegen/measure/workload_data.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tlm/ir/tensor/interpret.h"
#include "workloads.h"

namespace tlm::codegen::test {
namespace {

TEST(WorkloadData, ExpectedPointsAreTheInterpreters) {
  const ir::Subgraph g = space::test::softmax(5, 7);
  const WorkloadData data = make_workload_data(g, 3);
  ASSERT_EQ(data.expected.size(), 1u);
  std::vector<Tensor> bound = data.values;
  ir::interpret(g, bound, true);
  const ExpectedPoints& e = data.expected[0];
  const Tensor& y = bound[static_cast<size_t>(e.tensor)];
  for (size_t i = 0; i < e.positions.size(); ++i) EXPECT_NEAR(e.values[i], y.at_f64(e.positions[i]), 1e-6);
  EXPECT_EQ(compare_points(y, e), "");
  Tensor wrong(y.dtype(), y.shape());
  for (int64_t i = 0; i < y.size(); ++i) wrong.set_f64(i, y.at_f64(i));
  wrong.set_f64(0, y.at_f64(0) + 0.01);
  EXPECT_NE(compare_points(wrong, e), "");
  EXPECT_NE(compare_all(wrong, y), "");
  wrong.set_f64(0, std::nan(""));
  EXPECT_NE(compare_all(wrong, y), "");
  EXPECT_EQ(compare_all(wrong, wrong), "");
}

TEST(WorkloadData, SmallOutputsAreHeldToTheirSize) {
  const ir::Subgraph g = space::test::softmax(1, 1000);  // elements of about a thousandth
  const WorkloadData data = make_workload_data(g, 3);
  std::vector<Tensor> bound = data.values;
  ir::interpret(g, bound, true);
  const Tensor& y = bound[static_cast<size_t>(data.expected[0].tensor)];
  Tensor wrong(y.dtype(), y.shape());
  for (int64_t i = 0; i < y.size(); ++i) wrong.set_f64(i, 1.2 * y.at_f64(i));
  EXPECT_EQ(compare_points(y, data.expected[0]), "");
  EXPECT_NE(compare_points(wrong, data.expected[0]), "");
  EXPECT_NE(compare_all(wrong, y), "");
}

TEST(WorkloadData, IndicesStayInside) {
  for (const int64_t table : {3, 100}) {
    const ir::Subgraph g = space::test::gather(50, table, 4);
    const WorkloadData data = make_workload_data(g, 1);
    int integers = 0;
    for (size_t t = 0; t < g.tensors.size(); ++t) {
      if (data.values[t].size() == 0 || is_float(g.tensors[t].dtype)) continue;
      ++integers;
      for (const int64_t v : data.values[t].to_i64()) {
        EXPECT_GE(v, 0);
        EXPECT_LT(v, table);
      }
    }
    EXPECT_EQ(integers, 1);
  }
}

TEST(WorkloadData, IntegersMayDifferByOneAndSeldomByMore) {
  Tensor a(DType::kI32, {640}), b(DType::kI32, {640});
  for (int64_t i = 0; i < 640; ++i) a.set_i64(i, i), b.set_i64(i, i + 1);
  EXPECT_EQ(compare_all(a, b), "");
  for (int64_t i = 0; i < 10; ++i) b.set_i64(i * 60, 1000);
  EXPECT_EQ(compare_all(a, b), "");
  b.set_i64(639, 1000);
  EXPECT_NE(compare_all(a, b), "");
}

TEST(WorkloadData, DependsOnSeedAndWorkload) {
  const auto first = [](const ir::Subgraph& g, uint64_t seed) { return make_workload_data(g, seed).values[0].at_f64(0); };
  const ir::Subgraph g = space::test::matmul(4, 5, 6);
  EXPECT_EQ(first(g, 1), first(g, 1));
  EXPECT_NE(first(g, 1), first(g, 2));
  EXPECT_NE(first(g, 1), first(space::test::matmul(4, 5, 7), 1));
}

}  // namespace
}  // namespace tlm::codegen::test
