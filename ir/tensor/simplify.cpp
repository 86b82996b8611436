// Algebra on i64 expressions. A sum is held as constant + Σ coefficient·atom, where an atom is anything that is not a sum:
// a variable, ÷, mod, a load, a select … Index arithmetic is assumed not to overflow.
#include <algorithm>
#include <numeric>
#include <unordered_map>

#include "tlm/core/error.h"
#include "tlm/ir/tensor/expr.h"

namespace tlm::ir {
namespace {

struct Term {
  Expr atom;
  int64_t coef = 0;
};

struct Sum {
  int64_t constant = 0;
  std::vector<Term> terms;  // distinct atoms, coefficients not zero, in order of `compare`
};

int64_t wrap_add(int64_t a, int64_t b) { return static_cast<int64_t>(static_cast<uint64_t>(a) + static_cast<uint64_t>(b)); }
int64_t wrap_mul(int64_t a, int64_t b) { return static_cast<int64_t>(static_cast<uint64_t>(a) * static_cast<uint64_t>(b)); }
int64_t floor_quotient(int64_t a, int64_t d) { return a / d - (a % d < 0); }  // d > 0
int64_t floor_remainder(int64_t a, int64_t d) { return a % d + (a % d < 0 ? d : 0); }

void add_term(Sum& s, const Expr& atom, int64_t coef) {
  auto it =
      std::lower_bound(s.terms.begin(), s.terms.end(), atom, [](const Term& t, const Expr& e) { return compare(t.atom, e) < 0; });
  if (it != s.terms.end() && equal(it->atom, atom)) {
    it->coef = wrap_add(it->coef, coef);
    if (it->coef == 0) s.terms.erase(it);
  } else if (coef != 0) {
    s.terms.insert(it, {atom, coef});
  }
}

void add_scaled(Sum& s, const Sum& other, int64_t scale) {
  s.constant = wrap_add(s.constant, wrap_mul(other.constant, scale));
  for (const Term& t : other.terms) add_term(s, t.atom, wrap_mul(t.coef, scale));
}

// Largest coefficients first, so that sums read like addresses; the constant last.
Expr to_expr(const Sum& s) {
  std::vector<Term> terms = s.terms;
  std::stable_sort(terms.begin(), terms.end(), [](const Term& a, const Term& b) {
    if ((a.coef > 0) != (b.coef > 0)) return a.coef > 0;
    return a.coef > 0 ? a.coef > b.coef : a.coef < b.coef;
  });
  Expr e;
  for (const Term& t : terms) {
    if (!e) {
      e = t.atom * t.coef;
    } else if (t.coef < 0 && t.coef != INT64_MIN) {
      e = e - t.atom * -t.coef;
    } else {
      e = e + t.atom * t.coef;
    }
  }
  return e ? e + s.constant : make_int(s.constant);
}

class Simplifier {
 public:
  explicit Simplifier(const std::vector<int64_t>& extents) : extents_(extents) {}

  Expr run(const Expr& e) {
    if (e->args.empty()) return e;
    if (auto it = done_.find(e.get()); it != done_.end()) return it->second;
    Expr r = is_index_sum(e) ? to_expr(sum_of(e)) : node(e);
    done_.emplace(e.get(), r);
    kept_.push_back(e);  // keeps the key's address taken
    return r;
  }

 private:
  static bool is_index_sum(const Expr& e) {
    if (e->dtype != DType::kI64 || e->lanes != 1) return false;
    switch (e->op) {
      case Op::kAdd:
      case Op::kSub:
      case Op::kNeg:
      case Op::kMul:
      case Op::kFloorDiv:
      case Op::kFloorMod: return true;
      default: return false;
    }
  }

  // The normal form of an i64 scalar expression. Remembered by node: shared nodes would take exponential time.
  const Sum& sum_of(const Expr& e) {
    if (auto it = sums_.find(e.get()); it != sums_.end()) return it->second;
    Sum s = compute_sum(e);
    kept_.push_back(e);  // keeps the key's address taken
    return sums_.emplace(e.get(), std::move(s)).first->second;
  }

