#include "wire.h"

#include <cstring>

#include "tlm/core/error.h"

namespace tlm::ir::test {

namespace {

std::string varint(uint64_t v) {
  std::string out;
  while (v >= 0x80) {
    out += static_cast<char>(v | 0x80);
    v >>= 7;
  }
  return out + static_cast<char>(v);
}

std::string tag(int field, int wire) { return varint(static_cast<uint64_t>(field) << 3 | static_cast<uint64_t>(wire)); }

template <typename T>
Message with_raw(const std::string& name, int type, const std::vector<int64_t>& dims, const std::vector<T>& v) {
  return tensor(name, type, dims).text(9, std::string(reinterpret_cast<const char*>(v.data()), v.size() * sizeof(T)));
}

Message attribute(const std::string& name, int type) { return Message().text(1, name).number(20, type); }

}  // namespace

Message& Message::number(int field, int64_t v) {
  bytes += tag(field, 0) + varint(static_cast<uint64_t>(v));
  return *this;
}

Message& Message::real(int field, float v) {
  char raw_bytes[4];
  std::memcpy(raw_bytes, &v, 4);
  bytes += tag(field, 5) + std::string(raw_bytes, 4);
  return *this;
}

Message& Message::text(int field, const std::string& s) {
  bytes += tag(field, 2) + varint(s.size()) + s;
  return *this;
}

Message tensor(const std::string& name, int type, const std::vector<int64_t>& dims) {
  Message t;
  for (const int64_t d : dims) t.number(1, d);
  return t.number(2, type).text(8, name);
}

Message floats(const std::string& name, const std::vector<int64_t>& dims, const std::vector<float>& v) {
  return with_raw(name, kFloat, dims, v);
}

Message ints(const std::string& name, const std::vector<int64_t>& dims, const std::vector<int64_t>& v) {
  return with_raw(name, kInt64, dims, v);
}

Message bools(const std::string& name, const std::vector<int64_t>& dims, const std::vector<uint8_t>& v) {
  return with_raw(name, kBoolean, dims, v);
}

Message attr_int(const std::string& name, int64_t v) { return attribute(name, 2).number(3, v); }

Message attr_float(const std::string& name, float v) { return attribute(name, 1).real(2, v); }

Message attr_string(const std::string& name, const std::string& v) { return attribute(name, 3).text(4, v); }

Message attr_ints(const std::string& name, const std::vector<int64_t>& v) {
  Message m = attribute(name, 7);
  for (const int64_t i : v) m.number(8, i);
  return m;
}

Message attr_floats(const std::string& name, const std::vector<float>& v) {
  Message m = attribute(name, 6);
  for (const float f : v) m.real(7, f);
  return m;
}

Message attr_tensor(const std::string& name, const Message& t) { return attribute(name, 4).message(5, t); }

Message attr_graph(const std::string& name, const Message& g) { return attribute(name, 5).message(6, g); }

Message node(const std::string& op, const std::vector<std::string>& inputs, const std::vector<std::string>& outputs,
             const std::vector<Message>& attrs, const std::string& name, const std::string& domain) {
  Message n;
  for (const auto& in : inputs) n.text(1, in);
  for (const auto& out : outputs) n.text(2, out);
  if (!name.empty()) n.text(3, name);
  n.text(4, op);
  for (const Message& a : attrs) n.message(5, a);
  if (!domain.empty()) n.text(7, domain);
  return n;
}

Message value(const std::string& name, int type, const std::vector<std::string>& dims) {
  Message shape;
  for (const std::string& d : dims) {
    Message dim;
    if (d.find_first_not_of("-0123456789") == std::string::npos && !d.empty())
      dim.number(1, std::stoll(d));
    else if (!d.empty())
      dim.text(2, d);
    shape.message(1, dim);
  }
  return Message().text(1, name).message(2, Message().message(1, Message().number(1, type).message(2, shape)));
}

Message value_without_shape(const std::string& name, int type) {
  return Message().text(1, name).message(2, Message().message(1, Message().number(1, type)));
}

std::string model(const ModelParts& parts) {
  Message graph;
  for (const Message& n : parts.nodes) graph.message(1, n);
  graph.text(2, "g");
  for (const Message& t : parts.initializers) graph.message(5, t);
  for (const Message& v : parts.inputs) graph.message(11, v);
  for (const Message& v : parts.outputs) graph.message(12, v);
  return Message().number(1, 8).message(7, graph).message(8, Message().number(2, parts.opset)).bytes;
}

Graph read(const std::string& bytes, const OnnxOptions& options) {
  Graph g = read_onnx(std::as_bytes(std::span(bytes.data(), bytes.size())), "model", options);
  verify(g);
  return g;
}

std::string read_error(const std::string& bytes, const OnnxOptions& options) {
  try {
    read(bytes, options);
    return {};
  } catch (const InternalError&) {
    throw;
  } catch (const Error& e) {
    return std::to_string(static_cast<int>(e.code())) + ": " + e.what();
  }
}

ModelParts one_node(int64_t opset, const std::string& op, const std::vector<Message>& inputs,
                    const std::vector<Message>& initializers, const std::vector<std::string>& input_names,
                    const std::vector<Message>& attrs, int outputs) {
  ModelParts parts;
  parts.opset = opset;
  parts.inputs = inputs;
  parts.initializers = initializers;
  std::vector<std::string> names;
  for (int i = 0; i < outputs; ++i) {
    names.push_back("y" + std::to_string(i));
    parts.outputs.push_back(Message().text(1, names.back()));
  }
  parts.nodes = {node(op, input_names, names, attrs, "n")};
  return parts;
}

}  // namespace tlm::ir::test
