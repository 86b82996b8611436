// Every operator and every cast on every element type, against plain C++, through the builders (folding), the interpreter and the
// row evaluator. Values include the edges of each type.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <optional>

#include "tlm/core/error.h"
#include "tlm/ir/tensor/evaluate.h"
#include "tlm/ir/tensor/expr_verify.h"
#include "tlm/ir/tensor/interpret.h"

namespace tlm::ir {
namespace {

constexpr DType kTypes[] = {DType::kF32, DType::kF64, DType::kF16, DType::kBF16, DType::kI8,  DType::kI16, DType::kI32,
                            DType::kI64, DType::kU8,  DType::kU16, DType::kU32,  DType::kU64, DType::kBool};

using Wide = __int128;

// A number of any type: floats in f, the others in i.
struct Number {
  double f = 0;
  Wide i = 0;
};

int bits_of(DType t) { return static_cast<int>(dtype_size(t)) * 8; }

Wide wrap(Wide v, DType t) {
  if (t == DType::kBool) return v != 0;
  const Wide size = Wide{1} << bits_of(t);
  Wide r = v % size;
  if (r < 0) r += size;
  if (is_signed_int(t) && r >= size / 2) r -= size;
  return r;
}

double round_to(double v, DType t) {
  switch (t) {
    case DType::kF64: return v;
    case DType::kF32: return static_cast<float>(v);
    case DType::kF16: return f16_to_f32(f32_to_f16(static_cast<float>(v)));
    default: return bf16_to_f32(f32_to_bf16(static_cast<float>(v)));
  }
}

Wide floor_quotient(Wide a, Wide b) { return a / b - (a % b != 0 && (a < 0) != (b < 0)); }

std::optional<Number> reference_int(Op op, DType t, Wide a, Wide b, Wide c) {
  const auto n = [](Wide v) { return std::optional<Number>({0, v}); };
  const int bits = bits_of(t);
  switch (op) {
    case Op::kAdd: return n(wrap(a + b, t));
    case Op::kSub: return n(wrap(a - b, t));
    case Op::kMul: return n(wrap(static_cast<Wide>(static_cast<unsigned __int128>(a) * static_cast<unsigned __int128>(b)), t));
    case Op::kFma:
      return n(wrap(static_cast<Wide>(static_cast<unsigned __int128>(a) * static_cast<unsigned __int128>(b)) + c, t));
    case Op::kDiv: return n(b == 0 ? 0 : wrap(a / b, t));
    case Op::kMod: return n(b == 0 ? 0 : a % b);
    case Op::kFloorDiv: return n(b == 0 ? 0 : wrap(floor_quotient(a, b), t));
    case Op::kFloorMod: return n(b == 0 ? 0 : a - floor_quotient(a, b) * b);
    case Op::kMin: return n(a < b ? a : b);
    case Op::kMax: return n(a > b ? a : b);
    case Op::kPow: {
      if (b < 0) return n(a == 1 ? 1 : a == -1 ? (b % 2 == 0 ? 1 : -1) : 0);
      Wide r = 1;
      for (Wide power = a, e = b; e > 0; e /= 2) {
        const auto product = [&](Wide x, Wide y) {
          return wrap(static_cast<Wide>(static_cast<unsigned __int128>(x) * static_cast<unsigned __int128>(y)), t);
        };
        if (e % 2) r = product(r, power);
        power = product(power, power);
      }
      return n(r);
    }
    case Op::kEq: return n(a == b);
    case Op::kNe: return n(a != b);
    case Op::kLt: return n(a < b);
    case Op::kLe: return n(a <= b);
    case Op::kAnd: return n(a && b);
    case Op::kOr: return n(a || b);
    case Op::kNot: return n(!a);
    case Op::kBitAnd: return n(a & b);
    case Op::kBitOr: return n(a | b);
    case Op::kBitXor: return n(a ^ b);
    case Op::kBitNot: return n(wrap(~a, t));
    case Op::kShl:
      return n(b < 0 || b >= bits ? 0 : wrap(static_cast<Wide>(static_cast<unsigned __int128>(a) << static_cast<int>(b)), t));
    case Op::kShr: return n(b < 0 || b >= bits ? (a < 0 ? -1 : 0) : a >> static_cast<int>(b));
    case Op::kNeg: return n(wrap(-a, t));
    case Op::kAbs: return n(wrap(a < 0 ? -a : a, t));
    case Op::kSign: return n(a > 0 ? 1 : a < 0 ? -1 : 0);
    case Op::kFloor:
    case Op::kCeil:
    case Op::kRound:
    case Op::kTrunc: return n(a);
    case Op::kIsNan:
    case Op::kIsInf: return n(0);
    default: return std::nullopt;
  }
}

template <typename T>
std::optional<Number> reference_float_in(Op op, T a, T b, T c) {
  const auto f = [](T v) { return std::optional<Number>({static_cast<double>(v), 0}); };
  const auto n = [](bool v) { return std::optional<Number>({0, v}); };
  const auto exact = [&](double (*g)(double)) { return f(static_cast<T>(g(static_cast<double>(a)))); };
  switch (op) {
    case Op::kAdd: return f(a + b);
    case Op::kSub: return f(a - b);
    case Op::kMul: return f(a * b);
    case Op::kDiv: return f(a / b);
    case Op::kFma: return f(std::fma(a, b, c));
    case Op::kMod: return f(std::fmod(a, b));
    case Op::kFloorDiv: return f(std::floor(a / b));
    case Op::kFloorMod: {
      const T r = std::fmod(a, b);
      return f(r != 0 && std::signbit(r) != std::signbit(b) ? r + b : r);
    }
    case Op::kMin: return f(std::isnan(a) || std::isnan(b) ? std::nan("") : std::fmin(a, b));
    case Op::kMax: return f(std::isnan(a) || std::isnan(b) ? std::nan("") : std::fmax(a, b));
    case Op::kPow: return f(static_cast<T>(std::pow(static_cast<double>(a), static_cast<double>(b))));
    case Op::kEq: return n(a == b);
    case Op::kNe: return n(a != b);
    case Op::kLt: return n(a < b);
    case Op::kLe: return n(a <= b);
    case Op::kNeg: return f(-a);
    case Op::kAbs: return f(std::abs(a));
    case Op::kSign: return f(std::isnan(a) ? a : a > 0 ? T(1) : a < 0 ? T(-1) : a);
    case Op::kFloor: return f(std::floor(a));
    case Op::kCeil: return f(std::ceil(a));
    case Op::kTrunc: return f(std::trunc(a));
    case Op::kRound: {
      const T down = std::floor(a), rest = a - down;
      if (!std::isfinite(a)) return f(a);
      return f(rest < T(0.5) ? down : rest > T(0.5) ? down + 1 : std::fmod(down, T(2)) == 0 ? down : down + 1);
    }
    case Op::kSqrt: return f(std::sqrt(a));
    case Op::kRsqrt: return f(static_cast<T>(1 / std::sqrt(static_cast<double>(a))));
    case Op::kExp: return exact(std::exp);
    case Op::kLog: return exact(std::log);
    case Op::kSin: return exact(std::sin);
    case Op::kCos: return exact(std::cos);
    case Op::kTan: return exact(std::tan);
    case Op::kAsin: return exact(std::asin);
    case Op::kAcos: return exact(std::acos);
    case Op::kAtan: return exact(std::atan);
    case Op::kSinh: return exact(std::sinh);
    case Op::kCosh: return exact(std::cosh);
    case Op::kTanh: return exact(std::tanh);
    case Op::kAsinh: return exact(std::asinh);
    case Op::kAcosh: return exact(std::acosh);
    case Op::kAtanh: return exact(std::atanh);
    case Op::kErf: return exact(std::erf);
    case Op::kIsNan: return n(std::isnan(a));
    case Op::kIsInf: return n(std::isinf(a));
    default: return std::nullopt;
  }
}

std::optional<Number> reference(Op op, DType t, const Number* v) {
  if (!is_float(t)) return reference_int(op, t, v[0].i, v[1].i, v[2].i);
  if (t == DType::kF64) return reference_float_in<double>(op, v[0].f, v[1].f, v[2].f);
  auto r = reference_float_in<float>(op, static_cast<float>(v[0].f), static_cast<float>(v[1].f), static_cast<float>(v[2].f));
  if (r) r->f = round_to(r->f, t);
  return r;
}

bool is_transcendental(Op op) { return op == Op::kPow || (op >= Op::kRsqrt && op <= Op::kErf); }

std::vector<Number> values_of(DType t) {
  std::vector<Number> v;
  if (is_float(t)) {
    const double inf = std::numeric_limits<double>::infinity();
    for (double d : {0.0, -0.0, 1.0,   -1.0,  0.5,  -0.5,    1.5,     2.5,    -2.5,      3.5, 0.1,  3.7,         -3.7,
                     7.0, 1e10, -1e10, 1e-10, 1e30, 65504.0, 70000.0, 0.9999, 12345.678, inf, -inf, std::nan("")})
      v.push_back({round_to(d, t), 0});
    return v;
  }
  const Wide top = is_signed_int(t) ? (Wide{1} << (bits_of(t) - 1)) - 1 : (Wide{1} << bits_of(t)) - 1;
  for (Wide i : {Wide{0},  Wide{1},  Wide{2},  Wide{3},  Wide{-1},  Wide{-2},   Wide{-3}, Wide{5}, Wide{7},  Wide{8},
                 Wide{31}, Wide{32}, Wide{63}, Wide{64}, Wide{100}, Wide{-100}, top,      top - 1, -top - 1, -top}) {
    const Wide w = wrap(i, t);
    bool known = false;
    for (const Number& n : v) known = known || n.i == w;
    if (!known) v.push_back({0, w});
  }
  return v;
}

void put(Tensor& t, int64_t at, const Number& n) {
  if (is_float(t.dtype())) {
    t.set_f64(at, n.f);
  } else {
    t.set_i64(at, static_cast<int64_t>(n.i));
  }
}

Number get(const Tensor& t, int64_t at) {
  if (is_float(t.dtype())) return {t.at_f64(at), 0};
  const int64_t v = t.at_i64(at);
  return {0, t.dtype() == DType::kU64 ? static_cast<Wide>(static_cast<uint64_t>(v)) : static_cast<Wide>(v)};
}

bool same_float(double a, double b, double relative) {
  if (std::isnan(a) || std::isnan(b)) return std::isnan(a) && std::isnan(b);
  if (a == b) return true;
  return std::fabs(a - b) <= relative * std::max(std::fabs(a), std::fabs(b));
}

bool same(const Number& want, const Number& got, DType t, double relative) {
  return is_float(t) ? same_float(want.f, got.f, relative) : want.i == got.i;
}

std::string show(const Number& n, DType t) {
  return is_float(t)       ? std::to_string(n.f)
         : n.i > INT64_MAX ? std::to_string(static_cast<uint64_t>(n.i))
                           : std::to_string(static_cast<int64_t>(n.i));
}

TensorDecl declare(DType t, Shape shape, TensorRole role) {
  TensorDecl d;
  d.dtype = t;
  d.shape = std::move(shape);
  d.strides = row_major_strides(d.shape);
  d.buffer_elements = element_count(d.shape);
  d.role = role;
  return d;
}

Expr literal(const Number& n, DType t) { return is_float(t) ? make_float(n.f, t) : make_int(static_cast<int64_t>(n.i), t); }

// Y[i,j] = op(A[i], B[j], C[i]) with the axes in either order (one operand is the same along a row, or the other), and on
// materialised pairs (no operand is).
void check_operator(Op op, DType t) {
  const std::vector<Number> v = values_of(t);
  const auto n = static_cast<int64_t>(v.size());
  const int arity = op_arity(op);
  const DType out = result_type(op, t);
  for (int layout = 0; layout < 3; ++layout) {
    Subgraph g;
    const Shape operand = layout == 2 ? Shape{n, n} : Shape{n};
    for (int k = 0; k < 3; ++k) g.tensors.push_back(declare(t, operand, TensorRole::kInput));
    g.tensors.push_back(declare(out, {n, n}, TensorRole::kOutput));
    Stage s;
    s.axes = {{"p", n, AxisKind::kSpatial}, {"q", n, AxisKind::kSpatial}};
    const Expr i = make_var(layout == 1 ? 1 : 0), j = make_var(layout == 1 ? 0 : 1);
    const auto load = [&](int k) {
      return make_load(k, t, layout == 2 ? std::vector<Expr>{i, j} : std::vector<Expr>{k == 1 ? j : i});
    };
    std::vector<Expr> args;
    for (int k = 0; k < arity; ++k) args.push_back(load(k));
    s.body = {make_op(op, args)};
    s.result = {make_acc(0, out)};
    s.outputs = {{3, {i, j}}};
    g.stages = {s};
    verify(g);
    std::vector<Tensor> bound(4);
    for (int k = 0; k < 3; ++k) {
      bound[static_cast<size_t>(k)] = Tensor(t, operand);
      for (int64_t x = 0; x < n; ++x)
        for (int64_t y = 0; y < (layout == 2 ? n : 1); ++y)
          put(bound[static_cast<size_t>(k)], layout == 2 ? x * n + y : x, v[static_cast<size_t>(layout == 2 && k == 1 ? y : x)]);
    }
    std::vector<Tensor> fast = bound;
    interpret(g, bound);
    evaluate(g, fast);
    for (int64_t x = 0; x < n; ++x)
      for (int64_t y = 0; y < n; ++y) {
        const Number in[3] = {v[static_cast<size_t>(x)], v[static_cast<size_t>(y)], v[static_cast<size_t>(x)]};
        const auto want = reference(op, t, in);
        ASSERT_TRUE(want);
        const std::string where = std::string(op_name(op)) + " " + std::string(dtype_name(t)) + " (" + show(in[0], t) + ", " +
                                  show(in[1], t) + ") want " + show(*want, out) + ", layout " + std::to_string(layout);
        const Number slow_value = get(bound[3], x * n + y), fast_value = get(fast[3], x * n + y);
        ASSERT_TRUE(same(*want, slow_value, out, 0)) << where << ": interpret " << show(slow_value, out);
        const double relative = !is_transcendental(op) ? 0
                                : t == DType::kF64     ? 1e-14
                                : t == DType::kF32     ? 1e-6
                                : t == DType::kF16     ? 1e-3
                                                       : 8e-3;
        ASSERT_TRUE(same(*want, fast_value, out, relative)) << where << ": evaluate " << show(fast_value, out);
        if (layout == 0) {
          std::vector<Expr> literals;
          for (int k = 0; k < arity; ++k) literals.push_back(literal(in[k], t));
          const Expr folded = make_op(op, literals);
          ASSERT_TRUE(folded->op == Op::kInt || folded->op == Op::kFloat) << where;
          const Number f = {folded->fval, out == DType::kU64 ? static_cast<Wide>(static_cast<uint64_t>(folded->ival))
                                                             : static_cast<Wide>(folded->ival)};
          ASSERT_TRUE(same(*want, f, out, 0)) << where << ": folded " << show(f, out);
        }
      }
  }
}

class OperatorsOfType : public ::testing::TestWithParam<DType> {};

TEST_P(OperatorsOfType, AgreeWithReference) {
  const DType t = GetParam();
  int checked = 0;
  for (int o = static_cast<int>(Op::kAdd); o <= static_cast<int>(Op::kIsInf); ++o) {
    const Op op = static_cast<Op>(o);
    if (op == Op::kSelect || op == Op::kCast) continue;
    ExprNode n;
    n.op = op;
    n.dtype = result_type(op, t);
    for (int k = 0; k < op_arity(op); ++k) n.args.push_back(make_acc(0, t));
    if (!broken_rule(Expr(std::make_shared<ExprNode>(n))).empty()) continue;
    check_operator(op, t);
    if (HasFatalFailure()) return;
    ++checked;
  }
  EXPECT_GE(checked, t == DType::kBool ? 11 : is_float(t) ? 35 : 20);
}

TEST_P(OperatorsOfType, CastsAgreeWithReference) {
  const DType from = GetParam();
  const std::vector<Number> v = values_of(from);
  const auto n = static_cast<int64_t>(v.size());
  for (DType to : kTypes) {
    Subgraph g;
    g.tensors = {declare(from, {n}, TensorRole::kInput), declare(to, {n}, TensorRole::kOutput)};
    Stage s;
    s.axes = {{"i", n, AxisKind::kSpatial}};
    s.body = {make_cast(make_load(0, from, {make_var(0)}), to)};
    s.result = {make_acc(0, to)};
    s.outputs = {{1, {make_var(0)}}};
    g.stages = {s};
    verify(g);
    std::vector<Tensor> bound = {Tensor(from, {n}), Tensor()};
    for (int64_t i = 0; i < n; ++i) put(bound[0], i, v[static_cast<size_t>(i)]);
    std::vector<Tensor> fast = bound;
    interpret(g, bound);
    evaluate(g, fast);
    for (int64_t i = 0; i < n; ++i) {
      const Number& x = v[static_cast<size_t>(i)];
      Number want;
      if (is_float(from) && is_float(to)) {
        want.f = round_to(x.f, to);
      } else if (is_float(to)) {
        want.f = to == DType::kF64 ? static_cast<double>(x.i) : round_to(static_cast<float>(x.i), to);
      } else if (!is_float(from)) {
        want.i = wrap(x.i, to);
      } else if (to == DType::kBool) {
        want.i = x.f != 0;
      } else if (!std::isnan(x.f)) {  // truncates and saturates
        const Wide top = is_signed_int(to) ? (Wide{1} << (bits_of(to) - 1)) - 1 : (Wide{1} << bits_of(to)) - 1;
        const Wide low = is_signed_int(to) ? -top - 1 : 0;
        want.i = x.f >= 1e25 ? top : x.f <= -1e25 ? low : std::clamp(static_cast<Wide>(x.f), low, top);
      }
      const std::string where =
          std::string(dtype_name(from)) + " " + show(x, from) + " to " + std::string(dtype_name(to)) + " want " + show(want, to);
      ASSERT_TRUE(same(want, get(bound[1], i), to, 0)) << where << ": interpret " << show(get(bound[1], i), to);
      ASSERT_TRUE(same(want, get(fast[1], i), to, 0)) << where << ": evaluate " << show(get(fast[1], i), to);
      const Expr folded = make_cast(literal(x, from), to);
      const Number f = {folded->fval, to == DType::kU64 ? static_cast<Wide>(static_cast<uint64_t>(folded->ival))
                                                        : static_cast<Wide>(folded->ival)};
      ASSERT_TRUE(same(want, f, to, 0)) << where << ": folded " << show(f, to);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(AllTypes, OperatorsOfType, ::testing::ValuesIn(kTypes),
                         [](const auto& info) { return std::string(dtype_name(info.param)); });

}  // namespace
}  // namespace tlm::ir
