// Every operator and every conversion on every element type, scalar and vector, over the values where types differ: bit for bit
// as the interpreter (functions that round differently are in math_test.cpp).
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "tests/codegen_lower/plan_builder.h"
#include "tests/support/run_kernel.h"
#include "tlm/codegen/lower/lower.h"
#include "tlm/ir/tensor/expr_verify.h"

namespace tlm::test {
namespace {

using namespace ir;

constexpr DType kTypes[] = {DType::kF32, DType::kF64, DType::kF16, DType::kBF16, DType::kI8,  DType::kI16, DType::kI32,
                            DType::kI64, DType::kU8,  DType::kU16, DType::kU32,  DType::kU64, DType::kBool};

bool exact(Op op) { return !(op >= Op::kRsqrt && op <= Op::kErf) && op != Op::kPow; }

std::vector<double> float_values() {
  const double inf = std::numeric_limits<double>::infinity(), nan = std::numeric_limits<double>::quiet_NaN();
  return {0.0,     -0.0,       1,      -1,           0.5,          -0.5,          1.5,          -1.5,         2.5,
          -2.5,    0.49999997, 3,      -3,           7.25,         -7.75,         127.5,        128,          -128.5,
          -129,    255.4,      256,    -0.9,         32767.5,      65504,         65519.9,      65520,        -65536,
          1e-8,    6e-8,       3e-5,   2147483647.0, 2147483648.0, -2147483649.0, 4294967295.0, 4294967296.0, 9.3e18,
          -9.3e18, 1.9e19,     3.4e38, 1e-40,        inf,          -inf,          nan};
}

std::vector<int64_t> int_values() {
  return {0,
          1,
          -1,
          2,
          -2,
          3,
          -3,
          7,
          -7,
          8,
          31,
          32,
          63,
          64,
          65,
          127,
          -128,
          255,
          256,
          32767,
          -32768,
          65535,
          65536,
          2147483647,
          -2147483648ll,
          4294967295ll,
          4294967296ll,
          16777217,
          1ll << 53,
          (1ll << 53) + 1,
          std::numeric_limits<int64_t>::max(),
          std::numeric_limits<int64_t>::min()};
}

Tensor values(DType t, int64_t count, bool slow) {
  Tensor x(t, {count});
  const std::vector<double> floats = float_values();
  const std::vector<int64_t> ints = int_values();
  const auto size = static_cast<int64_t>(is_float(t) ? floats.size() : ints.size());
  for (int64_t i = 0; i < count; ++i) {
    const auto n = static_cast<size_t>((slow ? i / size : i) % size);
    if (is_float(t))
      x.set_f64(i, floats[n]);
    else
      x.set_i64(i, t == DType::kBool ? ints[n] & 1 : ints[n]);
  }
  return x;
}

Subgraph stage_of(DType in, int inputs, int64_t count, const std::function<Expr(std::vector<Expr>)>& body) {
  Subgraph g;
  g.name = "operator";
  Stage s;
  s.name = "operator";
  s.axes = {{"i", count, AxisKind::kSpatial}};
  std::vector<Expr> args;
  for (int a = 0; a < inputs; ++a) {
    g.tensors.push_back({std::string(1, static_cast<char>('X' + a)), in, {count}, {1}, 0, TensorRole::kInput, count});
    args.push_back(make_load(a, in, {make_var(0)}));
  }
  const Expr e = body(args);
  g.tensors.push_back({"R", e->dtype, {count}, {1}, 0, TensorRole::kOutput, count});
  s.body = {e};
  s.result = {make_acc(0, e->dtype)};
  s.outputs = {{inputs, {make_var(0)}}};
  g.stages = {s};
  return g;
}

class Operators : public testing::TestWithParam<const char*> {};

TEST_P(Operators, MeanTheSameEverywhere) {
  const Target target = named_target(GetParam());
  if (const auto missing = missing_features(target.features); !missing.empty())
    GTEST_SKIP() << "this machine lacks " << missing[0];
  struct Case {
    std::string name;
    Subgraph g;
    int inputs;
    int lanes;
  };
  std::vector<Case> cases;
  auto add = [&](const std::string& name, DType t, int inputs, const std::function<Expr(std::vector<Expr>)>& body) {
    const int64_t n = static_cast<int64_t>(is_float(t) ? float_values().size() : int_values().size());
    const Subgraph g = stage_of(t, inputs, inputs == 1 ? n : n * n, body);
    const int natural = std::max(2, target.vector_bits / 8 / static_cast<int>(std::max<size_t>(4, dtype_size(t))));
    for (int lanes : {1, natural})
      cases.push_back({name + " " + std::string(dtype_name(t)) + " ×" + std::to_string(lanes), g, inputs, lanes});
  };
  for (DType t : kTypes) {
    for (int o = static_cast<int>(Op::kAdd); o <= static_cast<int>(Op::kIsInf); ++o) {
      const Op op = static_cast<Op>(o);
      if (op == Op::kSelect || op == Op::kCast || op == Op::kFma || (is_float(t) && !exact(op))) continue;
      ExprNode node;
      node.op = op;
      node.dtype = result_type(op, t);
      for (int a = 0; a < op_arity(op); ++a) node.args.push_back(make_load(a, t, {make_var(0)}));
      if (!broken_rule(Expr(std::make_shared<const ExprNode>(node))).empty()) continue;
      add(op_name(op), t, op_arity(op), [op](std::vector<Expr> args) { return make_op(op, std::move(args)); });
    }
    for (DType to : kTypes)
      if (to != t)
        add("to " + std::string(dtype_name(to)), t, 1, [to](std::vector<Expr> args) { return make_cast(args[0], to); });
    if (t != DType::kBool) {
      add("select", t, 2, [](std::vector<Expr> args) {
        return make_select(make_op(Op::kLt, {args[0], args[1]}), args[1], args[0]);
      });
      add("clip", t, 1, [t](std::vector<Expr> args) {
        return make_op(Op::kMin, {make_op(Op::kMax, {args[0], make_const(0, t)}), make_const(6, t)});
      });
    }
  }
  std::vector<Kernel> kernels;
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    kernels.push_back(codegen::lower(c.g, PlanBuilder(c.g).vector(0, 0, c.lanes).build(), target));
  }
  const CompiledKernels compiled(std::move(kernels), target);
  for (size_t i = 0; i < cases.size(); ++i) {
    std::vector<Tensor> bound(cases[i].g.tensors.size());
    for (int a = 0; a < cases[i].inputs; ++a)
      bound[static_cast<size_t>(a)] = values(cases[i].g.tensors[0].dtype, cases[i].g.tensors[0].shape[0], a == 1);
    ASSERT_EQ(compiled.run(i, cases[i].g, bound, Rng(i)), "") << cases[i].name;
    EXPECT_EQ(compare_with_interpreter(cases[i].g, bound, true), "") << cases[i].name;
  }
  std::printf("%zu operators, types and widths\n", cases.size());
}

INSTANTIATE_TEST_SUITE_P(Targets, Operators, testing::Values("x86-64", "x86-64-v3", "native"), [](const auto& info) {
  std::string s = info.param;
  for (char& c : s)
    if (c == '-') c = '_';
  return s;
});

}  // namespace
}  // namespace tlm::test
