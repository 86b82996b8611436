// The generator makes what it promises: every feature appears, exact programs are exact, equal seeds give equal programs.
#include "tests/support/expression_generator.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "tlm/core/rng.h"
#include "tlm/ir/tensor/interpret.h"

namespace tlm::test {
namespace {

using namespace ir;

TEST(Generator, IsDeterministic) {
  for (uint64_t seed = 0; seed < 30; ++seed) {
    const GeneratedProgram a = generate_program(seed), b = generate_program(seed);
    EXPECT_EQ(print(a.g), print(b.g));
    for (size_t t = 0; t < a.inputs_and_constants.size(); ++t)
      for (int64_t i = 0; i < a.inputs_and_constants[t].size(); ++i)
        ASSERT_EQ(a.inputs_and_constants[t].at_f64(i), b.inputs_and_constants[t].at_f64(i));
  }
}

TEST(Generator, CoversItsFeatures) {
  std::map<std::string, int> seen;
  for (uint64_t seed = 0; seed < 1500; ++seed) {
    const GeneratedProgram p = generate_program(seed);
    seen[p.exact ? "exact" : "float"]++;
    seen["stages " + std::to_string(p.g.stages.size())]++;
    for (size_t t = 0; t < p.g.tensors.size(); ++t) {
      const TensorDecl& d = p.g.tensors[t];
      seen["type " + std::string(dtype_name(d.dtype))]++;
      seen["rank " + std::to_string(d.shape.size())]++;
      if (p.g.writers(static_cast<int>(t)).size() > 1) seen["several writers"]++;
      if (d.role == TensorRole::kConstant) seen["constant"]++;
      if (d.role == TensorRole::kInternal) seen["internal"]++;
      if (d.role == TensorRole::kOutput && !p.g.readers(static_cast<int>(t)).empty()) seen["output read again"]++;
      if (d.role != TensorRole::kInternal && d.strides != row_major_strides(d.shape)) seen["strided view"]++;
      if (d.offset) seen["offset"]++;
    }
    for (const Stage& s : p.g.stages) {
      int reductions = 0;
      for (const Axis& a : s.axes) reductions += a.kind == AxisKind::kReduce;
      seen["reductions " + std::to_string(reductions)]++;
      seen["combiner " + std::to_string(static_cast<int>(s.combiner.kind))]++;
      if (s.has_scan()) seen[s.exclusive ? "exclusive scan" : "scan"]++;
      if (s.outputs.size() > 1) seen["two outputs"]++;
      if (!s.combiner.commutative) seen["not commutative"]++;
      for (const Expr& root : s.body)
        visit(root, [&](const Expr& e) {
          if (e->op != Op::kLoad) return;
          std::map<int, int> uses;
          for (const Expr& i : e->args) {
            if (i->op == Op::kVar && uses[i->id]++) seen["diagonal"]++;
            if (i->op == Op::kMul) seen["strided"]++;
            if (i->op == Op::kFloorDiv) seen["divided"]++;
            if (i->op == Op::kFloorMod) seen["wrapped"]++;
            if (i->op == Op::kMin) seen["gathered"]++;
            if (i->op == Op::kAdd && i->args[1]->op != Op::kInt) seen["window"]++;
            if (i->op == Op::kInt) seen["constant index"]++;
          }
          if (e->args.size() < s.axes.size()) seen["broadcast"]++;
        });
    }
  }
  for (const char* feature : {"exact",
                              "float",
                              "stages 1",
                              "stages 2",
                              "stages 3",
                              "stages 4",
                              "type f32",
                              "type f64",
                              "type f16",
                              "type bf16",
                              "type i8",
                              "type i32",
                              "type i64",
                              "type u8",
                              "type bool",
                              "rank 0",
                              "rank 1",
                              "rank 2",
                              "rank 3",
                              "rank 4",
                              "rank 5",
                              "rank 6",
                              "several writers",
                              "constant",
                              "internal",
                              "output read again",
                              "strided view",
                              "offset",
                              "reductions 0",
                              "reductions 1",
                              "reductions 2",
                              "reductions 3",
                              "combiner 0",
                              "combiner 1",
                              "combiner 2",
                              "combiner 3",
                              "combiner 4",
                              "combiner 5",
                              "combiner 6",
                              "combiner 7",
                              "scan",
                              "exclusive scan",
                              "two outputs",
                              "not commutative",
                              "diagonal",
                              "strided",
                              "divided",
                              "wrapped",
                              "gathered",
                              "window",
                              "constant index",
                              "broadcast"})
    EXPECT_GE(seen[feature], 5) << feature;
}

// Exact means: float sums in double and in f32 give the same bits.
TEST(Generator, ExactProgramsAreExact) {
  GeneratorOptions options;
  options.mode = GeneratorOptions::Mode::kExact;
  options.work_budget = 40000;
  for (uint64_t seed = 0; seed < 200; ++seed) {
    const GeneratedProgram p = generate_program(seed, options);
    ASSERT_TRUE(p.exact);
    std::vector<Tensor> narrow = p.inputs_and_constants, wide = narrow;
    interpret(p.g, narrow);
    interpret(p.g, wide, true);
    for (size_t t = 0; t < narrow.size(); ++t)
      for (int64_t i = 0; i < narrow[t].size(); ++i) {
        const double v = narrow[t].at_f64(i);
        ASSERT_EQ(v, wide[t].at_f64(i)) << seed;
        ASSERT_FALSE(std::isnan(v)) << seed;
      }
  }
}

TEST(Generator, OptionsAreKept) {
  GeneratorOptions options;
  options.max_stages = 1;
  options.max_rank = 3;
  options.work_budget = 5000;
  options.scans = options.gathers = options.tuples = options.other_types = options.views = false;
  options.mode = GeneratorOptions::Mode::kFloat;
  for (uint64_t seed = 0; seed < 200; ++seed) {
    const GeneratedProgram p = generate_program(seed, options);
    EXPECT_FALSE(p.exact);
    ASSERT_EQ(p.g.stages.size(), 1u);
    int64_t work = 1;
    for (const Axis& a : p.g.stages[0].axes) work *= a.extent;
    EXPECT_LE(work, 5000);
    EXPECT_FALSE(p.g.stages[0].has_scan());
    EXPECT_EQ(p.g.stages[0].outputs.size(), 1u);
    EXPECT_NE(p.g.stages[0].combiner.kind, CombinerKind::kTuple);
    for (const TensorDecl& d : p.g.tensors) {
      EXPECT_EQ(d.dtype, DType::kF32);
      EXPECT_LE(d.shape.size(), 3u);
      EXPECT_EQ(d.strides, row_major_strides(d.shape));
    }
  }
}

}  // namespace
}  // namespace tlm::test
