// Matrix products and Einsum.
#include <algorithm>
#include <map>

#include "tlm/ir/graph/shape_rules.h"

namespace tlm::ir {

namespace {

// numpy.matmul: vectors are promoted and demoted, leading dimensions broadcast.
Shape matmul_shape(RuleContext& c, int ai, int bi) {
  Shape a = c.shape(ai), b = c.shape(bi);
  const std::string both = "matrices of shapes " + to_string(a) + " and " + to_string(b) + " do not multiply";
  if (a.empty() || b.empty()) c.fail(both + ": a scalar is no matrix");
  const bool row = a.size() == 1, column = b.size() == 1;
  if (row) a.insert(a.begin(), 1);
  if (column) b.push_back(1);
  const int64_t m = a[a.size() - 2], ka = a.back(), kb = b[b.size() - 2], n = b.back();
  if (ka != kb) c.fail(both + ": " + std::to_string(ka) + " columns, " + std::to_string(kb) + " rows");
  a.resize(a.size() - 2);
  b.resize(b.size() - 2);
  Shape out(std::max(a.size(), b.size()), 1);
  for (size_t d = 0; d < out.size(); ++d) {
    const int64_t x = d + a.size() >= out.size() ? a[d + a.size() - out.size()] : 1;
    const int64_t y = d + b.size() >= out.size() ? b[d + b.size() - out.size()] : 1;
    if (x != y && x != 1 && y != 1) c.fail(both + ": leading extents " + std::to_string(x) + " and " + std::to_string(y));
    out[d] = x == 1 ? y : x;
  }
  if (!row) out.push_back(m);
  if (!column) out.push_back(n);
  return out;
}

bool is_letter(char ch) { return (ch >= 'a' && ch <= 'z') || (ch >= 'A' && ch <= 'Z'); }

// "ab...c" → letters with the ellipsis replaced by the last `rank - letters` of `broadcast`.
std::string expand_term(RuleContext& c, const std::string& term, int rank, const std::string& broadcast) {
  const size_t dots = term.find("...");
  if (dots == std::string::npos) {
    if (rank >= 0 && static_cast<int>(term.size()) != rank)
      c.fail("equation term '" + term + "' names " + std::to_string(term.size()) + " dimensions; the operand has " +
             std::to_string(rank));
    return term;
  }
  const int named = static_cast<int>(term.size()) - 3;
  const int hidden = rank < 0 ? static_cast<int>(broadcast.size()) : rank - named;
  if (hidden < 0)
    c.fail("equation term '" + term + "' names " + std::to_string(named) + " dimensions; the operand has " +
           std::to_string(rank));
  return term.substr(0, dots) + broadcast.substr(broadcast.size() - static_cast<size_t>(hidden)) + term.substr(dots + 3);
}

}  // namespace

void rule_matmul(RuleContext& c) {
  c.require_same_dtype(0, 1);
  if (c.dtype(0) == DType::kBool) c.fail("inputs have type bool; a number is needed");
  c.output(0, c.dtype(0), matmul_shape(c, 0, 1));
}

void rule_matmul_integer(RuleContext& c) { c.output(0, DType::kI32, matmul_shape(c, 0, 1)); }

// [a, a_scale, a_zero, b, b_scale, b_zero, y_scale, y_zero]
void rule_qlinear_matmul(RuleContext& c) { c.output(0, c.dtype(7), matmul_shape(c, 0, 3)); }

void rule_gemm(RuleContext& c) {
  c.require_same_dtype(0, 1);
  if (c.rank(0) != 2 || c.rank(1) != 2)
    c.fail("matrices have shapes " + to_string(c.shape(0)) + " and " + to_string(c.shape(1)) + "; two dimensions are needed");
  Shape a = c.shape(0), b = c.shape(1);
  if (c.attr_int("transA")) std::swap(a[0], a[1]);
  if (c.attr_int("transB")) std::swap(b[0], b[1]);
  if (a[1] != b[0])
    c.fail("matrices of shapes " + to_string(a) + " and " + to_string(b) +
           " (transposed as asked) do not multiply: " + std::to_string(a[1]) + " columns, " + std::to_string(b[0]) + " rows");
  const Shape y = {a[0], b[1]};
  if (c.has(2)) {
    c.require_same_dtype(0, 2);
    const Shape& bias = c.shape(2);
    bool fits = bias.size() <= 2;
    for (size_t d = 0; fits && d < bias.size(); ++d) {
      const int64_t extent = y[2 - bias.size() + d];
      fits = bias[d] == 1 || bias[d] == extent;
    }
    if (!fits) c.fail("input 'C' of shape " + to_string(bias) + " does not broadcast to " + to_string(y));
  }
  c.keep_inputs(3);
  c.output(0, c.dtype(0), y);
}

void rule_einsum(RuleContext& c) {
  std::string equation;
  for (const char ch : c.node().attr_string("equation", ""))
    if (ch != ' ') equation += ch;
  const size_t arrow = equation.find("->");
  const std::string left = equation.substr(0, arrow);
  std::vector<std::string> terms(1);
  for (const char ch : left) {
    if (ch == ',')
      terms.emplace_back();
    else
      terms.back() += ch;
  }
  if (static_cast<int>(terms.size()) != c.inputs())
    c.fail("equation '" + equation + "' has " + std::to_string(terms.size()) + " operands; the node has " +
           std::to_string(c.inputs()));
  const auto check = [&](const std::string& term) {
    std::string rest = term;
    const size_t dots = rest.find("...");
    if (dots != std::string::npos) rest.erase(dots, 3);
    for (const char ch : rest)
      if (!is_letter(ch)) c.fail("equation '" + equation + "' is malformed at '" + term + "'");
  };
  int hidden = 0;  // dimensions that the widest ellipsis stands for
  for (int i = 0; i < c.inputs(); ++i) {
    check(terms[static_cast<size_t>(i)]);
    if (terms[static_cast<size_t>(i)].find("...") != std::string::npos)
      hidden = std::max(hidden, c.rank(i) - static_cast<int>(terms[static_cast<size_t>(i)].size()) + 3);
  }
  std::string broadcast;
  for (char ch = 'A'; static_cast<int>(broadcast.size()) < hidden && ch <= 'z'; ++ch)
    if (is_letter(ch) && equation.find(ch) == std::string::npos) broadcast += ch;
  if (static_cast<int>(broadcast.size()) < hidden) c.unsupported("equation '" + equation + "' has too many dimensions");

  std::string result;
  if (arrow != std::string::npos) {
    check(equation.substr(arrow + 2));
    result = expand_term(c, equation.substr(arrow + 2), -1, broadcast);
  } else {  // implicit: broadcast dimensions, then the letters that occur once, sorted
    std::map<char, int> count;
    for (const char ch : left)
      if (is_letter(ch)) ++count[ch];
    result = broadcast;
    for (const auto& [ch, times] : count)
      if (times == 1) result += ch;
  }
  std::map<char, int64_t> extent;
  std::string canonical;
  for (int i = 0; i < c.inputs(); ++i) {
    c.require_same_dtype(0, i);
    const std::string term = expand_term(c, terms[static_cast<size_t>(i)], c.rank(i), broadcast);
    canonical += (i ? "," : "") + term;
    for (size_t d = 0; d < term.size(); ++d) {
      const auto [it, fresh] = extent.emplace(term[d], c.shape(i)[d]);
      const int64_t x = c.shape(i)[d];
      if (fresh || it->second == x || x == 1) continue;
      if (it->second != 1)
        c.fail("equation '" + equation + "': dimension '" + term[d] + "' has extents " + std::to_string(it->second) + " and " +
               std::to_string(x));
      it->second = x;
    }
  }
  Shape y;
  for (size_t d = 0; d < result.size(); ++d) {
    const auto it = extent.find(result[d]);
    if (it == extent.end() || result.find(result[d], d + 1) != std::string::npos)
      c.fail("equation '" + equation + "': output dimension '" + result[d] + "' is unknown or given twice");
    y.push_back(it->second);
  }
  c.set("equation", canonical + "->" + result);
  c.output(0, c.dtype(0), std::move(y));
}

}  // namespace tlm::ir
