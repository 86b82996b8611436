#include "node_case.h"

#include <sstream>

#include "tlm/core/error.h"

namespace tlm::ir::test {

namespace {

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts;
  std::stringstream stream(text);
  for (std::string part; std::getline(stream, part, separator);)
    if (!part.empty()) parts.push_back(part);
  return parts;
}

std::vector<double> numbers(const std::string& text) {
  std::vector<double> v;
  for (const std::string& part : split(text, ',')) v.push_back(std::stod(part));
  return v;
}

Shape to_shape(const std::vector<double>& v) { return Shape(v.begin(), v.end()); }

Value parse_value(const std::string& text) {
  const size_t end = text.find_first_of("[{:");
  Value v;
  v.dtype = parse_dtype(text.substr(0, end)).value();
  const std::string inner = text[end] == ':' ? text.substr(end + 1) : text.substr(end + 1, text.size() - end - 2);
  const std::vector<double> list = numbers(inner);
  if (text[end] == '[') {
    v.shape = to_shape(list);
    return v;
  }
  if (text[end] == '{') v.shape = {static_cast<int64_t>(list.size())};
  v.constant = Tensor::from<double>(v.dtype, v.shape, list);
  return v;
}

AttrValue parse_attr(const std::string& text) {
  if (text[0] == '[') {
    const std::string inner = text.substr(1, text.size() - 2);
    const std::vector<double> list = numbers(inner);
    if (inner.find('.') != std::string::npos) return list;
    return to_shape(list);
  }
  if (text.find('{') != std::string::npos) return *parse_value(text).constant;
  if (text.find_first_not_of("-0123456789") == std::string::npos) return static_cast<int64_t>(std::stoll(text));
  if (text.find_first_not_of("-.0123456789e") == std::string::npos) return std::stod(text);
  return text;
}

}  // namespace

Graph node_graph(OpKind op, const std::string& inputs, const std::string& attrs, int outputs) {
  Graph g;
  std::vector<ValueId> ids;
  for (const std::string& part : split(inputs, ' ')) {
    if (part == "_") {
      ids.emplace_back();
      continue;
    }
    Value v = parse_value(part);
    v.name = "x" + std::to_string(ids.size());
    const bool constant = v.constant.has_value();
    ids.push_back(g.add_value(std::move(v)));
    if (!constant) g.inputs.push_back(ids.back());
  }
  Attributes map;
  for (const std::string& part : split(attrs, ' ')) {
    const size_t equals = part.find('=');
    map[part.substr(0, equals)] = parse_attr(part.substr(equals + 1));
  }
  g.outputs = add_op(g, op, ids, map, "n", outputs);
  return g;
}

std::string infer_text(OpKind op, const std::string& inputs, const std::string& attrs, int outputs) {
  try {
    Graph g = node_graph(op, inputs, attrs, outputs);
    verify(g);
    // The node's line of the dump, between its name and its inputs' names.
    const std::string dump = print(g);
    const Node& n = g.nodes.back();
    std::string text = std::string(op_kind_name(n.op)) + "(" + std::to_string(n.inputs.size()) + ")";
    const size_t open = dump.find(" {"), close = dump.rfind("} \"n\"");
    if (open != std::string::npos) text += dump.substr(open, close - open + 1);
    text += " ->";
    for (ValueId v : n.outputs) text += " " + std::string(dtype_name(g.value(v).dtype)) + to_string(g.value(v).shape);
    return text;
  } catch (const InternalError&) {
    throw;
  } catch (const Error& e) {
    return std::to_string(static_cast<int>(e.code())) + ": " + e.message();
  }
}

}  // namespace tlm::ir::test
