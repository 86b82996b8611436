#include "tlm/codegen/lower/linear.h"

#include "tlm/codegen/lower/rewrite.h"

namespace tlm::codegen {

using namespace ir;

int64_t Linear::coefficient(int var) const {
  for (const auto& [atom, c] : terms)
    if (atom->op == Op::kVar && atom->id == var) return c;
  return 0;
}

bool Linear::hidden(int var) const {
  for (const auto& [atom, c] : terms)
    if (atom->op != Op::kVar && uses_var(atom, var)) return true;
  return false;
}

Linear operator+(const Linear& a, const Linear& b) {
  Linear out;
  out.constant = a.constant + b.constant;
  size_t i = 0, j = 0;
  while (i < a.terms.size() || j < b.terms.size()) {
    const int order = i == a.terms.size() ? 1 : j == b.terms.size() ? -1 : compare(a.terms[i].first, b.terms[j].first);
    if (order < 0) {
      out.terms.push_back(a.terms[i++]);
    } else if (order > 0) {
      out.terms.push_back(b.terms[j++]);
    } else {
      if (const int64_t c = a.terms[i].second + b.terms[j].second) out.terms.emplace_back(a.terms[i].first, c);
      ++i, ++j;
    }
  }
  return out;
}

Linear operator*(const Linear& a, int64_t factor) {
  Linear out;
  if (factor == 0) return out;
  out = a;
  out.constant *= factor;
  for (auto& [atom, c] : out.terms) c *= factor;
  return out;
}

Linear linearize(const Expr& e) {
  Linear out;
  switch (e->op) {
    case Op::kInt: out.constant = e->ival; return out;
    case Op::kAdd: return linearize(e->args[0]) + linearize(e->args[1]);
    case Op::kSub: return linearize(e->args[0]) + linearize(e->args[1]) * -1;
    case Op::kNeg: return linearize(e->args[0]) * -1;
    case Op::kMul:
      if (e->args[1]->op == Op::kInt) return linearize(e->args[0]) * e->args[1]->ival;
      if (e->args[0]->op == Op::kInt) return linearize(e->args[1]) * e->args[0]->ival;
      break;
    default: break;
  }
  out.terms.emplace_back(e, 1);
  return out;
}

Expr terms_expr(const Linear& l) {
  Expr sum;
  for (const auto& [atom, c] : l.terms) {
    if (c < 0 && sum) {
      sum = make_op(Op::kSub, {sum, c == -1 ? atom : atom * -c});
    } else {
      Expr term = c == 1 ? atom : atom * c;
      sum = sum ? sum + term : term;
    }
  }
  return sum ? sum : make_int(0);
}

Expr to_expr(const Linear& l) { return l.terms.empty() ? make_int(l.constant) : terms_expr(l) + l.constant; }

}  // namespace tlm::codegen
