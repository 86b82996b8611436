#include "tlm/ir/onnx/importer.h"

#include <algorithm>
#include <functional>
#include <queue>

#include "tlm/core/error.h"
#include "tlm/ir/graph/fold_node.h"
#include "tlm/ir/graph/onnx_dtype.h"
#include "tlm/ir/graph/op_table.h"
#include "tlm/ir/onnx/attributes.h"
#include "tlm/ir/onnx/upgrade.h"

namespace tlm::ir {

namespace {

constexpr int kOldestOpset = 7, kNewestOpset = 23;
// Shape arithmetic is small; weights computed in the graph are left to the passes. The elements read and written by all that is
// folded are bounded too, so that a small file cannot ask for much work; tiny nodes are folded whatever went before.
constexpr int64_t kFoldOutput = 64 << 10, kFoldInput = 1 << 20, kFoldTiny = 256, kFoldAll = 64 << 20;

}  // namespace

std::string Importer::label(const proto::NodeProto& n) const {
  std::string name = "node '" + n.name() + "'";
  if (n.name().empty() && n.output_size() > 0) name = "the node of output '" + n.output(0) + "'";
  const std::string domain = n.domain() == "ai.onnx" ? "" : n.domain();
  const auto it = opsets_.find(domain);
  return name + ", operator " + (domain.empty() ? "" : domain + ".") + n.op_type() + ", opset " +
         (it == opsets_.end() ? "unknown" : std::to_string(it->second));
}

void Importer::refuse(const std::string& problem) { problems_.push_back(problem); }

void Importer::poison(const proto::NodeProto& n) {
  for (const std::string& out : n.output()) {
    if (out.empty()) continue;
    if (!values_.count(out)) define(out, {});
    poisoned_.insert(out);
  }
}

// A graph input or initializer: named with the nodes that read it, or by itself if none does.
void Importer::poison(const std::string& name, const std::string& reason) {
  define(name, {});
  poisoned_.insert(name);
  unusable_[name] = reason;
}

void Importer::define(const std::string& name, ValueId v) {
  if (!values_.emplace(name, v).second) throw Error(ErrorCode::kBadModel, "value '" + name + "' is defined twice");
}

void Importer::charge(double bytes, const std::string& what) {
  announced_ += bytes;
  if (announced_ > static_cast<double>(options_.max_bytes))
    throw Error(ErrorCode::kBadModel, "the model announces more than " + std::to_string(options_.max_bytes) + " bytes of values",
                what);
}

void Importer::add_constant(const std::string& name, Tensor t) {
  charge(static_cast<double>(t.bytes()), "value '" + name + "'");
  define(name, g_.add_constant(name, std::move(t)));
}

void Importer::read_header() {
  for (const auto& set : model_.opset_import()) opsets_[set.domain() == "ai.onnx" ? "" : set.domain()] = set.version();
  if (opsets_.count("")) opset_ = static_cast<int>(std::clamp<int64_t>(opsets_[""], 0, 1 << 20));
  if (opset_ < kOldestOpset || opset_ > kNewestOpset) {
    throw Error(
        ErrorCode::kUnsupported,
        opsets_.count("") ? "opset " + std::to_string(opset_) + " is not supported" : "the model imports no ai.onnx opset",
        proto_.node_size() ? label(proto_.node(0)) : "",
        "export the model with an opset from " + std::to_string(kOldestOpset) + " to " + std::to_string(kNewestOpset));
  }
  g_.name = proto_.name();
  g_.metadata["onnx.opset"] = std::to_string(opset_);
  g_.metadata["onnx.ir_version"] = std::to_string(model_.ir_version());
  if (!model_.producer_name().empty())
    g_.metadata["onnx.producer"] =
        model_.producer_name() + (model_.producer_version().empty() ? "" : " " + model_.producer_version());
  if (!model_.domain().empty()) g_.metadata["onnx.domain"] = model_.domain();
  if (model_.model_version() != 0) g_.metadata["onnx.model_version"] = std::to_string(model_.model_version());
  for (const auto& entry : model_.metadata_props()) g_.metadata[entry.key()] = entry.value();
}

void Importer::read_initializers() {
  for (auto& t : *proto_.mutable_initializer()) {
    const std::string name = t.name();
    if (name.empty()) throw Error(ErrorCode::kBadModel, "an initializer has no name");
    if (options_.bound.count(name)) {
      add_constant(name, options_.bound.at(name));
      continue;
    }
    try {
      add_constant(name, take_tensor(t, files_));
    } catch (const Error& e) {
      if (e.code() != ErrorCode::kUnsupported) throw;
      poison(name, "initializer '" + name + "': " + e.message());
    }
  }
  for (const auto& t : proto_.sparse_initializer()) {
    const std::string& name = t.values().name();
    poison(name, "initializer '" + name + "': sparse tensors are not supported");
  }
}

// Node numbers so that every value is defined before it is read; among those that are ready, the model's order.
std::vector<int> Importer::node_order() const {
  std::map<std::string, int> producer;
  const int count = proto_.node_size();
  for (int i = 0; i < count; ++i)
    for (const std::string& out : proto_.node(i).output())
      if (!out.empty()) producer.emplace(out, i);
  std::vector<int> missing(static_cast<size_t>(count), 0), order;
  std::vector<std::vector<int>> followers(static_cast<size_t>(count));
  std::priority_queue<int, std::vector<int>, std::greater<>> ready;
  for (int i = 0; i < count; ++i) {
    for (const std::string& in : proto_.node(i).input()) {
      const auto it = producer.find(in);
      if (in.empty() || it == producer.end() || values_.count(in)) continue;
      followers[static_cast<size_t>(it->second)].push_back(i);
      ++missing[static_cast<size_t>(i)];
    }
    if (missing[static_cast<size_t>(i)] == 0) ready.push(i);
  }
  while (!ready.empty()) {
    const int i = ready.top();
    ready.pop();
    order.push_back(i);
    for (int f : followers[static_cast<size_t>(i)])
      if (--missing[static_cast<size_t>(f)] == 0) ready.push(f);
  }
  for (int i = 0; i < count; ++i)
    if (missing[static_cast<size_t>(i)] > 0) throw Error(ErrorCode::kBadModel, "the graph has a cycle", label(proto_.node(i)));
  return order;
}

void Importer::read_constant(proto::NodeProto& n) {
  if (n.output_size() != 1 || n.output(0).empty() || n.input_size() != 0)
    throw Error(ErrorCode::kBadModel, "a Constant has one output and no inputs");
  add_constant(n.output(0), constant_of_attributes(read_attributes(n, files_)));
}

// Shape and Size of what has a static shape are constants, whatever the input.
void Importer::read_shape_node(const Node& n) {
  Graph scratch;
  Value x = g_.value(n.inputs.at(0));
  x.producer = {};
  Node copy = n;
  copy.inputs = {scratch.add_value(std::move(x))};
  copy.outputs = {scratch.add_value({})};
  const NodeId id = scratch.add_node(std::move(copy));
  infer_node(scratch, id, opset_);
  const Node& done = scratch.node(id);
  const Shape& shape = scratch.value(done.inputs[0]).shape;
  Tensor t;
  if (n.op == OpKind::kSize) {
    t = Tensor::scalar_i64(element_count(shape));
  } else {
    const int64_t start = done.attr_int("start", 0), end = std::max(start, done.attr_int("end", 0));
    t = Tensor::vector_i64({shape.data() + start, static_cast<size_t>(end - start)});
  }
  Value& out = g_.value(n.outputs.at(0));
  out.dtype = t.dtype();
  out.shape = t.shape();
  out.constant = std::move(t);
}

void Importer::finish_node(proto::NodeProto& n, Node node) {
  for (const std::string& out : n.output()) {
    ValueId v;
    if (!out.empty()) {
      Value value;
      value.name = out;
      v = g_.add_value(std::move(value));
      define(out, v);
    }
    node.outputs.push_back(v);
  }
  if ((node.op == OpKind::kShape || node.op == OpKind::kSize) && node.inputs.size() == 1 && node.inputs[0].valid() &&
      node.outputs.size() == 1 && node.outputs[0].valid())
    return read_shape_node(node);
  std::vector<NodeId> added;
  add_upgraded(g_, std::move(node), opset_, added);
  for (NodeId id : added) fold_if_small(id);
}

void Importer::fold_if_small(NodeId id) {
  bool small = true;
  int64_t read = 0, written = 0;
  for (ValueId v : g_.node(id).outputs) {
    if (!v.valid()) continue;
    const Value& value = g_.value(v);
    const int64_t elements = element_count(value.shape);
    if (static_cast<double>(elements) * static_cast<double>(dtype_size(value.dtype)) > static_cast<double>(options_.max_bytes)) {
      throw Error(ErrorCode::kBadModel, "value '" + value.name + "' of shape " + to_string(value.shape) + " needs more than " +
                                            std::to_string(options_.max_bytes) + " bytes");
    }
    small = small && elements <= kFoldOutput;
    if (small) written += elements;
  }
  for (ValueId v : g_.node(id).inputs) {
    if (!v.valid()) continue;
    small = small && g_.value(v).constant;
    if (small) read += element_count(g_.value(v).shape);
  }
  const int64_t work = read + written;
  if (!small || read > kFoldInput || (work > kFoldTiny && folded_ > kFoldAll)) return;
  if (fold_node(g_, id, 1e4 + 100.0 * static_cast<double>(work))) folded_ += work;
}

void Importer::read_node(proto::NodeProto& n) {
  bool usable = true;
  std::set<std::string> unusable_inputs;
  Node node;
  node.name = n.name();
  for (const std::string& in : n.input()) {
    if (in.empty()) {
      node.inputs.emplace_back();
      continue;
    }
    const auto it = values_.find(in);
    if (it == values_.end()) throw Error(ErrorCode::kBadModel, "input '" + in + "' is produced by no node", label(n));
    usable = usable && !poisoned_.count(in);
    if (const auto why = unusable_.find(in); why != unusable_.end()) unusable_inputs.insert(why->first);
    node.inputs.push_back(it->second);
  }
  const bool standard = n.domain().empty() || n.domain() == "ai.onnx";
  const auto op = standard ? parse_op_kind(n.op_type()) : std::nullopt;
  try {
    if (!op)
      throw Error(ErrorCode::kUnsupported, standard ? "unsupported operator" : "operators of other domains are not supported");
    if (op_row(*op).since > opset_)
      throw Error(ErrorCode::kUnsupported,
                  "the operator is not in this opset (it came with " + std::to_string(op_row(*op).since) + ")");
    if (!unusable_inputs.empty()) {
      std::string reasons;
      for (const std::string& in : unusable_inputs) reasons += (reasons.empty() ? "" : "; ") + unusable_.at(in);
      read_unusable_.insert(unusable_inputs.begin(), unusable_inputs.end());
      throw Error(ErrorCode::kUnsupported, reasons);
    }
    if (!usable) return poison(n);  // the reason is on the list already
    if (*op == OpKind::kConstant) return read_constant(n);
    node.op = *op;
    node.attrs = read_attributes(n, files_);
    finish_node(n, std::move(node));
  } catch (const InternalError&) {
    throw;
  } catch (const Error& e) {
    if (e.code() == ErrorCode::kUnsupported) {
      refuse(label(n) + ": " + e.message());
      return poison(n);
    }
    throw Error(e.code(), e.message(), label(n), e.hint());
  }
}

void Importer::read_outputs() {
  std::set<std::string> seen;
  if (proto_.output_size() == 0) throw Error(ErrorCode::kBadModel, "the graph has no outputs");
  for (const auto& info : proto_.output()) {
    const std::string& name = info.name();
    const auto it = values_.find(name);
    if (it == values_.end()) throw Error(ErrorCode::kBadModel, "graph output '" + name + "' is produced by no node");
    if (!seen.insert(name).second) throw Error(ErrorCode::kBadModel, "graph output '" + name + "' is given twice");
    if (poisoned_.count(name)) continue;
    ValueId v = it->second;
    if (std::find(g_.inputs.begin(), g_.inputs.end(), v) != g_.inputs.end()) v = add_op(g_, OpKind::kIdentity, {v}, {}, name)[0];
    g_.outputs.push_back(v);
    const Value& value = g_.value(v);
    if (!info.type().has_tensor_type()) continue;
    const auto& type = info.type().tensor_type();
    if (type.elem_type() != 0 && dtype_of_onnx(type.elem_type()) != value.dtype)
      throw Error(ErrorCode::kBadModel, "graph output '" + name + "' is declared with type " + onnx_dtype_name(type.elem_type()) +
                                            "; its node gives " + std::string(dtype_name(value.dtype)));
    if (!type.has_shape()) continue;
    bool agrees = type.shape().dim_size() == static_cast<int>(value.shape.size());
    std::string declared;
    for (int d = 0; d < type.shape().dim_size(); ++d) {
      const auto& dim = type.shape().dim(d);
      declared += (d ? "," : "") + (dim.has_dim_value()       ? std::to_string(dim.dim_value())
                                    : dim.dim_param().empty() ? "?"
                                                              : dim.dim_param());
      if (agrees && dim.has_dim_value() && dim.dim_value() > 0) agrees = dim.dim_value() == value.shape[static_cast<size_t>(d)];
    }
    if (!agrees)
      throw Error(ErrorCode::kBadModel, "graph output '" + name + "' is declared with shape [" + declared + "]; its node gives " +
                                            to_string(value.shape));
  }
}

Graph Importer::run() {
  read_header();
  read_initializers();
  read_inputs();
  for (const int i : node_order()) read_node(*proto_.mutable_node(i));
  read_outputs();
  check_options();
  for (const auto& [name, reason] : unusable_)
    if (!read_unusable_.count(name)) refuse(reason);
  if (problems_.empty()) {
    check_dims();
    g_.compact();
    return std::move(g_);
  }
  std::string list =
      problems_.size() == 1 ? problems_[0] : std::to_string(problems_.size()) + " parts of the model are not supported:";
  constexpr size_t kShown = 200;
  if (problems_.size() > 1)
    for (size_t i = 0; i < std::min(problems_.size(), kShown); ++i) list += "\n  " + problems_[i];
  if (problems_.size() > kShown) list += "\n  … and " + std::to_string(problems_.size() - kShown) + " more";
  throw Error(ErrorCode::kUnsupported, list);
}

}  // namespace tlm::ir
