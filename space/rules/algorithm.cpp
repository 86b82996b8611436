#include "tlm/space/rules/algorithm.h"

#include "tlm/core/error.h"
#include "tlm/space/rules/parallel.h"
#include "tlm/space/rules/scale.h"

namespace tlm::space {

const std::vector<AlgorithmRule>& algorithm_rules() {
  static const std::vector<AlgorithmRule> rules = {winograd_rule(), pack_operand_rule(), split_reduction_rule()};
  return rules;
}

const char* algorithm_name(int64_t number) {
  return number == 0 ? "direct" : algorithm_rules().at(static_cast<size_t>(number - 1)).name;
}

std::string algorithm_text(const Choice& c) {
  std::string out = algorithm_name(c.at(0));
  if (c[0] != 0) out += ":" + std::to_string(c.at(1));
  return out;
}

std::vector<Choice> algorithm_candidates(const Context& c, int stage) {
  std::vector<Choice> out = {{0}};
  if (c.target.device != DeviceKind::kCpu) return out;
  for (size_t r = 0; r < algorithm_rules().size(); ++r) {
    for (int64_t p : algorithm_rules()[r].parameters(c, stage)) out.push_back({static_cast<int64_t>(r + 1), p});
  }
  return out;
}

std::vector<int64_t> algorithm_facts(const Context& c, int stage) {
  const ir::Stage& s = c.g.stages[stage];
  double points = 1, constants = 0;
  for (const ir::Axis& a : s.axes) points *= static_cast<double>(a.extent);
  for (const int id : ir::loaded_tensors(s)) {
    const ir::TensorDecl& t = c.g.tensors[id];
    if (t.role == ir::TensorRole::kConstant) constants += static_cast<double>(element_count(t.shape)) * static_cast<double>(dtype_size(t.dtype));
  }
  return {log_steps(points, kWorkWorthSharing, 1), kilobytes(constants)};
}

namespace {

double elements(const ir::TensorDecl& t) { return static_cast<double>(element_count(t.shape)); }
double bytes(const ir::TensorDecl& t) { return elements(t) * static_cast<double>(dtype_size(t.dtype)); }

// Points of the stage that reads the largest tensor, for each of its elements.
double uses_of_largest_tensor(const ir::Subgraph& g) {
  double largest = 0, uses = 0;
  for (const ir::Stage& s : g.stages) {
    double points = 1;
    for (const ir::Axis& a : s.axes) points *= static_cast<double>(a.extent);
    for (const int id : ir::loaded_tensors(s)) {
      const ir::TensorDecl& t = g.tensors[static_cast<size_t>(id)];
      if (bytes(t) < largest) continue;
      largest = bytes(t);
      uses = points / elements(t);
    }
  }
  return uses;
}

}  // namespace

std::vector<int64_t> algorithm_consequences(const ir::Subgraph& direct, const ir::Subgraph& chosen) {
  const double before = ir::flops(direct);
  double between = 0;
  for (size_t t = direct.tensors.size(); t < chosen.tensors.size(); ++t)
    if (chosen.tensors[t].role == ir::TensorRole::kInternal) between += bytes(chosen.tensors[t]);
  return {log_steps(uses_of_largest_tensor(chosen), 0.5, 2), log_steps(before > 0 ? ir::flops(chosen) / before : 1, 0.25, 4),
          kilobytes(between)};
}

ir::Subgraph apply_algorithm(const Context& c, int stage, const Choice& choice) {
  const AlgorithmRule& rule = algorithm_rules().at(static_cast<size_t>(choice.at(0) - 1));
  ir::Subgraph g = rule.apply(c.g, stage, choice.at(1));
  TLM_CHECK(g.tensors.size() >= c.g.tensors.size()) << rule.name << " loses tensors";
  return g;
}

}  // namespace tlm::space