  Sum compute_sum(const Expr& e) {
    Sum s;
    switch (is_index_sum(e) || e->op == Op::kInt ? e->op : Op::kVar) {
      case Op::kInt: s.constant = e->ival; return s;
      case Op::kAdd:
      case Op::kSub:
        s = sum_of(e->args[0]);
        add_scaled(s, sum_of(e->args[1]), e->op == Op::kAdd ? 1 : -1);
        return join_quotients(std::move(s));
      case Op::kNeg: add_scaled(s, sum_of(e->args[0]), -1); return s;
      case Op::kMul: {
        const Sum a = sum_of(e->args[0]), b = sum_of(e->args[1]);
        if (b.terms.empty()) {
          add_scaled(s, a, b.constant);
        } else if (a.terms.empty()) {
          add_scaled(s, b, a.constant);
        } else {
          Expr x = to_expr(a), y = to_expr(b);
          if (compare(y, x) < 0) std::swap(x, y);
          add_term(s, x * y, 1);
        }
        return s;
      }
      case Op::kFloorDiv:
      case Op::kFloorMod: {
        const Sum a = sum_of(e->args[0]), b = sum_of(e->args[1]);
        if (b.terms.empty() && b.constant > 0) return e->op == Op::kFloorDiv ? divide(a, b.constant) : modulo(a, b.constant);
        const Expr r = make_op(e->op, {to_expr(a), to_expr(b)});
        if (r->op == Op::kInt) {
          s.constant = r->ival;
        } else {
          add_term(s, r, 1);
        }
        return s;
      }
      default: break;
    }
    const Expr atom = run(e);
    if (is_index_sum(atom) || atom->op == Op::kInt) return sum_of(atom);  // an arm was chosen, say
    add_term(s, atom, 1);
    return s;
  }

  std::optional<Interval> range(const Sum& s) const { return bounds(to_expr(s), extents_); }

  // s = d·whole + rest, with every coefficient of `whole` exact and the constant of `rest` in [0, d).
  static void split(const Sum& s, int64_t d, Sum& whole, Sum& rest) {
    whole.constant = floor_quotient(s.constant, d);
    rest.constant = floor_remainder(s.constant, d);
    for (const Term& t : s.terms) {
      if (t.coef % d == 0) {
        whole.terms.push_back({t.atom, t.coef / d});
      } else {
        rest.terms.push_back(t);
      }
    }
  }

  // A divisor g > 1 of d such that s = g·high + low with low in [0, g): then s ÷ d = high ÷ (d/g), s mod d = g·(high mod (d/g)) +
  // low.
  bool factor(const Sum& s, int64_t d, int64_t& g, Sum& high, Sum& low) const {
    std::vector<int64_t> tried;
    for (const Term& t : s.terms) {
      if (t.coef == INT64_MIN) continue;
      g = std::gcd(t.coef, d);
      if (g == 1 || g == d || std::find(tried.begin(), tried.end(), g) != tried.end()) continue;
      tried.push_back(g);
      high = {}, low = {};
      split(s, g, high, low);
      const auto r = range(low);
      if (r && r->lo >= 0 && r->hi < g) return true;
    }
    return false;
  }

  Sum divide(const Sum& s, int64_t d) {
    if (d == 1) return s;
    Sum whole, rest;
    split(s, d, whole, rest);
    if (rest.terms.empty()) return whole;
    if (auto r = range(rest); r && floor_quotient(r->lo, d) == floor_quotient(r->hi, d)) {
      whole.constant = wrap_add(whole.constant, floor_quotient(r->lo, d));
      return whole;
    }
    int64_t g;
    Sum high, low;
    if (factor(rest, d, g, high, low)) {
      add_scaled(whole, divide(high, d / g), 1);
      return whole;
    }
    if (rest.constant == 0 && rest.terms.size() == 1 && rest.terms[0].coef == 1) {
      const Expr& x = rest.terms[0].atom;
      int64_t product;
      if (x->op == Op::kFloorDiv && positive(x->args[1]) && !__builtin_mul_overflow(x->args[1]->ival, d, &product)) {
        add_scaled(whole, divide(sum_of(x->args[0]), product), 1);  // (x ÷ a) ÷ d = x ÷ (a·d)
        return whole;
      }
      if (x->op == Op::kFloorMod && positive(x->args[1]) && x->args[1]->ival % d == 0) {
        add_scaled(whole, modulo(divide(sum_of(x->args[0]), d), x->args[1]->ival / d), 1);  // (x mod d·b) ÷ d = (x ÷ d) mod b
        return whole;
      }
    }
    add_term(whole, floor_div(to_expr(rest), d), 1);
    return whole;
  }

  Sum modulo(const Sum& s, int64_t d) {
    if (d == 1) return {};
    Sum whole, rest;
    split(s, d, whole, rest);
    if (rest.terms.empty()) return rest;
    if (auto r = range(rest); r && floor_quotient(r->lo, d) == floor_quotient(r->hi, d)) {
      rest.constant = wrap_add(rest.constant, wrap_mul(-floor_quotient(r->lo, d), d));
      return rest;
    }
    int64_t g;
    Sum high, low;
    if (factor(rest, d, g, high, low)) {
      add_scaled(low, modulo(high, d / g), g);
      return low;
    }
    // (c·(x mod d·b) + …) mod d = (c·x + …) mod d
    for (size_t i = 0; i < rest.terms.size(); ++i) {
      const Term t = rest.terms[i];
      if (t.atom->op != Op::kFloorMod || !positive(t.atom->args[1]) || t.atom->args[1]->ival % d != 0) continue;
      rest.terms.erase(rest.terms.begin() + static_cast<std::ptrdiff_t>(i));
      add_scaled(rest, sum_of(t.atom->args[0]), t.coef);
      return modulo(rest, d);
    }
    Sum result;
    add_term(result, floor_mod(to_expr(rest), d), 1);
    return result;
  }

