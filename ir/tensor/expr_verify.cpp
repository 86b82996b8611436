#include "tlm/ir/tensor/expr_verify.h"

#include <cmath>

#include "tlm/ir/tensor/scalar.h"

namespace tlm::ir {
namespace {

bool needs_float(Op op) { return op == Op::kSqrt || (op >= Op::kRsqrt && op <= Op::kErf); }
bool needs_bits(Op op) { return op >= Op::kBitAnd && op <= Op::kShr; }

bool takes_bool(Op op) {
  switch (op) {
    case Op::kMin:
    case Op::kMax:
    case Op::kEq:
    case Op::kNe:
    case Op::kLt:
    case Op::kLe:
    case Op::kAnd:
    case Op::kOr:
    case Op::kNot:
    case Op::kBitAnd:
    case Op::kBitOr:
    case Op::kBitXor: return true;
    default: return false;
  }
}

std::string operator_rule(const Expr& e) {
  const DType t = e->args[0]->dtype;
  for (const Expr& a : e->args)
    if (a->dtype != t) return "arguments have different types";
  const bool logic = e->op == Op::kAnd || e->op == Op::kOr || e->op == Op::kNot;
  if (logic && t != DType::kBool) return "logic needs bool";
  if (t == DType::kBool && !takes_bool(e->op)) return "no arithmetic on bool";
  if (needs_float(e->op) && !is_float(t)) return "needs a float";
  if (needs_bits(e->op) && is_float(t)) return "needs an integer";
  if (e->dtype != result_type(e->op, t)) return "wrong result type";
  return "";
}

}  // namespace

std::string broken_rule(const Expr& e) {
  if (!e) return "empty expression";
  const size_t n = e->args.size();
  if (op_arity(e->op) >= 0 && n != static_cast<size_t>(op_arity(e->op))) return "wrong number of arguments";
  for (const Expr& a : e->args)
    if (!a) return "empty argument";
  if (e->lanes < 1) return "lanes < 1";
  if (e->op != Op::kRamp && e->op != Op::kVector && e->op != Op::kLane)
    for (const Expr& a : e->args)
      if (a->lanes != 1 && a->lanes != e->lanes) return "an argument has another number of lanes";
  switch (e->op) {
    case Op::kInt:
      if (is_float(e->dtype)) return "integer literal of a float type";
      return wrap_int(e->ival, e->dtype) == e->ival ? "" : "literal out of its type's range";
    case Op::kFloat: return is_float(e->dtype) ? "" : "float literal of an integer type";
    case Op::kVar: return e->dtype == DType::kI64 ? "" : "a variable is i64";
    case Op::kAcc:
    case Op::kLocal: return "";
    case Op::kLoad:
      for (const Expr& a : e->args)
        if (a->dtype != DType::kI64) return "an index is i64";
      return "";
    case Op::kRamp:
      if (e->args[0]->lanes != 1 || e->args[0]->dtype != e->dtype) return "base of a ramp: a scalar of its type";
      return e->ival != 0 && e->dtype != DType::kI64 ? "a ramp with a stride is i64" : "";
    case Op::kVector:
      if (n != static_cast<size_t>(e->lanes)) return "as many elements as lanes";
      for (const Expr& a : e->args)
        if (a->lanes != 1 || a->dtype != e->dtype) return "elements are scalars of the vector's type";
      return "";
    case Op::kLane:
      if (e->lanes != 1 || e->dtype != e->args[0]->dtype) return "a lane is a scalar of the vector's type";
      return e->ival < 0 || e->ival >= e->args[0]->lanes ? "no such lane" : "";
    case Op::kSelect:
      if (e->args[0]->dtype != DType::kBool) return "the condition is bool";
      return e->args[1]->dtype == e->dtype && e->args[2]->dtype == e->dtype ? "" : "both arms have the type of the select";
    case Op::kCast: return "";
    default: return operator_rule(e);
  }
}

}  // namespace tlm::ir
