// Hashes, flops, readers and writers, combiners, placement.
#include "tlm/ir/tensor/subgraph.h"

#include <gtest/gtest.h>

#include <cstring>
#include <set>

#include "tests/support/expression_generator.h"
#include "tlm/core/error.h"
#include "tlm/core/hash.h"
#include "tlm/core/rng.h"
#include "tlm/ir/tensor/placement.h"

namespace tlm::ir {
namespace {

constexpr const char* kMatmul = R"(subgraph "matmul" {
  input A: f32[3,4]
  constant B: f32[4,5]
  input C: f32[5]
  output Y: f32[3,5]
  stage "mm" {
    spatial m:3, n:5
    reduce k:4
    body A[m, k]*B[k, n]
    combine sum
    store Y[m, n] = max(acc0 + C[n], 0.0)
  }
}
)";

TEST(WorkloadHash, Golden) {
  EXPECT_EQ(to_hex(workload_hash(parse_subgraph(kMatmul))), "4df46c6013911bbb");
  EXPECT_EQ(to_hex(workload_hash(Subgraph())), "ea746fe96b358462");
}

std::string changed(const std::string& from, const std::string& to) {
  std::string text = kMatmul;
  for (size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
    text.replace(at, from.size(), to);
  return text;
}

TEST(WorkloadHash, NamesDoNotMatter) {
  Subgraph g = parse_subgraph(kMatmul);
  const uint64_t h = workload_hash(g);
  g.name = "other";
  for (TensorDecl& t : g.tensors) t.name += "'";
  g.stages[0].name = "";
  for (Axis& a : g.stages[0].axes) a.name = "axis";
  EXPECT_EQ(workload_hash(g), h);
}

TEST(WorkloadHash, EverythingElseMatters) {
  std::set<uint64_t> seen = {workload_hash(parse_subgraph(kMatmul))};
  for (auto [from, to] : {std::pair("A: f32[3,4]", "A: f32[3,4] strides [1,3]"),
                          {"A: f32[3,4]", "A: f32[3,4] offset 1 buffer 13"},
                          {"A: f32[3,4]", "A: f32[3,4] buffer 13"},
                          {"constant B", "input B"},
                          {"combine sum", "combine max"},
                          {"acc0 + C", "acc0 - C"},
                          {"0.0", "-0.0"},
                          {"A[m, k]*B[k, n]", "B[k, n]*A[m, k]"},
                          {"max(", "min("},
                          {"combine sum", "combine sum not_commutative\n    identity 0.0\n    update acc0 + acc1"}})
    EXPECT_TRUE(seen.insert(workload_hash(parse_subgraph(changed(from, to)))).second) << to;
}

TEST(Subgraph, ReadersAndWriters) {
  const Subgraph g = parse_subgraph(kMatmul);
  EXPECT_EQ(g.writers(3), std::vector<int>{0});
  EXPECT_TRUE(g.writers(0).empty());
  EXPECT_EQ(g.readers(2), std::vector<int>{0});
  EXPECT_TRUE(g.readers(3).empty());
  EXPECT_EQ(loaded_tensors(g.stages[0]), (std::vector<int>{0, 1, 2}));
}

TEST(Subgraph, Flops) {
  EXPECT_EQ(flops(parse_subgraph(kMatmul)), 3 * 5 * 4 * 2 + 3 * 5 * 2);
  // Index arithmetic and the condition of padding are not counted.
  EXPECT_EQ(flops(parse_subgraph("subgraph \"pad\" {\n  input X: f32[4]\n  output Y: f32[6]\n  stage \"s\" {\n    spatial i:6\n"
                                 "    body select(1 <= i && i < 5, X[i - 1], 0.0)\n    store Y[i] = acc0\n  }\n}\n")),
            0);
}

TEST(Subgraph, PortBytes) {
  EXPECT_EQ(port_bytes(parse_subgraph(kMatmul)), 4 * (3 * 4 + 4 * 5 + 5 + 3 * 5));
  // What stays inside is not counted.
  EXPECT_EQ(port_bytes(parse_subgraph("subgraph \"two\" {\n  input X: f64[4]\n  internal T: f64[4]\n  output Y: i8[4]\n"
                                      "  stage \"s\" {\n    spatial i:4\n    body X[i]\n    store T[i] = acc0\n  }\n"
                                      "  stage \"t\" {\n    spatial i:4\n    body i8(T[i])\n    store Y[i] = acc0\n  }\n}\n")),
            8 * 4 + 1 * 4);
}

TEST(Subgraph, CombinersHaveTheirIdentity) {
  const auto identity = [](CombinerKind k, DType t) { return print(make_combiner(k, t).identity[0], {}, {}); };
  EXPECT_EQ(identity(CombinerKind::kSum, DType::kF32), "0.0");
  EXPECT_EQ(identity(CombinerKind::kProd, DType::kI32), "1:i32");
  EXPECT_EQ(identity(CombinerKind::kMax, DType::kF32), "-inf");
  EXPECT_EQ(identity(CombinerKind::kMin, DType::kF64), "inf:f64");
  EXPECT_EQ(identity(CombinerKind::kMax, DType::kI8), "-128:i8");
  EXPECT_EQ(identity(CombinerKind::kMax, DType::kI64), "-9223372036854775808");
  EXPECT_EQ(identity(CombinerKind::kMin, DType::kI32), "2147483647:i32");
  EXPECT_EQ(identity(CombinerKind::kMin, DType::kU64), "18446744073709551615:u64");
  EXPECT_EQ(identity(CombinerKind::kMax, DType::kU8), "0:u8");
  EXPECT_EQ(identity(CombinerKind::kAny, DType::kBool), "false");
  EXPECT_EQ(identity(CombinerKind::kAll, DType::kBool), "true");
  EXPECT_THROW(make_combiner(CombinerKind::kAny, DType::kF32), InternalError);
  EXPECT_THROW(make_combiner(CombinerKind::kTuple, DType::kF32), InternalError);
}

TEST(Placement, StridedBufferAndBack) {
  TensorDecl d;
  d.dtype = DType::kI16;
  d.shape = {2, 3};
  d.strides = {1, 4};
  d.offset = 2;
  d.buffer_elements = 14;
  Tensor t(DType::kI16, {2, 3});
  for (int i = 0; i < 6; ++i) t.set_i64(i, i + 1);
  const std::vector<std::byte> b = place(d, t, std::byte{0xee});
  ASSERT_EQ(b.size(), 28u);
  std::vector<int16_t> v(14);
  std::memcpy(v.data(), b.data(), 28);
  const int16_t f = static_cast<int16_t>(0xeeee);
  EXPECT_EQ(v, (std::vector<int16_t>{f, f, 1, 4, f, f, 2, 5, f, f, 3, 6, f, f}));
  const Tensor back = gather(d, b.data());
  EXPECT_EQ(0, std::memcmp(back.data(), t.data(), t.bytes()));
}

TEST(Placement, NegativeStridesAndScalars) {
  TensorDecl d;
  d.shape = {3};
  d.strides = {-1};
  d.offset = 2;
  d.buffer_elements = 3;
  Tensor t(DType::kF32, {3});
  for (int i = 0; i < 3; ++i) t.set_f64(i, i);
  const std::vector<std::byte> b = place(d, t);
  float v[3];
  std::memcpy(v, b.data(), 12);
  EXPECT_EQ(v[0], 2);
  EXPECT_EQ(v[2], 0);
  TensorDecl scalar;
  scalar.offset = 1;
  scalar.buffer_elements = 2;
  EXPECT_EQ(place(scalar, Tensor::scalar_f32(4)).size(), 8u);
  EXPECT_EQ(gather(scalar, place(scalar, Tensor::scalar_f32(4)).data()).at_f64(0), 4);
}

TEST(Placement, RefusesWhatDoesNotFit) {
  TensorDecl d;
  d.shape = {4};
  d.strides = {2};
  d.buffer_elements = 6;
  EXPECT_THROW(place(d, Tensor(DType::kF32, {4})), InternalError);
  d.buffer_elements = 7;
  EXPECT_NO_THROW(place(d, Tensor(DType::kF32, {4})));
  EXPECT_THROW(place(d, Tensor(DType::kF64, {4})), InternalError);
  EXPECT_THROW(place(d, Tensor(DType::kF32, {2, 2})), InternalError);
}

TEST(Placement, GeneratedViewsSurvive) {
  for (uint64_t seed = 0; seed < 200; ++seed) {
    const test::GeneratedProgram p = test::generate_program(seed);
    for (const TensorDecl& d : p.g.tensors) {
      if (d.role != TensorRole::kInput && d.role != TensorRole::kOutput) continue;
      const Tensor t = test::random_tensor(seed, d.dtype, d.shape, true);
      const std::vector<std::byte> b = place(d, t, std::byte{0x55});
      const Tensor back = gather(d, b.data());
      ASSERT_EQ(0, std::memcmp(back.data(), t.data(), t.bytes())) << seed;
    }
  }
}

}  // namespace
}  // namespace tlm::ir
