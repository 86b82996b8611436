#include "tlm/codegen/source/source_cuda.h"

#include <algorithm>
#include <cmath>

#include "tlm/codegen/source/source_writer.h"
#include "tlm/core/error.h"
#include "tlm/kernels/preamble/preamble_cuda.h"

namespace tlm::codegen {

using namespace ir;

namespace {

std::string type_name(DType t) {
  if (t == DType::kF16 || t == DType::kBF16) return "u16";
  if (t == DType::kBool) return "bool";
  return std::string(dtype_name(t));
}

std::string memory_type(DType t) { return t == DType::kBool ? "u8" : type_name(t); }

bool is_half(DType t) { return t == DType::kF16 || t == DType::kBF16; }

std::string literal(const Expr& e) {
  if (e->op == Op::kInt)
    return e->dtype == DType::kI64 || e->dtype == DType::kBool ? int_literal(e->ival, e->dtype)
                                                               : type_name(e->dtype) + "(" + int_literal(e->ival, e->dtype) + ")";
  if (is_half(e->dtype)) return "u16(" + float_literal(e->fval, e->dtype) + ")";
  if (std::isnan(e->fval)) return "quiet_nan(" + type_name(e->dtype) + "(0))";
  if (std::isinf(e->fval)) return std::string(e->fval < 0 ? "(-" : "(") + "infinity(" + type_name(e->dtype) + "(0)))";
  return float_literal(e->fval, e->dtype);
}

const char* infix(Op op) {
  switch (op) {
    case Op::kAdd: return " + ";
    case Op::kSub: return " - ";
    case Op::kMul: return " * ";
    case Op::kBitAnd: return " & ";
    case Op::kBitOr: return " | ";
    case Op::kBitXor: return " ^ ";
    case Op::kEq: return " == ";
    case Op::kNe: return " != ";
    case Op::kLt: return " < ";
    case Op::kLe: return " <= ";
    case Op::kAnd: return " && ";
    case Op::kOr: return " || ";
    default: return nullptr;
  }
}

class CudaWriter {
 public:
  explicit CudaWriter(const Kernel& k) : k_(k) {}

  std::string run() {
    for (size_t p = 0; p < k_.phases.size(); ++p) phase(k_.phases[p], p);
    return kernels::preamble_cuda() + out_.take();
  }

 private:
  std::string var(int id) const { return k_.vars[static_cast<size_t>(id)] + "_"; }
  std::string local(int id) const { return k_.locals[static_cast<size_t>(id)] + "_"; }

  void phase(const Phase& p, size_t number) {
    std::string head = "extern \"C\" __global__ void __launch_bounds__(" + std::to_string(std::max(p.threads, 1)) + ") " +
                       k_.name + "_p" + std::to_string(number) + "(";
    for (size_t i = 0; i < k_.params.size(); ++i) head += "void* p" + std::to_string(i) + ", ";
    out_.open(head + "char* workspace)");
    for (size_t b = 0; b < k_.buffers.size(); ++b) {
      const Buffer& buffer = k_.buffers[b];
      if (!touches(p.body, static_cast<int>(b))) continue;
      const std::string type = memory_type(buffer.dtype) + "*", name = "b" + std::to_string(b);
      if (buffer.scope == MemoryScope::kGlobal)
        out_.line(type + " const " + name + " = (" + type + ")p" + std::to_string(buffer.param) + ";");
      else if (buffer.scope == MemoryScope::kWorkspace)
        out_.line(type + " const " + name + " = (" + type + ")workspace + " + std::to_string(buffer.offset) + ";");
    }
    statement(p.body);
    out_.close();
  }

  static bool touches(const Stmt& s, int buffer) {
    bool found = s->kind == StmtKind::kStore && s->buffer == buffer;
    auto look = [&](const Expr& e) {
      visit(e, [&](const Expr& n) { found = found || (n->op == Op::kLoad && n->id == buffer); });
    };
    if (s->value) look(s->value);
    if (s->extent) look(s->extent);
    for (const Expr& i : s->indices) look(i);
    for (const Stmt& b : s->body) found = found || touches(b, buffer);
    return found;
  }

