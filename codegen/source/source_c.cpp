#include "tlm/codegen/source/source_c.h"

#include "tlm/codegen/source/c_expr.h"
#include "tlm/codegen/source/source_writer.h"
#include "tlm/core/error.h"
#include "tlm/core/runtime/kernel_abi.h"

namespace tlm::codegen {

using namespace ir;

namespace {

// One phase as a function.
class PhaseWriter {
 public:
  PhaseWriter(const Kernel& k, kernels::PreambleC& preamble, SourceText& out)
      : k_(k), preamble_(preamble), expr_(k, preamble), out_(out) {}

  void write(const Phase& p, uint32_t entry) {
    out_.open("__attribute__((visibility(\"hidden\"))) void tlm_phase_" + std::to_string(entry) +
              "(const TlmKernelArgs* args, i64 begin, i64 end, void* worker)");
    pointers(p.body);
    if (p.body->kind == StmtKind::kFor && p.body->loop == LoopKind::kParallel) {
      const std::string v = expr_.var(p.body->var);
      out_.open("for (i64 " + v + " = begin; " + v + " < end; ++" + v + ")");
      statement(p.body->body[0]);
    } else {
      out_.open("if (begin < end)");
      statement(p.body);
    }
    out_.close();
    out_.close();
  }

 private:
  static std::string memory_type(const Buffer& b, kernels::PreambleC& preamble) {
    return b.dtype == DType::kBool ? "u8" : preamble.type(b.dtype);
  }

  // The buffers that the phase touches.
  void pointers(const Stmt& body) {
    std::vector<bool> read(k_.buffers.size(), false), written(k_.buffers.size(), false);
    auto exprs = [&](const Expr& e) {
      visit(e, [&](const Expr& n) {
        if (n->op == Op::kLoad) read[static_cast<size_t>(n->id)] = true;
      });
    };
    auto walk = [&](auto&& self, const Stmt& s) -> void {
      if (s->extent) exprs(s->extent);
      if (s->value) exprs(s->value);
      for (const Expr& i : s->indices) exprs(i);
      if (s->kind == StmtKind::kPrefetch) read[static_cast<size_t>(s->buffer)] = true;
      if (s->kind == StmtKind::kStore) written[static_cast<size_t>(s->buffer)] = true;
      for (const Stmt& b : s->body) self(self, b);
    };
    walk(walk, body);
    for (size_t b = 0; b < k_.buffers.size(); ++b) {
      if (!read[b] && !written[b]) continue;
      const Buffer& buffer = k_.buffers[b];
      const std::string type = (written[b] ? "" : "const ") + memory_type(buffer, preamble_) + "*";
      std::string base;
      switch (buffer.scope) {
        case MemoryScope::kGlobal: base = "args->buffers[" + std::to_string(buffer.param) + "]"; break;
        case MemoryScope::kWorkspace: base = "args->workspace"; break;
        case MemoryScope::kWorker: base = "worker"; break;
        default: TLM_CHECK(false) << "buffer " << buffer.name << " has no place in memory";
      }
      std::string text = type + " const b" + std::to_string(b) + " = (" + type + ")" + base;
      if (buffer.offset != 0) text += " + " + std::to_string(buffer.offset);
      out_.line(text + ";");
    }
  }

  std::string local_type(int l) {
    return preamble_.type(k_.local_types[static_cast<size_t>(l)], k_.local_lanes[static_cast<size_t>(l)]);
  }
  std::string local_value(const Stmt& s) { return expr_.vector(s->value, k_.local_lanes[static_cast<size_t>(s->var)]); }

