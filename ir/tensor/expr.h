// Scalar and vector expressions, shared by tensor stages and loop IR. Immutable values, cheap to copy.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tlm/core/dtype.h"

namespace tlm::ir {

// name, number of arguments (-1: any). Semantics below.
//
// Integers wrap (two's complement). kDiv on integers truncates toward zero, kFloorDiv/kFloorMod floor (the divisor of an
// index expression is a positive constant); an integer division by zero yields 0. Floats follow IEEE 754 in the type of the node;
// kMin/kMax return NaN if either is NaN. Comparisons and logic yield kBool. kSelect(c, a, b) evaluates only the chosen arm:
// a load in the other arm is not executed. kCast float→int truncates and saturates (NaN → 0), int→int wraps, →bool is != 0;
// f64 and integers go to f16 and bf16 by way of f32. A shift by less than 0 or by the width or more yields 0 (kShr of a negative
// number: -1). kSign of NaN is NaN. kPow of integers wraps; a negative exponent truncates 1/x^n. kFloor … kTrunc of integers are
// the identity.
// Arithmetic on f16 and bf16 is done in f32 and rounds after every node: lowerings cast to f32 instead.
// A vector node (lanes > 1) takes arguments of its own number of lanes or of one lane, which is broadcast.
// clang-format off
#define TLM_EXPR_OPS(X)                                                                                           \
  X(kInt, "int", 0)       /* literal: ival */                                                                     \
  X(kFloat, "float", 0)   /* literal: fval */                                                                     \
  X(kVar, "var", 0)       /* id: in a stage, the axis; in loop IR, a variable of the kernel (i64) */              \
  X(kAcc, "acc", 0)       /* id: accumulator of the enclosing stage; in combiners: see Combiner */                \
  X(kLoad, "load", -1)    /* id: tensor; args: one index for each dimension; after storage is placed: one offset */ \
  X(kLocal, "local", 0)   /* loop IR: read local variable id */                                                   \
  X(kRamp, "ramp", 1)     /* loop IR: args[0] + ival * {0 … lanes-1}; ival 0: a broadcast, of any type */         \
  X(kVector, "vector", -1) /* loop IR: a vector from `lanes` scalars of its type */                               \
  X(kLane, "lane", 1)     /* loop IR: element `ival` of a vector, a scalar */                                     \
  X(kAdd, "add", 2) X(kSub, "sub", 2) X(kMul, "mul", 2) X(kDiv, "div", 2)                                         \
  X(kFloorDiv, "floordiv", 2) X(kFloorMod, "floormod", 2) X(kMod, "mod", 2) /* kMod: C's % / fmod */              \
  X(kMin, "min", 2) X(kMax, "max", 2) X(kPow, "pow", 2) X(kFma, "fma", 3)   /* fma(a,b,c) = a*b+c */              \
  X(kEq, "eq", 2) X(kNe, "ne", 2) X(kLt, "lt", 2) X(kLe, "le", 2)                                                 \
  X(kAnd, "and", 2) X(kOr, "or", 2) X(kNot, "not", 1)                                                             \
  X(kBitAnd, "bitand", 2) X(kBitOr, "bitor", 2) X(kBitXor, "bitxor", 2) X(kBitNot, "bitnot", 1)                   \
  X(kShl, "shl", 2) X(kShr, "shr", 2)                                                                             \
  X(kSelect, "select", 3) X(kCast, "cast", 1)                                                                     \
  X(kNeg, "neg", 1) X(kAbs, "abs", 1) X(kSign, "sign", 1)                                                         \
  X(kFloor, "floor", 1) X(kCeil, "ceil", 1) X(kRound, "round", 1) /* half to even */ X(kTrunc, "trunc", 1)        \
  X(kSqrt, "sqrt", 1) X(kRsqrt, "rsqrt", 1) X(kExp, "exp", 1) X(kLog, "log", 1)                                   \
  X(kSin, "sin", 1) X(kCos, "cos", 1) X(kTan, "tan", 1) X(kAsin, "asin", 1) X(kAcos, "acos", 1) X(kAtan, "atan", 1) \
  X(kSinh, "sinh", 1) X(kCosh, "cosh", 1) X(kTanh, "tanh", 1)                                                     \
  X(kAsinh, "asinh", 1) X(kAcosh, "acosh", 1) X(kAtanh, "atanh", 1) X(kErf, "erf", 1)                             \
  X(kIsNan, "isnan", 1) X(kIsInf, "isinf", 1)
// clang-format on

enum class Op : uint8_t {
#define X(name, text, arity) name,
  TLM_EXPR_OPS(X)
#undef X
};
const char* op_name(Op op);
std::optional<Op> parse_op(const std::string& name);
int op_arity(Op op);                                   // -1: any
DType result_type(Op op, DType args);                  // kBool for comparisons, logic and tests; else the type of the arguments

struct ExprNode;

class Expr {
 public:
  Expr() = default;
  explicit Expr(std::shared_ptr<const ExprNode> node) : node_(std::move(node)) {}
  const ExprNode* operator->() const { return node_.get(); }
  const ExprNode& operator*() const { return *node_; }
  explicit operator bool() const { return node_ != nullptr; }
  const ExprNode* get() const { return node_.get(); }

