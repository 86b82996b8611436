#include "tlm/space/language/prompt.h"

#include <algorithm>
#include <set>

#include "tlm/core/error.h"
#include "tlm/space/language/number_alphabet.h"

namespace tlm::space {
namespace {

using ir::Op;

class Writer {
 public:
  std::vector<Token> tokens;

  Writer& word(std::string_view w) {
    tokens.push_back(Vocabulary::standard().token(w));
    return *this;
  }
  Writer& number(int64_t n) {
    append_number(tokens, n);
    return *this;
  }
  Writer& axis(int a) {
    append_axis(tokens, a);
    return *this;
  }
};

const char* combiner_word(ir::CombinerKind kind) {
  switch (kind) {
    case ir::CombinerKind::kNone: return "map";
    case ir::CombinerKind::kSum: return "sum";
    case ir::CombinerKind::kProd: return "prod";
    case ir::CombinerKind::kMax: return "max";
    case ir::CombinerKind::kMin: return "min";
    case ir::CombinerKind::kAny: return "any";
    case ir::CombinerKind::kAll: return "all";
    case ir::CombinerKind::kTuple: return "tuple";
  }
  TLM_CHECK(false) << "combiner";
  return "";
}

const char* role_word(ir::TensorRole role) {
  switch (role) {
    case ir::TensorRole::kInput: return "input";
    case ir::TensorRole::kOutput: return "output";
    case ir::TensorRole::kConstant: return "constant";
    case ir::TensorRole::kInternal: return "internal";
  }
  TLM_CHECK(false) << "role";
  return "";
}

// Arithmetic of a stage by cost: cheap operations, special functions, selects. Index arithmetic is not counted.
struct Cost {
  int cheap = 0, special = 0, selects = 0;
};

void count(const ir::Expr& e, Cost& cost) {
  switch (e->op) {
    case Op::kInt:
    case Op::kFloat:
    case Op::kVar:
    case Op::kAcc:
    case Op::kLoad: return;  // not into the indices
    case Op::kSelect: ++cost.selects; break;
    case Op::kPow: case Op::kExp: case Op::kLog: case Op::kSin: case Op::kCos: case Op::kTan: case Op::kAsin: case Op::kAcos:
    case Op::kAtan: case Op::kSinh: case Op::kCosh: case Op::kTanh: case Op::kAsinh: case Op::kAcosh: case Op::kAtanh: case Op::kErf:
    case Op::kSqrt: case Op::kRsqrt: case Op::kDiv: ++cost.special; break;
    default: ++cost.cheap;
  }
  for (const ir::Expr& a : e->args) count(a, cost);
}

// Loads of a stage, each distinct one once.
void collect_loads(const ir::Expr& e, bool guarded, std::vector<std::pair<ir::Expr, bool>>& loads) {
  if (e->op == Op::kLoad &&
      std::none_of(loads.begin(), loads.end(), [&](const auto& l) { return ir::equal(l.first, e); }))
    loads.emplace_back(e, guarded);
  for (size_t i = 0; i < e->args.size(); ++i) collect_loads(e->args[i], guarded || (e->op == Op::kSelect && i > 0), loads);
}

// Divisors of a number beyond one word: tiles that leave nothing over. The largest power of 2 up to 8, of 3 up to 9, 5, 7, 11, 13.
void append_divisors(std::vector<Token>& out, int64_t n) {
  if (n <= 15) return;
  int64_t last = 0;  // the last one written; lower powers of it follow and are left out
  for (const int64_t p : {8, 4, 2, 9, 3, 5, 7, 11, 13}) {
    if (n % p != 0 || (last > 0 && last % p == 0)) continue;
    append_number(out, p);
    last = p;
  }
}

class StageWriter {
 public:
  StageWriter(const ir::Subgraph& g, const ir::Stage& s, Writer& out) : g_(g), s_(s), out_(out) {}

  void write(const ir::Stage* before) {
    out_.word("<stage>").word(combiner_word(s_.combiner.kind));
    if (!s_.combiner.associative) out_.word("ordered");
    out_.word(dtype_name(s_.body.at(0)->dtype));
    write_axes(before);
    if (s_.exclusive) out_.word("exclusive");
    Cost cost;
    for (const ir::Expr& e : s_.body) count(e, cost);
    for (const ir::Expr& e : s_.result) count(e, cost);
    if (cost.cheap) out_.word("ops").number(cost.cheap);
    if (cost.special) out_.word("special").number(cost.special);
    if (cost.selects) out_.word("select").number(cost.selects);
    std::vector<std::pair<ir::Expr, bool>> loads;
    for (const ir::Expr& e : s_.body) collect_loads(e, false, loads);
    for (const ir::Expr& e : s_.result) collect_loads(e, false, loads);
    for (const auto& [load, guarded] : loads) {
      out_.word("<load>");
      if (guarded) out_.word("guarded");
      write_access(load->id, load->args);
    }
    for (const ir::StageOutput& o : s_.outputs) {
      out_.word("<store>");
      write_access(o.tensor, o.indices);
    }
  }

