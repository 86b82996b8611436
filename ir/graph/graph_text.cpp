// Graph as text, for people, dumps and golden tests:
//   graph "name"
//     input  %x: f32[1,3,8,8]
//     const  %w: f32[4,3,3,3] #0123456789abcdef
//     %y: f32[1,4,8,8] = Conv(%x, %w, _) {group=1, …} "node name"
//     output %y
#include <cstdio>

#include "tlm/core/error.h"
#include "tlm/core/hash.h"
#include "tlm/ir/graph/graph.h"

namespace tlm::ir {

namespace {

std::string escape(const std::string& s) {
  std::string out;
  for (const char c : s) {
    const auto u = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\' || u < 0x20 || u == 0x7f) {
      char hex[8];
      std::snprintf(hex, sizeof hex, "\\x%02x", u);
      out += hex;
    } else {
      out += c;
    }
  }
  return out;
}

std::string number(double v) {
  char text[40];
  std::snprintf(text, sizeof text, "%.9g", v);
  return text;
}

template <typename T, typename F>
std::string list(const std::vector<T>& items, F&& text) {
  std::string out = "[";
  for (size_t i = 0; i < items.size(); ++i) out += (i ? "," : "") + text(items[i]);
  return out + "]";
}

std::string tensor_text(const Tensor& t) {
  return std::string(dtype_name(t.dtype())) + to_string(t.shape()) + " #" + to_hex(hash_bytes(t.data(), t.bytes()));
}

std::string attr_text(const AttrValue& v) {
  const auto integer = [](int64_t i) { return std::to_string(i); };
  const auto quoted = [](const std::string& s) { return '"' + escape(s) + '"'; };
  switch (v.index()) {
    case 0: return integer(std::get<0>(v));
    case 1: return number(std::get<1>(v));
    case 2: return quoted(std::get<2>(v));
    case 3: return list(std::get<3>(v), integer);
    case 4: return list(std::get<4>(v), number);
    case 5: return list(std::get<5>(v), quoted);
    default: return tensor_text(std::get<6>(v));
  }
}

std::string name_of(const Graph& g, ValueId v) {
  if (!v.valid()) return "_";
  const std::string& name = g.value(v).name;
  return "%" + (name.empty() ? "#" + std::to_string(v.index) : escape(name));
}

std::string typed(const Graph& g, ValueId v) {
  if (!v.valid()) return "_";
  const Value& value = g.value(v);
  std::string out = name_of(g, v) + ": " + std::string(dtype_name(value.dtype)) + to_string(value.shape);
  if (!value.order.empty()) out += "@" + list(value.order, [](int d) { return std::to_string(d); });
  return out;
}

}  // namespace

std::string print(const Graph& g) {
  std::string out = "graph \"" + escape(g.name) + "\"\n";
  for (ValueId v : g.inputs) out += "  input  " + typed(g, v) + "\n";
  for (size_t i = 0; i < g.values.size(); ++i) {
    const ValueId v{static_cast<int>(i)};
    const auto& c = g.values[i].constant;
    if (c) out += "  const  " + typed(g, v) + " #" + to_hex(hash_bytes(c->data(), c->bytes())) + "\n";
  }
  for (NodeId id : g.topological_order()) {
    const Node& n = g.node(id);
    out += "  ";
    for (size_t i = 0; i < n.outputs.size(); ++i) out += (i ? ", " : "") + typed(g, n.outputs[i]);
    out += " = " + std::string(op_kind_name(n.op)) + "(";
    for (size_t i = 0; i < n.inputs.size(); ++i) out += (i ? ", " : "") + name_of(g, n.inputs[i]);
    out += ")";
    if (!n.attrs.empty()) {
      out += " {";
      for (auto it = n.attrs.begin(); it != n.attrs.end(); ++it)
        out += (it == n.attrs.begin() ? "" : ", ") + it->first + "=" + attr_text(it->second);
      out += "}";
    }
    if (!n.name.empty()) out += " \"" + escape(n.name) + "\"";
    out += "\n";
  }
  for (ValueId v : g.outputs) out += "  output " + name_of(g, v) + "\n";
  return out;
}

}  // namespace tlm::ir
