// ONNX messages byte by byte: tests write what no library would let them write.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "tlm/ir/onnx/onnx_reader.h"

namespace tlm::ir::test {

// A protobuf message under construction.
class Message {
 public:
  Message& number(int field, int64_t v);               // varint
  Message& real(int field, float v);                   // fixed32
  Message& text(int field, const std::string& bytes);  // string, bytes or an embedded message
  Message& message(int field, const Message& m) { return text(field, m.bytes); }
  Message& raw(const std::string& more) {
    bytes += more;
    return *this;
  }
  std::string bytes;
};

enum OnnxType {
  kFloat = 1,
  kUint8 = 2,
  kInt8 = 3,
  kUint16 = 4,
  kInt16 = 5,
  kInt32 = 6,
  kInt64 = 7,
  kString = 8,
  kBoolean = 9,
  kHalf = 10,
  kDouble = 11,
  kUint32 = 12,
  kUint64 = 13,
  kBfloat = 16
};

// TensorProto: raw data from the elements of v.
Message tensor(const std::string& name, int type, const std::vector<int64_t>& dims);  // without data
Message floats(const std::string& name, const std::vector<int64_t>& dims, const std::vector<float>& v);
Message ints(const std::string& name, const std::vector<int64_t>& dims, const std::vector<int64_t>& v);
Message bools(const std::string& name, const std::vector<int64_t>& dims, const std::vector<uint8_t>& v);

// AttributeProto.
Message attr_int(const std::string& name, int64_t v);
Message attr_float(const std::string& name, float v);
Message attr_string(const std::string& name, const std::string& v);
Message attr_ints(const std::string& name, const std::vector<int64_t>& v);
Message attr_floats(const std::string& name, const std::vector<float>& v);
Message attr_tensor(const std::string& name, const Message& t);
Message attr_graph(const std::string& name, const Message& g);

Message node(const std::string& op, const std::vector<std::string>& inputs, const std::vector<std::string>& outputs,
             const std::vector<Message>& attrs = {}, const std::string& name = {}, const std::string& domain = {});

// ValueInfoProto of a tensor; a dimension is a number or a name.
Message value(const std::string& name, int type, const std::vector<std::string>& dims);
Message value_without_shape(const std::string& name, int type);

struct ModelParts {
  int64_t opset = 17;
  std::vector<Message> nodes, initializers, inputs, outputs;
};
std::string model(const ModelParts& parts);

Graph read(const std::string& bytes, const OnnxOptions& options = {});
inline Graph read(const ModelParts& parts, const OnnxOptions& options = {}) { return read(model(parts), options); }
// The text of the error that reading throws, with its code: "3: …"; "" if it does not throw.
std::string read_error(const std::string& bytes, const OnnxOptions& options = {});
inline std::string read_error(const ModelParts& parts, const OnnxOptions& options = {}) {
  return read_error(model(parts), options);
}

// One node from inputs (names x0, x1, … as given) to outputs y0, …; the outputs' shapes are not declared.
ModelParts one_node(int64_t opset, const std::string& op, const std::vector<Message>& inputs,
                    const std::vector<Message>& initializers, const std::vector<std::string>& input_names,
                    const std::vector<Message>& attrs = {}, int outputs = 1);

}  // namespace tlm::ir::test