  static bool positive(const Expr& e) { return e->op == Op::kInt && e->ival > 0; }

  // k·d·(x ÷ d) + k·(x mod d) = k·x
  Sum join_quotients(Sum s) {
    for (size_t i = 0; i < s.terms.size(); ++i) {
      const Term t = s.terms[i];
      if (t.atom->op != Op::kFloorMod || !positive(t.atom->args[1])) continue;
      const int64_t d = t.atom->args[1]->ival;
      const Sum x = sum_of(t.atom->args[0]);
      const Sum quotient = divide(x, d);
      if (quotient.terms.size() != 1 || quotient.constant != 0) continue;
      const Term& q = quotient.terms[0];
      const int64_t wanted = wrap_mul(t.coef, d);  // coefficient of x ÷ d
      for (const Term& other : s.terms) {
        if (!equal(other.atom, q.atom) || other.coef != wrap_mul(wanted, q.coef)) continue;
        Sum joined;
        joined.constant = s.constant;
        for (const Term& keep : s.terms)
          if (!equal(keep.atom, t.atom) && !equal(keep.atom, q.atom)) joined.terms.push_back(keep);
        add_scaled(joined, x, t.coef);
        return join_quotients(std::move(joined));
      }
    }
    return s;
  }

  Expr node(const Expr& e) {
    std::vector<Expr> args;
    args.reserve(e->args.size());
    bool changed = false;
    for (const Expr& a : e->args) {
      args.push_back(run(a));
      changed = changed || args.back().get() != a.get();
    }
    const bool index_args = !args.empty() && args[0]->dtype == DType::kI64 && e->lanes == 1;
    switch (e->op) {
      case Op::kEq:
      case Op::kNe:
      case Op::kLt:
      case Op::kLe:
        if (index_args) return comparison(e->op, args[0], args[1]);
        break;
      case Op::kMin:
      case Op::kMax:
        if (index_args) {
          const Expr less = comparison(Op::kLe, args[0], args[1]), more = comparison(Op::kLe, args[1], args[0]);
          if (is_int(less, 1)) return args[e->op == Op::kMin ? 0 : 1];
          if (is_int(more, 1)) return args[e->op == Op::kMin ? 1 : 0];
        }
        break;
      default: break;
    }
    if (!changed) return decided(e);
    return decided(rewrite_args(e, args));
  }

  // A condition or index known by its range is a literal.
  Expr decided(const Expr& e) const {
    if (e->lanes != 1 || (e->dtype != DType::kBool && e->dtype != DType::kI64)) return e;
    const auto r = bounds(e, extents_);
    return r && r->lo == r->hi ? make_int(r->lo, e->dtype) : e;
  }

  static Expr rewrite_args(const Expr& e, const std::vector<Expr>& args) {
    switch (e->op) {
      case Op::kCast: return make_cast(args[0], e->dtype);
      case Op::kRamp: return make_ramp(args[0], e->ival, e->lanes);
      case Op::kLoad:
      case Op::kVector:
      case Op::kLane: {
        ExprNode n = *e;
        n.args = args;
        return Expr(std::make_shared<const ExprNode>(std::move(n)));
      }
      default: return make_op(e->op, args);
    }
  }

  // a op b decided by the range of a - b, else with common terms and factors cancelled.
  Expr comparison(Op op, const Expr& a, const Expr& b) {
    Sum difference = sum_of(a);
    add_scaled(difference, sum_of(b), -1);
    difference = join_quotients(std::move(difference));
    const auto r = range(difference);
    if (r) {
      const Expr against = make_op(op, {to_expr(difference), make_int(0)});
      const auto truth = bounds(against, extents_);
      if (truth && truth->lo == truth->hi) return make_int(truth->lo, DType::kBool);
    }
    if (!r) return make_op(op, {a, b});  // unbounded: a difference might overflow
    // Positive terms stay on the left, negative ones go right.
    Sum left, right;
    for (const Term& t : difference.terms) {
      if (t.coef > 0) {
        left.terms.push_back(t);
      } else {
        right.terms.push_back({t.atom, -t.coef});
      }
    }
    (difference.constant > 0 ? left : right).constant = std::abs(difference.constant);
    if (left.terms.empty() || right.terms.empty()) {  // the literal stands alone
      left.constant = left.terms.empty() ? difference.constant : 0;
      right.constant = left.terms.empty() ? 0 : -difference.constant;
    }
    return make_op(op, {to_expr(left), to_expr(right)});
  }

  const std::vector<int64_t>& extents_;
  std::unordered_map<const ExprNode*, Expr> done_;
  std::unordered_map<const ExprNode*, Sum> sums_;
  std::vector<Expr> kept_;
};

}  // namespace

Expr simplify(const Expr& e, const std::vector<int64_t>& extents) { return Simplifier(extents).run(e); }

}  // namespace tlm::ir
