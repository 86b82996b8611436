// ModelProto → Graph.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "tlm/ir/onnx/onnx_reader.h"
#include "tlm/ir/onnx/tensor_proto.h"

namespace tlm::ir {

// One model while it is read. Nodes are taken in topological order: inferred, upgraded, and evaluated if they are shape
// arithmetic. What is not supported is collected with all that hangs on it, so that one error names everything.
class Importer {
 public:
  Importer(proto::ModelProto& model, ExternalFiles files, const OnnxOptions& options)
      : model_(model), proto_(*model.mutable_graph()), files_(std::move(files)), options_(options) {}
  Graph run();

 private:
  void read_header();
  void read_initializers();
  void read_inputs();
  ValueId read_input(const proto::ValueInfoProto& info);
  Shape read_shape(const proto::ValueInfoProto& info, const Tensor* bound);
  int64_t read_dimension(const std::string& input, size_t axis, const proto::TensorShapeProto::Dimension& dim,
                         const Tensor* bound);
  std::vector<int> node_order() const;
  void read_node(proto::NodeProto& n);
  void read_constant(proto::NodeProto& n);
  void read_shape_node(const Node& n);
  void finish_node(proto::NodeProto& n, Node node);
  void fold_if_small(NodeId id);  // and refuses outputs above max_bytes
  void read_outputs();
  void check_options() const;
  void check_dims() const;  // kUsage: those that nobody gave

  void define(const std::string& name, ValueId v);  // kBadModel if the name is taken
  void add_constant(const std::string& name, Tensor t);
  void charge(double bytes, const std::string& what);  // against options.max_bytes
  // Remembers what is not supported; values that it would have defined are known but not usable.
  void refuse(const std::string& problem);
  void poison(const proto::NodeProto& n);
  void poison(const std::string& name, const std::string& reason);
  std::string label(const proto::NodeProto& n) const;

  proto::ModelProto& model_;
  proto::GraphProto& proto_;
  ExternalFiles files_;
  const OnnxOptions& options_;
  int opset_ = 0;                          // of ai.onnx
  std::map<std::string, int64_t> opsets_;  // by domain, as the model imports them
  Graph g_;
  std::map<std::string, ValueId> values_;
  std::set<std::string> poisoned_;
  std::set<std::string> read_unusable_;
  std::map<std::string, std::string> unusable_;  // graph input or initializer → why
  std::vector<std::string> problems_;
  std::map<std::string, int64_t> dims_;  // symbolic dimension → extent: options, then bound inputs
  std::set<std::string> symbols_;        // those that the model has
  int64_t folded_ = 0;                   // elements read and written by folded nodes
  std::set<std::string> unknown_dims_;   // symbolic dimensions without an extent
  double announced_ = 0;                 // bytes
};

}  // namespace tlm::ir
