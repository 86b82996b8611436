#include "tlm/ir/onnx/onnx_writer.h"

#include <google/protobuf/io/zero_copy_stream_impl_lite.h>

#include <exception>
#include <set>

#include "tlm/core/error.h"
#include "tlm/core/file.h"
#include "tlm/ir/graph/onnx_dtype.h"
#include "tlm/ir/onnx/downgrade.h"
#include "tlm/ir/onnx/tensor_proto.h"

namespace tlm::ir {

namespace {

constexpr int64_t kMostBytes = (int64_t{2} << 30) - (int64_t{16} << 20);  // of a protobuf, with room for the graph

// Distinct names for all values; graph inputs and outputs keep theirs.
class Names {
 public:
  explicit Names(const Graph& g) : by_value_(g.values.size()) {
    for (const auto* list : {&g.inputs, &g.outputs})
      for (ValueId v : *list) {
        by_value_[static_cast<size_t>(v.index)] = g.value(v).name;
        taken_.insert(g.value(v).name);
      }
    for (size_t i = 0; i < by_value_.size(); ++i)
      if (by_value_[i].empty()) by_value_[i] = fresh(g.values[i].name.empty() ? "value" : g.values[i].name);
  }
  const std::string& of(ValueId v) const { return by_value_[static_cast<size_t>(v.index)]; }
  std::string fresh(const std::string& hint) {
    std::string name = hint;
    for (int n = 1; !taken_.insert(name).second; ++n) name = hint + "_" + std::to_string(n);
    return name;
  }

 private:
  std::vector<std::string> by_value_;
  std::set<std::string> taken_;
};

void write_tensor(const Tensor& t, const std::string& name, proto::TensorProto& to) {
  to.set_name(name);
  to.set_data_type(static_cast<int>(onnx_of_dtype(t.dtype())));
  for (const int64_t extent : t.shape()) to.add_dims(extent);
  to.set_raw_data(t.data(), t.bytes());
}

void write_attribute(const std::string& key, const AttrValue& v, proto::AttributeProto& to) {
  to.set_name(key);
  switch (v.index()) {
    case 0:
      to.set_type(proto::AttributeProto::INT);
      to.set_i(std::get<0>(v));
      break;
    case 1:
      to.set_type(proto::AttributeProto::FLOAT);
      to.set_f(static_cast<float>(std::get<1>(v)));
      break;
    case 2:
      to.set_type(proto::AttributeProto::STRING);
      to.set_s(std::get<2>(v));
      break;
    case 3:
      to.set_type(proto::AttributeProto::INTS);
      for (const int64_t i : std::get<3>(v)) to.add_ints(i);
      break;
    case 4:
      to.set_type(proto::AttributeProto::FLOATS);
      for (const double f : std::get<4>(v)) to.add_floats(static_cast<float>(f));
      break;
    case 5:
      to.set_type(proto::AttributeProto::STRINGS);
      for (const std::string& s : std::get<5>(v)) to.add_strings(s);
      break;
    default: to.set_type(proto::AttributeProto::TENSOR); write_tensor(std::get<6>(v), {}, *to.mutable_t());
  }
}

void write_value_info(const Value& v, const std::string& name, proto::ValueInfoProto& to) {
  to.set_name(name);
  auto& type = *to.mutable_type()->mutable_tensor_type();
  type.set_elem_type(static_cast<int>(onnx_of_dtype(v.dtype)));
  type.mutable_shape();
  for (const int64_t extent : v.shape) type.mutable_shape()->add_dim()->set_dim_value(extent);
}

void write_node(const Graph& g, const Node& n, Names& names, proto::GraphProto& to) {
  const FileNode file = to_file_form(g, n);
  auto& node = *to.add_node();
  node.set_op_type(file.op_type);
  node.set_name(n.name);
  for (const auto& in : file.inputs) {
    if (const auto* v = std::get_if<ValueId>(&in)) {
      node.add_input(v->valid() ? names.of(*v) : "");
      continue;
    }
    const auto& t = std::get<Tensor>(in);
    const std::string name =
        names.fresh((n.outputs.empty() || !n.outputs[0].valid() ? "node" : names.of(n.outputs[0])) + ".constant");
    write_tensor(t, name, *to.add_initializer());
    node.add_input(name);
  }
  for (ValueId v : file.outputs) node.add_output(v.valid() ? names.of(v) : "");
  for (const auto& [key, value] : file.attrs) write_attribute(key, value, *node.add_attribute());
}

// Protobuf's code must not see an exception: the first one is kept until it has returned.
class FileStream : public google::protobuf::io::CopyingOutputStream {
 public:
  explicit FileStream(AtomicFile& file) : file_(file) {}
  bool Write(const void* data, int bytes) override {
    if (failure) return false;
    try {
      file_.write(data, static_cast<size_t>(bytes));
    } catch (...) {
      failure = std::current_exception();
    }
    return !failure;
  }
  std::exception_ptr failure;

 private:
  AtomicFile& file_;
};

}  // namespace

void write_onnx(const Graph& g, const std::filesystem::path& file) {
  int64_t bytes = 0;
  for (const Value& v : g.values)
    if (v.constant) bytes += static_cast<int64_t>(v.constant->bytes());
  if (bytes > kMostBytes)
    throw Error(ErrorCode::kUnsupported, "the weights have " + std::to_string(bytes) + " bytes; one ONNX file holds 2 GiB",
                file.string());

  proto::ModelProto model;
  model.set_ir_version(8);
  model.set_producer_name("tlm");
  model.add_opset_import()->set_version(kWrittenOpset);
  for (const auto& [key, value] : g.metadata) {
    if (key.rfind("onnx.", 0) == 0) continue;  // what the reader noted about the file it came from
    auto& entry = *model.add_metadata_props();
    entry.set_key(key);
    entry.set_value(value);
  }
  auto& graph = *model.mutable_graph();
  graph.set_name(g.name.empty() ? "graph" : g.name);
  Names names(g);
  for (ValueId v : g.inputs) write_value_info(g.value(v), names.of(v), *graph.add_input());
  for (ValueId v : g.outputs) write_value_info(g.value(v), names.of(v), *graph.add_output());
  for (size_t i = 0; i < g.values.size(); ++i)
    if (g.values[i].constant) write_tensor(*g.values[i].constant, names.of({static_cast<int>(i)}), *graph.add_initializer());
  for (NodeId id : g.topological_order()) write_node(g, g.node(id), names, graph);

  AtomicFile out(file);
  FileStream stream(out);
  bool complete = false;
  {
    google::protobuf::io::CopyingOutputStreamAdaptor adaptor(&stream, 1 << 20);
    complete = model.SerializeToZeroCopyStream(&adaptor) && adaptor.Flush();
  }
  if (stream.failure) std::rethrow_exception(stream.failure);
  if (!complete) throw Error(ErrorCode::kEnvironment, "cannot write the model", file.string());
  out.commit();
}

}  // namespace tlm::ir