 private:
  std::shared_ptr<const ExprNode> node_;
};

struct ExprNode {
  Op op = Op::kInt;
  DType dtype = DType::kI64;  // element type of the value; indices are kI64
  int lanes = 1;              // > 1: a vector (loop IR only)
  int64_t ival = 0;           // kInt; kRamp: stride; kLane: lane; kLoad (vector): lanes really read, the rest are zero (0: all)
  double fval = 0;            // kFloat
  int id = -1;                // kVar, kAcc, kLoad, kLocal
  std::vector<Expr> args;
};

// Builders. Binary ones require equal types (TLM_CHECK) and fold literals and neutral elements (x+0, x*1, 0*i for integers);
// they never reassociate floats.
Expr make_int(int64_t v, DType t = DType::kI64);
Expr make_float(double v, DType t = DType::kF32);
Expr make_const(double v, DType t);                    // kInt or kFloat literal by type
Expr make_var(int id);                                 // i64
Expr make_acc(int id, DType t);
Expr make_load(int tensor, DType t, std::vector<Expr> indices);
Expr make_op(Op op, std::vector<Expr> args);           // type of args (kBool for comparisons)
Expr make_select(Expr c, Expr a, Expr b);
Expr make_cast(Expr a, DType t);                       // identity when the type is the same
Expr make_ramp(Expr base, int64_t stride, int lanes);  // base itself when lanes is 1
Expr operator+(const Expr& a, const Expr& b);
Expr operator-(const Expr& a, const Expr& b);
Expr operator*(const Expr& a, const Expr& b);
Expr operator+(const Expr& a, int64_t b);              // index arithmetic
Expr operator-(const Expr& a, int64_t b);
Expr operator*(const Expr& a, int64_t b);
Expr floor_div(const Expr& a, int64_t b);
Expr floor_mod(const Expr& a, int64_t b);

bool equal(const Expr& a, const Expr& b);              // structural
bool is_int(const Expr& e, int64_t v);                 // the integer (or bool) literal v
int compare(const Expr& a, const Expr& b);             // a total order on structure: < 0, 0, > 0
// Rebuilds bottom-up, through the builders (literals fold again); `replace` sees the rebuilt node and returns a replacement or
// an empty Expr to keep it. Shared nodes are rewritten once and stay shared.
Expr rewrite(const Expr& e, const std::function<Expr(const Expr&)>& replace);
void visit(const Expr& e, const std::function<void(const Expr&)>& f);  // pre-order; a shared node once

// c + Σ coef[axis]·axis, when e is exactly that.
struct Affine {
  int64_t constant = 0;
  std::vector<int64_t> coef;  // by variable id, size = `vars`
};
std::optional<Affine> as_affine(const Expr& e, int vars);

// Smallest and largest value of an integer expression when variable i runs over [0, extents[i]); loads are unbounded (nullopt).
struct Interval {
  int64_t lo, hi;
};
std::optional<Interval> bounds(const Expr& e, const std::vector<int64_t>& extents);

// Algebra on integer expressions: affine normal form, ÷ and mod of known ranges, comparisons decided by bounds.
Expr simplify(const Expr& e, const std::vector<int64_t>& extents);

}  // namespace tlm::ir
