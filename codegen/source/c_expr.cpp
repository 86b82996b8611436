#include "tlm/codegen/source/c_expr.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "tlm/codegen/source/source_writer.h"
#include "tlm/core/error.h"

namespace tlm::codegen {

using namespace ir;

namespace {

const char* infix(Op op) {
  switch (op) {
    case Op::kAdd: return " + ";
    case Op::kSub: return " - ";
    case Op::kMul: return " * ";
    case Op::kBitAnd: return " & ";
    case Op::kBitOr: return " | ";
    case Op::kBitXor: return " ^ ";
    default: return nullptr;
  }
}

const char* comparison(Op op) {
  switch (op) {
    case Op::kEq: return " == ";
    case Op::kNe: return " != ";
    case Op::kLt: return " < ";
    case Op::kLe: return " <= ";
    default: return nullptr;
  }
}

bool is_half(DType t) { return t == DType::kF16 || t == DType::kBF16; }

// Types narrower than int: C computes in int, the result is cut back.
bool is_narrow(DType t) { return !is_float(t) && t != DType::kBool && dtype_size(t) < 4; }

Expr copy_with(const Expr& e, DType t, std::vector<Expr> args) {
  ExprNode n = *e;
  n.dtype = t;
  n.args = std::move(args);
  return Expr(std::make_shared<const ExprNode>(std::move(n)));
}

// Loop variables start at 0: sums, products and quotients of such need no rounding towards minus infinity.
bool non_negative(const Expr& e) {
  switch (e->op) {
    case Op::kVar: return true;
    case Op::kInt: return e->ival >= 0;
    case Op::kAdd:
    case Op::kMul:
    case Op::kFloorDiv:
    case Op::kFloorMod: return non_negative(e->args[0]) && non_negative(e->args[1]);
    default: return false;
  }
}

// select(mask, contiguous load, 0): lanes that the mask excludes are not read.
bool guards_load(const Expr& e) {
  const Expr& load = e->args[1];
  if (load->op != Op::kLoad || load->lanes != e->lanes || load->ival != 0 || load->args[0]->op != Op::kRamp ||
      load->args[0]->ival != 1)
    return false;
  const Expr& other = e->args[2]->op == Op::kRamp && e->args[2]->ival == 0 ? e->args[2]->args[0] : e->args[2];
  return other->op == Op::kInt ? other->ival == 0 : other->op == Op::kFloat && other->fval == 0 && !std::signbit(other->fval);
}

// Powers that are one or two products.
std::string power_name(const Expr& e) {
  if (e->op != Op::kPow || !is_float(e->dtype)) return "";
  const Expr& y = e->args[1]->op == Op::kRamp && e->args[1]->ival == 0 ? e->args[1]->args[0] : e->args[1];
  if (y->op != Op::kFloat) return "";
  return y->fval == 2 ? "square" : y->fval == 3 ? "cube" : "";
}

// min or max with a literal: the operand that may be NaN is known, one instruction does it. 0 or 1: which argument is the
// literal; else -1.
int literal_argument(const Expr& e) {
  if ((e->op != Op::kMin && e->op != Op::kMax) || !is_float(e->dtype)) return -1;
  for (int i : {0, 1}) {
    const Expr& a = e->args[static_cast<size_t>(i)];
    const Expr& x = a->op == Op::kRamp && a->ival == 0 ? a->args[0] : a;
    if (x->op == Op::kFloat && x->fval == x->fval) return i;
  }
  return -1;
}

// Arithmetic on half types is done in f32.
Expr widened(const Expr& e) {
  if (e->args.empty() || e->op == Op::kLoad || e->op == Op::kCast || e->op == Op::kSelect || e->op == Op::kRamp ||
      e->op == Op::kVector || e->op == Op::kLane)
    return e;
  if (!is_half(e->args[0]->dtype)) return e;
  std::vector<Expr> args;
  for (const Expr& a : e->args) args.push_back(make_cast(a, DType::kF32));
  if (e->dtype == DType::kBool) return copy_with(e, DType::kBool, std::move(args));
  return make_cast(copy_with(e, DType::kF32, std::move(args)), e->dtype);
}

}  // namespace

std::string CExpr::address(int buffer, const Expr& offset) {
  const std::string base = "b" + std::to_string(buffer);
  if (offset->op == Op::kInt) return offset->ival == 0 ? base : "(" + base + " + " + int_literal(offset->ival, DType::kI64) + ")";
  // The constant last: addresses that differ by constants share a register.
  if (offset->op == Op::kAdd && offset->args[1]->op == Op::kInt)
    return "(" + base + " + " + text(offset->args[0]) + " + " + int_literal(offset->args[1]->ival, DType::kI64) + ")";
  return "(" + base + " + " + text(offset) + ")";
}

std::string CExpr::element(int buffer, const Expr& offset) {
  if (offset->op == Op::kAdd && offset->args[1]->op == Op::kInt)
    return address(buffer, offset->args[0]) + "[" + int_literal(offset->args[1]->ival, DType::kI64) + "]";
  return "b" + std::to_string(buffer) + "[" + text(offset) + "]";
}

std::string CExpr::load(const Expr& e) {
  if (e->lanes == 1) return element(e->id, e->args[0]);
  const Expr& ramp = e->args[0];
  TLM_CHECK(ramp->op == Op::kRamp && ramp->ival == 1) << "vector load of stride other than 1";
  const std::string p = address(e->id, ramp->args[0]);
  const int active = static_cast<int>(e->ival);
  const std::string memory = preamble_.unaligned(e->dtype, e->lanes);
  const std::string v =
      active > 0 ? preamble_.partial_load(e->dtype, e->lanes, active) + "(" + p + ")" : "*(const " + memory + "*)" + p;
  if (e->dtype == DType::kBool)
    return "(__builtin_convertvector(" + v + ", " + preamble_.type(DType::kBool, e->lanes) + ") != 0)";
  return "((" + preamble_.type(e->dtype, e->lanes) + ")" + v + ")";
}

// Lanes of at most two vectors of one length in another order. (Written lane by lane, compilers look through a chain of such vectors
// and load each lane by itself.)
std::string CExpr::shuffle(const Expr& e) {
  if (e->dtype == DType::kBool) return "";
  std::vector<Expr> from;
  std::string lanes;
  for (const Expr& a : e->args) {
    if (a->op != Op::kLane || a->args[0]->op != Op::kLocal) return "";
    const Expr& v = a->args[0];
    auto it = std::find_if(from.begin(), from.end(), [&](const Expr& f) { return equal(f, v); });
    if (it == from.end()) {
      if (from.size() == 2 || (!from.empty() && from[0]->lanes != v->lanes)) return "";
      it = from.insert(from.end(), v);
    }
    lanes += ", " + std::to_string((it - from.begin()) * v->lanes + a->ival);
  }
  return "__builtin_shufflevector(" + text(from.front()) + ", " + text(from.back()) + lanes + ")";
}

std::string CExpr::vector(const Expr& e, int lanes) {
  if (e->lanes == lanes) return text(e);
  TLM_CHECK(e->lanes == 1);
  return preamble_.broadcast(e->dtype, lanes) + "(" + text(e) + ")";
}

std::string CExpr::text(const Expr& expr) {
  const Expr e = widened(expr);
  switch (e->op) {
    case Op::kInt: return int_literal(e->ival, e->dtype);
    case Op::kFloat: return float_literal(e->fval, e->dtype);
    case Op::kVar: return var(e->id);
    case Op::kLocal: return local(e->id);
    case Op::kLoad: return load(e);
    case Op::kLane:
      return e->dtype == DType::kBool ? "(-" + text(e->args[0]) + "[" + std::to_string(e->ival) + "])"
                                      : text(e->args[0]) + "[" + std::to_string(e->ival) + "]";
    case Op::kRamp: {
      if (e->ival == 0) return vector(e->args[0], e->lanes);
      std::string steps = "((" + preamble_.type(e->dtype, e->lanes) + "){";
      for (int i = 0; i < e->lanes; ++i) steps += (i ? ", " : "") + std::to_string(e->ival * i);
      return "(" + vector(e->args[0], e->lanes) + " + " + steps + "}))";
    }
    case Op::kVector: {
      if (const std::string s = shuffle(e); !s.empty()) return s;
      std::string out = "((" + preamble_.type(e->dtype, e->lanes) + "){";
      for (size_t i = 0; i < e->args.size(); ++i) {
        const std::string item = text(e->args[i]);
        out += (i ? ", " : "") + (e->dtype == DType::kBool ? "-(" + item + ")" : item);
      }
      return out + "})";
    }
    case Op::kCast: return preamble_.cast(e->args[0]->dtype, e->dtype, e->lanes) + "(" + vector(e->args[0], e->lanes) + ")";
    case Op::kSelect:
      if (e->args[0]->lanes == 1) {
        // A vector in memory has a type of its own (unaligned): both arms are made plain vectors.
        const std::string cast = e->lanes > 1 ? "(" + preamble_.type(e->dtype, e->lanes) + ")" : "";
        return "(" + text(e->args[0]) + " ? " + cast + vector(e->args[1], e->lanes) + " : " + cast +
               vector(e->args[2], e->lanes) + ")";
      }
      if (guards_load(e))
        return preamble_.guarded_load(e->dtype, e->lanes) + "(" + address(e->args[1]->id, e->args[1]->args[0]->args[0]) + ", " +
               text(e->args[0]) + ")";
      return preamble_.blend(e->dtype, e->lanes) + "(" + text(e->args[0]) + ", " + vector(e->args[1], e->lanes) + ", " +
             vector(e->args[2], e->lanes) + ")";
    default: return e->lanes == 1 ? scalar_op(e) : vector_op(e);
  }
}

std::string CExpr::scalar_op(const Expr& e) {
  const DType t = e->args[0]->dtype;
  auto arg = [&](size_t i) { return text(e->args[i]); };
  if (const char* op = comparison(e->op)) return "(" + arg(0) + op + arg(1) + ")";
  switch (e->op) {
    case Op::kAnd: return "(" + arg(0) + " && " + arg(1) + ")";
    case Op::kOr: return "(" + arg(0) + " || " + arg(1) + ")";
    case Op::kNot: return "(!" + arg(0) + ")";
    case Op::kIsNan: return is_float(t) ? "__builtin_isnan(" + arg(0) + ")" : "0";
    case Op::kIsInf: return is_float(t) ? "(__builtin_isinf(" + arg(0) + ") != 0)" : "0";
    default: break;
  }
  const std::string cut = is_narrow(t) ? "(" + preamble_.type(t) + ")" : "";
  if (const char* op = infix(e->op)) {
    if (is_narrow(t) && e->op == Op::kMul) return "(" + cut + "((u32)" + arg(0) + " * (u32)" + arg(1) + "))";
    return cut.empty() ? "(" + arg(0) + op + arg(1) + ")" : "(" + cut + "(" + arg(0) + op + arg(1) + "))";
  }
  switch (e->op) {
    case Op::kNeg: return "(" + cut + "(-" + arg(0) + "))";
    case Op::kBitNot: return "(" + cut + "(~" + arg(0) + "))";
    case Op::kDiv:
      if (is_float(t)) return "(" + arg(0) + " / " + arg(1) + ")";
      break;
    case Op::kFma:
      if (!is_float(t)) return "(" + cut + "(" + arg(0) + " * " + arg(1) + " + " + arg(2) + "))";
      return preamble_.function("fma", t, 1) + "(" + arg(0) + ", " + arg(1) + ", " + arg(2) + ")";
    case Op::kFloor:
    case Op::kCeil:
    case Op::kRound:
    case Op::kTrunc:
      if (!is_float(t)) return arg(0);
      break;
    case Op::kFloorDiv:
    case Op::kFloorMod:
      // Index arithmetic by a power of two.
      if (is_signed_int(t) && e->args[1]->op == Op::kInt && e->args[1]->ival > 0 &&
          std::has_single_bit(static_cast<uint64_t>(e->args[1]->ival))) {
        const int shift = std::countr_zero(static_cast<uint64_t>(e->args[1]->ival));
        if (e->op == Op::kFloorDiv) return "(" + arg(0) + " >> " + std::to_string(shift) + ")";
        return "(" + arg(0) + " & " + int_literal(e->args[1]->ival - 1, t) + ")";
      }
      if (t == DType::kI64 && e->args[1]->op == Op::kInt && e->args[1]->ival > 0 && non_negative(e->args[0]))
        return "((i64)((u64)" + arg(0) + (e->op == Op::kFloorDiv ? " / " : " % ") + int_literal(e->args[1]->ival, t) + "))";
      break;
    default: break;
  }
  if (const int i = literal_argument(e); i >= 0)
    return preamble_.function(e->op == Op::kMin ? "least" : "most", t, 1) + "(" + arg(static_cast<size_t>(i)) + ", " +
           arg(static_cast<size_t>(1 - i)) + ")";
  if (const std::string power = power_name(e); !power.empty()) return preamble_.function(power, t, 1) + "(" + arg(0) + ")";
  std::string out = preamble_.function(op_name(e->op), t, 1) + "(";
  for (size_t i = 0; i < e->args.size(); ++i) out += (i ? ", " : "") + arg(i);
  return out + ")";
}

std::string CExpr::vector_op(const Expr& e) {
  const DType t = e->args[0]->dtype;
  const int lanes = e->lanes;
  auto arg = [&](size_t i) { return vector(e->args[i], lanes); };
  if (const char* op = comparison(e->op)) {
    if (t == DType::kBool) return "(" + arg(1) + op + arg(0) + ")";  // true is -1: the order is the other way round
    return preamble_.mask_of(t, lanes) + "(" + arg(0) + op + arg(1) + ")";
  }
  switch (e->op) {
    case Op::kAnd: return "(" + arg(0) + " & " + arg(1) + ")";
    case Op::kOr: return "(" + arg(0) + " | " + arg(1) + ")";
    case Op::kNot: return "(~" + arg(0) + ")";
    case Op::kIsNan:
      if (!is_float(t)) return "((" + preamble_.type(DType::kBool, lanes) + "){})";
      return preamble_.mask_of(t, lanes) + "(" + arg(0) + " != " + arg(0) + ")";
    case Op::kIsInf:
      if (!is_float(t)) return "((" + preamble_.type(DType::kBool, lanes) + "){})";
      return preamble_.mask_of(t, lanes) + "(" + preamble_.function("abs", t, lanes) + "(" + arg(0) +
             ") == " + preamble_.broadcast(t, lanes) + "(" + (t == DType::kF32 ? "__builtin_inff()" : "__builtin_inf()") + "))";
    case Op::kMin:
      if (t == DType::kBool) return "(" + arg(0) + " & " + arg(1) + ")";
      break;
    case Op::kMax:
      if (t == DType::kBool) return "(" + arg(0) + " | " + arg(1) + ")";
      break;
    case Op::kNeg: return "(-" + arg(0) + ")";
    case Op::kBitNot: return "(~" + arg(0) + ")";
    case Op::kDiv:
      if (is_float(t)) return "(" + arg(0) + " / " + arg(1) + ")";
      break;
    case Op::kFma:
      if (!is_float(t)) return "(" + arg(0) + " * " + arg(1) + " + " + arg(2) + ")";
      return preamble_.function("fma", t, lanes) + "(" + arg(0) + ", " + arg(1) + ", " + arg(2) + ")";
    case Op::kFloor:
    case Op::kCeil:
    case Op::kRound:
    case Op::kTrunc:
      if (!is_float(t)) return arg(0);
      break;
    default: break;
  }
  if (const char* op = infix(e->op)) return "(" + arg(0) + op + arg(1) + ")";
  if (const int i = literal_argument(e); i >= 0)
    return preamble_.function(e->op == Op::kMin ? "least" : "most", t, lanes) + "(" + arg(static_cast<size_t>(i)) + ", " +
           arg(static_cast<size_t>(1 - i)) + ")";
  if (const std::string power = power_name(e); !power.empty()) return preamble_.function(power, t, lanes) + "(" + arg(0) + ")";
  std::string out = preamble_.function(op_name(e->op), t, lanes) + "(";
  for (size_t i = 0; i < e->args.size(); ++i) out += (i ? ", " : "") + arg(i);
  return out + ")";
}

}  // namespace tlm::codegen
