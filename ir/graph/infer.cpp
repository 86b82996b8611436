// Canonical form and inference of one node: what all operators share, then the operator's own rule.
#include <cstdlib>

#include "tlm/ir/graph/op_table.h"
#include "tlm/ir/graph/shape_rules.h"

namespace tlm::ir {

namespace {

constexpr const char* kTypeNames[] = {"an integer", "a float", "a string", "integers", "floats", "strings", "a tensor"};

size_t variant_index(AttrType t) { return static_cast<size_t>(t); }

AttrValue default_value(const AttrRow& row) {
  const std::string text(row.otherwise);
  switch (row.type) {
    case AttrType::kInt: return static_cast<int64_t>(std::strtoll(text.c_str(), nullptr, 10));
    // ONNX attributes have single precision: 0.01 means the nearest float.
    case AttrType::kFloat: return static_cast<double>(std::strtof(text.c_str(), nullptr));
    case AttrType::kString: return text;
    case AttrType::kInts: {
      std::vector<int64_t> list;
      for (const char* p = text.c_str(); *p;) {
        char* end = nullptr;
        list.push_back(std::strtoll(p, &end, 10));
        p = *end == ',' ? end + 1 : end;
      }
      return list;
    }
    default: TLM_CHECK(false) << "attribute '" << text << "' cannot have a default"; return int64_t{0};
  }
}

std::string count_text(int n, const char* what) { return std::to_string(n) + " " + what + (n == 1 ? "" : "s"); }

void check_count(RuleContext& c, int count, int low, int high, const char* what) {
  if (count >= low && (high < 0 || count <= high)) return;
  const std::string takes = high < 0      ? "at least " + std::to_string(low)
                            : low == high ? std::to_string(low)
                                          : std::to_string(low) + " to " + std::to_string(high);
  c.fail("the node has " + count_text(count, what) + "; the operator has " + takes);
}

void check_counts(RuleContext& c, const OpRow& row) {
  check_count(c, c.inputs(), row.min_inputs, row.max_inputs, "input");
  check_count(c, static_cast<int>(c.node().outputs.size()), row.min_outputs, row.max_outputs, "output");
}

void complete_attributes(RuleContext& c, const OpRow& row) {
  Node& n = c.node();
  for (auto& [key, value] : n.attrs) {
    const AttrRow* found = nullptr;
    for (const AttrRow& a : row.attrs)
      if (a.name == key) found = &a;
    if (!found) c.unsupported("attribute '" + key + "' is not known");
    if (value.index() != variant_index(found->type)) {
      if (found->type == AttrType::kFloat && value.index() == 0)
        value = static_cast<double>(std::get<int64_t>(value));
      else
        c.fail("attribute '" + key + "' is " + kTypeNames[value.index()] + "; " + kTypeNames[variant_index(found->type)] +
               " is needed");
    }
  }
  for (const AttrRow& a : row.attrs) {
    const std::string key(a.name);
    if (n.has_attr(key) || a.otherwise.empty()) continue;
    if (a.otherwise == "!") c.fail("attribute '" + key + "' is missing");
    n.attrs[key] = default_value(a);
  }
}

}  // namespace

void infer_node(Graph& g, NodeId id, int opset) {
  RuleContext c{g, id, opset};
  Node& n = g.node(id);
  const OpRow& row = op_row(n.op);
  while (!n.inputs.empty() && !n.inputs.back().valid()) n.inputs.pop_back();
  check_counts(c, row);
  for (int i = 0; i < row.min_inputs; ++i) c.input(i);  // the required ones are there
  complete_attributes(c, row);
  row.rule(c);
}

std::vector<ValueId> add_op(Graph& g, OpKind op, std::vector<ValueId> inputs, Attributes attrs, const std::string& name,
                            int outputs) {
  Node n;
  n.op = op;
  n.name = name;
  n.inputs = std::move(inputs);
  n.attrs = std::move(attrs);
  std::vector<ValueId> results;
  for (int i = 0; i < outputs; ++i) {
    Value v;
    v.name = (name.empty() ? std::string(op_kind_name(op)) + "_" + std::to_string(g.nodes.size()) : name) +
             (outputs > 1 ? "_" + std::to_string(i) : "");
    results.push_back(g.add_value(std::move(v)));
  }
  n.outputs = results;
  infer_node(g, g.add_node(std::move(n)));
  return results;
}

}  // namespace tlm::ir
