// Einsum: the equation's letters are the axes.
#include <map>
#include <sstream>

#include "tlm/ir/lowering/families.h"
#include "tlm/ir/lowering/stage_draft.h"

namespace tlm::ir {

void lower_einsum(NodeLowering& l) {
  std::string equation = l.node.attr_string("equation", "");
  std::erase(equation, ' ');
  size_t arrow = equation.find("->");
  if (arrow == std::string::npos) l.unsupported_attr("equation", "\"" + equation + "\"");
  std::string out = equation.substr(arrow + 2);
  std::vector<std::string> terms;
  std::istringstream list(equation.substr(0, arrow));
  for (std::string term; std::getline(list, term, ',');) terms.push_back(term);
  if (arrow == 0 || equation[arrow - 1] == ',') terms.push_back("");  // a scalar operand at the end
  if (static_cast<int>(terms.size()) != l.input_count()) {
    l.bad_model("equation \"" + equation + "\" has " + std::to_string(terms.size()) + " operands, the node " +
                std::to_string(l.input_count()));
  }

  std::map<char, int64_t> extents;
  std::string letters;  // in order of first use
  for (size_t t = 0; t < terms.size(); ++t) {
    const Shape& shape = l.in(static_cast<int>(t)).shape;
    if (shape.size() != terms[t].size()) l.bad_model("operand \"" + terms[t] + "\" has shape " + to_string(shape));
    for (size_t d = 0; d < shape.size(); ++d) {
      char letter = terms[t][d];
      auto [it, fresh] = extents.emplace(letter, shape[d]);
      if (fresh)
        letters += letter;
      else if (it->second == 1)
        it->second = shape[d];
    }
  }
  StageDraft s(l.b, l.name());
  std::map<char, Expr> axis;
  Indices to;
  for (char letter : out) {
    if (!extents.count(letter) || axis.count(letter)) l.bad_model("output of equation \"" + equation + "\"");
    to.push_back(axis[letter] = s.spatial(std::string(1, letter), extents[letter]));
  }
  for (char letter : letters) {
    if (!axis.count(letter)) axis[letter] = s.reduce(std::string(1, letter), extents[letter]);
  }
  Expr product;
  for (size_t t = 0; t < terms.size(); ++t) {
    Operand x = l.operand(static_cast<int>(t));
    Indices at;
    for (size_t d = 0; d < terms[t].size(); ++d) at.push_back(x.shape[d] == 1 ? make_int(0) : axis[terms[t][d]]);
    product = product ? product * x.at(at) : x.at(at);
  }
  s.combine(CombinerKind::kSum, product);
  s.output(l.out_tensor(), to, s.acc());
  s.emit();
}

}  // namespace tlm::ir