  void statement(const Stmt& s) {
    switch (s->kind) {
      case StmtKind::kBlock:
        for (const Stmt& b : s->body) statement(b);
        return;
      case StmtKind::kFor: {
        TLM_CHECK(s->loop == LoopKind::kSerial) << "loop kind " << static_cast<int>(s->loop) << " inside a phase";
        const std::string v = expr_.var(s->var);
        out_.open("for (i64 " + v + " = 0; " + v + " < " + expr_.text(s->extent) + "; ++" + v + ")");
        statement(s->body[0]);
        out_.close();
        return;
      }
      case StmtKind::kIf:
        out_.open("if (" + expr_.text(s->value) + ")");
        statement(s->body[0]);
        out_.close();
        if (s->body.size() > 1) {
          out_.open("else");
          statement(s->body[1]);
          out_.close();
        }
        return;
      case StmtKind::kStore: return store(s);
      case StmtKind::kLet:
        out_.line("const " + local_type(s->var) + " " + expr_.local(s->var) + " = " + local_value(s) + ";");
        return;
      case StmtKind::kLocal: out_.line(local_type(s->var) + " " + expr_.local(s->var) + " = " + local_value(s) + ";"); return;
      case StmtKind::kAssign: out_.line(expr_.local(s->var) + " = " + local_value(s) + ";"); return;
      case StmtKind::kPrefetch: out_.line("__builtin_prefetch(" + expr_.address(s->buffer, s->indices[0]) + ");"); return;
      case StmtKind::kComment: out_.line("/* " + s->text + " */"); return;
      case StmtKind::kAlloc:
      case StmtKind::kBarrier: TLM_CHECK(false) << "statement kind " << static_cast<int>(s->kind) << " has no C form";
    }
  }

  void store(const Stmt& s) {
    const DType t = k_.buffers[static_cast<size_t>(s->buffer)].dtype;
    if (s->value->lanes == 1) {
      out_.line(expr_.element(s->buffer, s->indices[0]) + " = " + expr_.text(s->value) + ";");
      return;
    }
    const int lanes = s->value->lanes;
    const Expr& ramp = s->indices[0];
    TLM_CHECK(ramp->op == Op::kRamp && ramp->ival == 1) << "vector store of stride other than 1";
    const std::string p = expr_.address(s->buffer, ramp->args[0]), memory = preamble_.unaligned(t, lanes);
    std::string value = expr_.text(s->value);
    if (t == DType::kBool) value = "__builtin_convertvector(-" + value + ", " + memory + ")";
    if (s->active > 0 && s->active < lanes) {
      out_.line(preamble_.partial_store(t, lanes, s->active) + "(" + p + ", " + value + ");");
    } else {
      out_.line("*(" + memory + "*)" + p + " = " + value + ";");
    }
  }

  const Kernel& k_;
  kernels::PreambleC& preamble_;
  CExpr expr_;
  SourceText& out_;
};

}  // namespace

std::string write_c(std::span<const Kernel* const> ks, std::span<const uint32_t> first_entry, const Target& target) {
  TLM_CHECK(ks.size() == first_entry.size());
  kernels::PreambleC preamble(target);
  SourceText out;
  for (size_t i = 0; i < ks.size(); ++i)
    for (size_t p = 0; p < ks[i]->phases.size(); ++p)
      PhaseWriter(*ks[i], preamble, out).write(ks[i]->phases[p], first_entry[i] + static_cast<uint32_t>(p));
  return kernels::preamble_c_header() + preamble.text() + out.take();
}

std::string write_c_module(uint32_t phase_count, const Target&) {
  SourceText out;
  out.line("typedef void (*TlmPhase)(const TlmKernelArgs*, i64, i64, void*);");
  out.line("typedef struct { u32 abi; u32 phase_count; const TlmPhase* phases; } TlmModule;");
  for (uint32_t p = 0; p < phase_count; ++p)
    out.line("__attribute__((visibility(\"hidden\"))) void tlm_phase_" + std::to_string(p) +
             "(const TlmKernelArgs*, i64, i64, void*);");
  out.line("static const TlmPhase phases[] = {");
  for (uint32_t p = 0; p < phase_count; ++p) out.line("  tlm_phase_" + std::to_string(p) + ",");
  if (phase_count == 0) out.line("  0,");
  out.line("};");
  out.line("static const TlmModule module = {" + std::to_string(TLM_KERNEL_ABI) + ", " + std::to_string(phase_count) +
           ", phases};");
  out.line("__attribute__((visibility(\"default\"))) const TlmModule* tlm_module(void);");
  out.open("const TlmModule* tlm_module(void)");
  out.line("return &module;");
  out.close();
  return kernels::preamble_c_header() + kernels::preamble_c_memory() + out.take();
}

}  // namespace tlm::codegen
