// Substitution of inlined producers into the stage that reads them.
#include <map>

#include "tlm/core/error.h"
#include "tlm/space/plan.h"

namespace tlm::space {
namespace {

using ir::Expr;
using ir::Op;

class Inliner {
 public:
  Inliner(const ir::Subgraph& g, const std::vector<Attach>& attach) : g_(g), attach_(attach), writer_(g.tensors.size(), -1) {
    for (size_t s = 0; s < g.stages.size() && s < attach.size(); ++s) {
      if (attach[s] != Attach::kInline) continue;
      for (const ir::StageOutput& o : g.stages[s].outputs) writer_[o.tensor] = static_cast<int>(s);
      any_ = true;
    }
  }

  ir::Stage run(int stage) {
    ir::Stage s = g_.stages.at(stage);
    if (!any_) return s;
    const std::vector<int64_t> extents = s.extents();
    for (Expr& e : s.body) e = expand(e, extents);
    for (Expr& e : s.result) e = expand(e, extents);
    return s;
  }

 private:
  // Values of an inlined stage's outputs over its own axes, its own producers substituted.
  const std::vector<Expr>& values(int stage) {
    auto found = values_.find(stage);
    if (found != values_.end()) return found->second;
    ir::Stage s = run(stage);
    TLM_CHECK(s.combiner.kind == ir::CombinerKind::kNone) << "stage " << stage << " reduces and cannot be inlined";
    std::vector<Expr> out;
    for (const Expr& r : s.result) {
      out.push_back(ir::rewrite(r, [&](const Expr& n) { return n->op == Op::kAcc ? s.body.at(n->id) : Expr(); }));
    }
    return values_[stage] = std::move(out);
  }

  Expr expand(const Expr& e, const std::vector<int64_t>& extents) {
    bool inlined = false;
    ir::visit(e, [&](const Expr& n) { inlined = inlined || (n->op == Op::kLoad && writer_.at(n->id) >= 0); });
    if (!inlined) return e;
    return ir::rewrite(e, [&](const Expr& n) {
      if (n->op == Op::kLoad && writer_.at(n->id) >= 0) return substitute(n, extents);
      return Expr();
    });
  }

  // The producer's value at the indices of `load`.
  Expr substitute(const Expr& load, const std::vector<int64_t>& extents) {
    const int w = writer_[load->id];
    const ir::Stage& producer = g_.stages[w];
    size_t k = 0;
    while (producer.outputs[k].tensor != load->id) ++k;
    std::vector<Expr> at(producer.axes.size(), ir::make_int(0));  // an axis absent from the indices has one point
    const std::vector<Expr>& out = producer.outputs[k].indices;
    for (size_t d = 0; d < out.size(); ++d) {
      auto affine = ir::as_affine(out[d], static_cast<int>(producer.axes.size()));
      TLM_CHECK(affine) << "output index of stage " << w;
      for (size_t a = 0; a < affine->coef.size(); ++a) {
        if (affine->coef[a] == 0) continue;
        TLM_CHECK(affine->coef[a] == 1) << "output of stage " << w << " is strided";
        at[a] = ir::simplify(load->args[d] - affine->constant, extents);
      }
    }
    return ir::rewrite(values(w)[k], [&](const Expr& n) {
      if (n->op == Op::kVar) return at.at(n->id);
      if (n->op == Op::kLoad) {
        std::vector<Expr> indices;
        for (const Expr& i : n->args) indices.push_back(ir::simplify(i, extents));
        return ir::make_load(n->id, n->dtype, std::move(indices));
      }
      if (n->op == Op::kSelect) {
        Expr condition = ir::simplify(n->args[0], extents);
        if (condition->op == Op::kInt) return n->args[condition->ival != 0 ? 1 : 2];
        return ir::make_select(condition, n->args[1], n->args[2]);
      }
      return Expr();
    });
  }

  const ir::Subgraph& g_;
  const std::vector<Attach>& attach_;
  bool any_ = false;         // stages are inlined
  std::vector<int> writer_;  // by tensor: the inlined stage that computes it
  std::map<int, std::vector<Expr>> values_;
};

}  // namespace

ir::Stage inlined_stage(const ir::Subgraph& g, const std::vector<Attach>& attach, int stage) {
  return Inliner(g, attach).run(stage);
}

}  // namespace tlm::space
