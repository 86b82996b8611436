#include "tlm/codegen/lower/epilogue.h"

#include "tlm/codegen/lower/linear.h"
#include "tlm/codegen/lower/rewrite.h"
#include "tlm/core/error.h"

namespace tlm::codegen {

using namespace ir;

Expr at_position(const Expr& e, const std::vector<Expr>& position) {
  return rewrite_expr(e, [&](const Expr& n) { return n->op == Op::kVar ? position.at(static_cast<size_t>(n->id)) : Expr(); });
}

Expr with_accumulators(const Expr& e, const std::vector<Expr>& acc) {
  return rewrite_expr(e, [&](const Expr& n) { return n->op == Op::kAcc ? acc.at(static_cast<size_t>(n->id)) : Expr(); });
}

std::vector<Expr> combine_exprs(const Combiner& c, const std::vector<Expr>& running, const std::vector<Expr>& incoming) {
  std::vector<Expr> tuple = running;
  tuple.insert(tuple.end(), incoming.begin(), incoming.end());
  std::vector<Expr> out;
  for (const Expr& e : c.combine) out.push_back(with_accumulators(e, tuple));
  return out;
}

void PointValues::define(int tensor, std::vector<Expr> indices, Expr value) {
  elements_.push_back({tensor, std::move(indices), std::move(value)});
}

const PointValues::Element* PointValues::find(int tensor) const {
  for (const Element& e : elements_)
    if (e.tensor == tensor) return &e;
  return nullptr;
}

Expr PointValues::replace(const Expr& e) const {
  return rewrite_expr(e, [&](const Expr& n) -> Expr {
    if (n->op != Op::kLoad) return {};
    const Element* known = find(n->id);
    if (!known) return {};
    for (size_t d = 0; d < n->args.size(); ++d) {
      const Linear difference = linearize(n->args[d]) + linearize(known->indices[d]) * -1;
      TLM_CHECK(difference.terms.empty() && difference.constant == 0)
          << "an epilogue reads tensor " << n->id << " at another point (dimension " << d << ")";
    }
    return known->value;
  });
}

std::vector<Expr> epilogue_position(const Stage& s, const PointValues& values) {
  std::vector<Expr> position(s.axes.size());
  auto solve = [&](const Expr& index, const Expr& known) {
    const auto form = as_affine(index, static_cast<int>(s.axes.size()));
    if (!form) return;
    int axis = -1;
    for (size_t a = 0; a < form->coef.size(); ++a)
      if (form->coef[a] != 0) {
        if (axis >= 0) return;
        axis = static_cast<int>(a);
      }
    if (axis < 0 || position[static_cast<size_t>(axis)]) return;
    const int64_t scale = form->coef[static_cast<size_t>(axis)];
    Linear value = linearize(known);
    value.constant -= form->constant;
    bool divides = value.constant % scale == 0;
    for (const auto& [atom, c] : value.terms) divides = divides && c % scale == 0;
    if (!divides) return;
    value.constant /= scale;
    for (auto& [atom, c] : value.terms) c /= scale;
    position[static_cast<size_t>(axis)] = to_expr(value);
  };
  for (const Expr& body : s.body)
    visit(body, [&](const Expr& n) {
      if (n->op != Op::kLoad) return;
      if (const PointValues::Element* known = values.find(n->id))
        for (size_t d = 0; d < n->args.size(); ++d) solve(n->args[d], known->indices[d]);
    });
  for (size_t a = 0; a < position.size(); ++a) {
    if (position[a]) continue;
    TLM_CHECK(s.axes[a].extent == 1) << "axis " << a << " of an epilogue is not determined by what it reads";
    position[a] = make_int(0);
  }
  return position;
}

}  // namespace tlm::codegen