  void statement(const Stmt& s) {
    switch (s->kind) {
      case StmtKind::kBlock:
        for (const Stmt& b : s->body) statement(b);
        return;
      case StmtKind::kFor:
        if (s->loop == LoopKind::kBlock || s->loop == LoopKind::kThread) {
          out_.open("");
          out_.line("const i64 " + var(s->var) + " = " + (s->loop == LoopKind::kBlock ? "blockIdx.x" : "threadIdx.x") + ";");
        } else {
          TLM_CHECK(s->loop == LoopKind::kSerial) << "loop kind " << static_cast<int>(s->loop) << " has no CUDA form";
          out_.open("for (i64 " + var(s->var) + " = 0; " + var(s->var) + " < " + text(s->extent) + "; ++" + var(s->var) + ")");
        }
        statement(s->body[0]);
        out_.close();
        return;
      case StmtKind::kIf:
        out_.open("if (" + text(s->value) + ")");
        statement(s->body[0]);
        out_.close();
        if (s->body.size() > 1) {
          out_.open("else");
          statement(s->body[1]);
          out_.close();
        }
        return;
      case StmtKind::kStore: out_.line(element(s->buffer, s->indices[0]) + " = " + text(s->value) + ";"); return;
      case StmtKind::kLet:
        out_.line("const " + type_name(s->value->dtype) + " " + local(s->var) + " = " + text(s->value) + ";");
        return;
      case StmtKind::kLocal: out_.line(type_name(s->value->dtype) + " " + local(s->var) + " = " + text(s->value) + ";"); return;
      case StmtKind::kAssign: out_.line(local(s->var) + " = " + text(s->value) + ";"); return;
      case StmtKind::kBarrier: out_.line("__syncthreads();"); return;
      case StmtKind::kPrefetch: return;  // the hardware switches to other threads instead
      case StmtKind::kComment: out_.line("/* " + s->text + " */"); return;
      case StmtKind::kAlloc: TLM_CHECK(false) << "an allocation in CUDA code";
    }
  }

  std::string element(int buffer, const Expr& offset) { return "b" + std::to_string(buffer) + "[" + text(offset) + "]"; }

  // A half value as f32.
  std::string widened(const Expr& e) {
    if (!is_half(e->dtype)) return text(e);
    return (e->dtype == DType::kF16 ? "decode_f16(" : "decode_bf16(") + text(e) + ")";
  }

  std::string cast(const Expr& e) {
    const DType from = e->args[0]->dtype, to = e->dtype;
    const std::string x = widened(e->args[0]);
    if (is_half(to)) return (to == DType::kF16 ? "encode_f16(f32(" : "encode_bf16(f32(") + x + "))";
    if (to == DType::kBool) return "(" + x + " != 0)";
    if (is_float(from) && !is_float(to)) return "to_int<" + type_name(to) + ">(" + x + ")";
    return type_name(to) + "(" + x + ")";
  }

  std::string text(const Expr& e) {
    TLM_CHECK(e->lanes == 1) << "a vector in CUDA code";
    switch (e->op) {
      case Op::kInt:
      case Op::kFloat: return literal(e);
      case Op::kVar: return var(e->id);
      case Op::kLocal: return local(e->id);
      case Op::kLoad: return e->dtype == DType::kBool ? "(" + element(e->id, e->args[0]) + " != 0)" : element(e->id, e->args[0]);
      case Op::kCast: return cast(e);
      case Op::kSelect: return "(" + text(e->args[0]) + " ? " + text(e->args[1]) + " : " + text(e->args[2]) + ")";
      case Op::kNot: return "(!" + text(e->args[0]) + ")";
      default: break;
    }
    const DType t = e->args[0]->dtype;
    std::string out = operation(e, t);
    if (e->dtype == DType::kBool) return out;
    if (is_half(t)) return (t == DType::kF16 ? "encode_f16(" : "encode_bf16(") + out + ")";
    if (!is_float(t) && dtype_size(t) < 4) return type_name(t) + out;  // C computes in int: cut back
    return out;
  }

  std::string operation(const Expr& e, DType t) {
    auto arg = [&](size_t i) { return widened(e->args[i]); };
    if (const char* op = infix(e->op)) {
      if (e->op == Op::kMul && dtype_size(t) == 2 && !is_float(t)) return "(u32(" + arg(0) + ")" + op + "u32(" + arg(1) + "))";
      return "(" + arg(0) + op + arg(1) + ")";
    }
    const bool real = is_float(t);
    switch (e->op) {
      case Op::kNeg: return "(-" + arg(0) + ")";
      case Op::kBitNot: return "(~" + arg(0) + ")";
      case Op::kDiv:
        if (real) return "(" + arg(0) + " / " + arg(1) + ")";
        break;
      case Op::kFma:
        if (!real) return "(" + arg(0) + " * " + arg(1) + " + " + arg(2) + ")";
        break;
      case Op::kFloor:
      case Op::kCeil:
      case Op::kRound:
      case Op::kTrunc:
        if (!real) return "(" + arg(0) + ")";
        break;
      case Op::kIsNan:
      case Op::kIsInf:
        if (!real) return "false";
        break;
      default: break;
    }
    std::string out = std::string("(op_") + op_name(e->op) + "(";
    for (size_t i = 0; i < e->args.size(); ++i) {
      const Expr& a = e->args[i];
      out += (i ? ", " : "") + (a->op == Op::kInt && a->dtype == DType::kI64 ? "i64(" + arg(i) + ")" : arg(i));
    }
    return out + "))";
  }

  const Kernel& k_;
  SourceText out_;
};

}  // namespace

std::string write_cuda(const Kernel& kernel, const Target&) { return CudaWriter(kernel).run(); }

}  // namespace tlm::codegen