 private:
  void write_axes(const ir::Stage* before) {
    if (before && before->axes.size() >= s_.axes.size() && !s_.has_reduction() && !s_.has_scan()) {
      const auto spatial = static_cast<size_t>(before->spatial_count());
      bool same = spatial == s_.axes.size();
      for (size_t i = 0; same && i < spatial; ++i) same = before->axes[i].extent == s_.axes[i].extent;
      if (same) {
        out_.word("same");
        return;
      }
    }
    for (const ir::Axis& a : s_.axes) {
      out_.word(a.kind == ir::AxisKind::kSpatial ? "spatial" : a.kind == ir::AxisKind::kReduce ? "reduce" : "scan").number(a.extent);
      append_divisors(out_.tokens, a.extent);
    }
  }

  bool is_identity(const ir::TensorDecl& t, const std::vector<ir::Expr>& indices) const {
    if (indices.size() != static_cast<size_t>(s_.spatial_count()) || t.shape.size() != indices.size()) return false;
    for (size_t d = 0; d < indices.size(); ++d)
      if (indices[d]->op != Op::kVar || indices[d]->id != static_cast<int>(d) || t.shape[d] != s_.axes[d].extent) return false;
    return true;
  }

  void write_access(int tensor, const std::vector<ir::Expr>& indices) {
    const ir::TensorDecl& t = g_.tensors[static_cast<size_t>(tensor)];
    out_.word(role_word(t.role)).word(dtype_name(t.dtype));
    if (is_identity(t, indices)) {
      out_.word("identity");
      if (t.role == ir::TensorRole::kConstant || t.strides == row_major_strides(t.shape)) return;
    }
    std::vector<int64_t> strides(s_.axes.size(), 0);
    std::set<int> gathered;
    const int vars = static_cast<int>(s_.axes.size());
    for (size_t d = 0; d < indices.size(); ++d) {
      const auto affine = ir::as_affine(indices[d], vars);
      if (!affine) {
        ir::visit(indices[d], [&](const ir::Expr& e) {
          if (e->op == Op::kVar) gathered.insert(e->id);
        });
        continue;
      }
      for (int a = 0; a < vars; ++a) {
        const int64_t c = affine->coef[static_cast<size_t>(a)];
        if (c == 0) continue;
        if (t.role == ir::TensorRole::kConstant) {
          out_.axis(a);
        } else {
          strides[static_cast<size_t>(a)] += c * (d < t.strides.size() ? t.strides[d] : 1);
        }
      }
    }
    for (int a = 0; a < vars; ++a)
      if (strides[static_cast<size_t>(a)] != 0) out_.axis(a).number(strides[static_cast<size_t>(a)]);
    if (gathered.empty()) return;
    out_.word("gather");
    for (const int a : gathered) out_.axis(a);
  }

  const ir::Subgraph& g_;
  const ir::Stage& s_;
  Writer& out_;
};

}  // namespace

std::vector<Token> target_tokens(const Target& t) {
  Writer w;
  w.word("<target>");
  if (t.device == DeviceKind::kCuda) {
    w.word("gpu").word("sm").number(t.sm).word("processors").number(t.multiprocessors);
    w.word("shared").number(t.shared_kb).word("registers").number(t.registers);
  } else {
    w.word("cpu").word("vector").number(t.vector_bits).word("registers").number(t.vector_registers).word(t.fma ? "fma" : "no-fma");
    w.word("l1").number(t.l1_kb).word("l2").number(t.l2_kb).word("l3").number(t.l3_kb).word("cores").number(t.cores);
  }
  w.word(t.numerics == Numerics::kStrict ? "strict" : "fast");
  return w.tokens;
}

std::vector<Token> subgraph_tokens(const ir::Subgraph& g) {
  Writer w;
  w.word("<subgraph>");
  for (size_t s = 0; s < g.stages.size(); ++s) StageWriter(g, g.stages[s], w).write(s > 0 ? &g.stages[s - 1] : nullptr);
  return w.tokens;
}

}  // namespace tlm::space
