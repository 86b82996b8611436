#include "tlm/codegen/lower/interior.h"

#include <algorithm>

namespace tlm::codegen {

using namespace ir;

namespace {

class Guards {
 public:
  Guards(const Stage& s, const std::vector<Region>& regions) : regions_(regions) {
    for (const Axis& a : s.axes) {
      if (a.kind == AxisKind::kSpatial) continue;
      regions_[static_cast<size_t>(&a - s.axes.data())] = {make_int(0), a.extent};
    }
  }

  // Comparisons of `condition` at their worst point, appended to `out`. False: not a conjunction of affine comparisons.
  bool worst(const Expr& condition, std::vector<Expr>& out) const {
    if (condition->op == Op::kAnd) return worst(condition->args[0], out) && worst(condition->args[1], out);
    if ((condition->op != Op::kLe && condition->op != Op::kLt) || condition->args[0]->dtype != DType::kI64) return false;
    const auto slack = as_affine(condition->args[1] - condition->args[0], static_cast<int>(regions_.size()));
    if (!slack) return false;
    Expr least = make_int(slack->constant - (condition->op == Op::kLt ? 1 : 0));
    for (size_t a = 0; a < regions_.size(); ++a) {
      const int64_t coef = slack->coef[a];
      if (coef != 0) least = least + regions_[a].base * coef + std::min<int64_t>(0, coef * (regions_[a].size - 1));
    }
    out.push_back(make_op(Op::kLe, {make_int(0), least}));
    return true;
  }

 private:
  std::vector<Region> regions_;
};

}  // namespace

std::optional<Interior> interior(const Stage& s, const std::vector<Region>& regions, const std::vector<int64_t>& extents) {
  const Guards guards(s, regions);
  std::vector<Expr> conditions;
  Interior out{{}, s};
  for (Expr& e : out.stage.body) {
    e = rewrite(e, [&](const Expr& n) -> Expr {
      if (n->op != Op::kSelect) return {};
      std::vector<Expr> found;
      if (!guards.worst(n->args[0], found)) return {};
      conditions.insert(conditions.end(), found.begin(), found.end());
      return n->args[1];
    });
  }
  for (const Expr& c : conditions) {
    const Expr decided = simplify(c, extents);
    if (is_int(decided, 0)) return std::nullopt;
    if (decided->op != Op::kInt) out.condition = out.condition ? make_op(Op::kAnd, {out.condition, decided}) : decided;
  }
  if (conditions.empty()) return std::nullopt;
  if (!out.condition) out.condition = make_int(1, DType::kBool);
  return out;
}

}  // namespace tlm::codegen
