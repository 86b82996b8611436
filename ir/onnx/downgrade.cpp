#include "tlm/ir/onnx/downgrade.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "tlm/core/error.h"
#include "tlm/ir/graph/op_table.h"

namespace tlm::ir {

namespace {

struct Writer {
  const Graph& g;
  const Node& node;
  FileNode out;

  [[noreturn]] void unsupported(const std::string& what) {
    throw Error(ErrorCode::kUnsupported, what + " cannot be written with opset " + std::to_string(kWrittenOpset),
                "node '" + node.name + "', operator " + std::string(op_kind_name(node.op)));
  }
  void drop(const char* key) { out.attrs.erase(key); }
  void input(Tensor t) { out.inputs.emplace_back(std::move(t)); }
  void input(const std::vector<int64_t>& v) { input(Tensor::vector_i64(v)); }
  // An attribute of the canonical form becomes the next input.
  void ints_to_input(const char* key) {
    input(node.attr_ints(key));
    drop(key);
  }
  void int_to_input(const char* key, bool scalar) {
    const int64_t v = node.attr_int(key, 0);
    input(scalar ? Tensor::scalar_i64(v) : Tensor::vector_i64({&v, 1}));
    drop(key);
  }
  // An attribute that came after opset 17 says nothing when it has its neutral value.
  void drop_neutral(const char* key, int64_t neutral) {
    const auto it = out.attrs.find(key);
    if (it == out.attrs.end()) return;
    bool same = false;
    if (const auto* v = std::get_if<int64_t>(&it->second)) same = *v == neutral;
    if (const auto* list = std::get_if<std::vector<int64_t>>(&it->second))
      same = std::all_of(list->begin(), list->end(), [&](int64_t v) { return v == neutral; });
    if (!same) unsupported("attribute '" + std::string(key) + "'");
    drop(key);
  }
  void only_words(const char* key, std::initializer_list<const char*> words) {
    const std::string word = node.attr_string(key, words.begin()[0]);
    for (const char* w : words)
      if (word == w) return;
    unsupported(std::string(key) + " '" + word + "'");
  }
};

void write_reduce(Writer& w) {
  if (w.node.op == OpKind::kReduceSum) return w.ints_to_input("axes");
  if (w.node.attr_ints("axes").empty()) {
    if (!w.g.value(w.node.inputs[0]).shape.empty()) w.unsupported("a reduction over no axes");
    w.drop("axes");  // of a scalar: all of none
  }
  w.drop("noop_with_empty_axes");
}

void write_slice(Writer& w) {
  const auto starts = w.node.attr_ints("starts"), steps = w.node.attr_ints("steps"), extents = w.node.attr_ints("extents");
  std::vector<int64_t> ends, axes;
  for (size_t d = 0; d < starts.size(); ++d) {
    const int64_t end = starts[d] + steps[d] * extents[d];
    ends.push_back(end < 0 ? std::numeric_limits<int64_t>::min() : end);  // -1 would mean the last element
    axes.push_back(static_cast<int64_t>(d));
  }
  for (const char* key : {"starts", "steps", "extents"}) w.drop(key);
  for (const auto& v : {starts, ends, axes, steps}) w.input(v);
}

void write_resize(Writer& w) {
  const Shape& x = w.g.value(w.node.inputs[0]).shape;
  const auto sizes = w.node.attr_ints("sizes");
  const auto get = [&](const char* key) {
    const auto it = w.node.attrs.find(key);
    return it == w.node.attrs.end() ? std::vector<double>{} : std::get<std::vector<double>>(it->second);
  };
  const std::vector<double> scales = get("scales"), roi = get("roi");
  // Scales that are not output/input were given as such, and are single-precision numbers.
  bool by_sizes = true;
  for (size_t d = 0; d < x.size(); ++d)
    by_sizes = by_sizes && (x[d] == 0 || scales[d] == static_cast<double>(sizes[d]) / static_cast<double>(x[d]));
  const auto floats = [](const std::vector<double>& v) {
    return Tensor::from<double>(DType::kF32, {static_cast<int64_t>(v.size())}, v);
  };
  w.input(floats(roi));
  w.input(floats(by_sizes ? std::vector<double>{} : scales));
  if (by_sizes) w.input(sizes);
  w.only_words("coordinate_transformation_mode",
               {"half_pixel", "pytorch_half_pixel", "align_corners", "asymmetric", "tf_half_pixel_for_nn", "tf_crop_and_resize"});
  w.drop_neutral("antialias", 0);
  for (const char* key : {"roi", "scales", "sizes"}) w.drop(key);
}

void write_pad(Writer& w) {
  w.only_words("mode", {"constant", "reflect", "edge"});
  w.out.inputs.insert(w.out.inputs.begin() + 1, Tensor::vector_i64(w.node.attr_ints("pads")));
  w.drop("pads");
}

void write_one_hot(Writer& w) {
  w.out.inputs.insert(w.out.inputs.begin() + 1, Tensor::scalar_i64(w.node.attr_int("depth", 0)));
  w.drop("depth");
}

// An input of the right shape stands for the one that canonical form has dropped.
void write_eye_like(Writer& w) {
  w.input(Tensor(w.g.value(w.node.outputs[0]).dtype, w.node.attr_ints("shape")));
  w.drop("shape");
}

void write_split(Writer& w) {
  w.out.outputs.resize(w.node.attr_ints("split").size());
  w.ints_to_input("split");
}

}  // namespace

FileNode to_file_form(const Graph& g, const Node& n) {
  Writer w{g, n, {}};
  w.out.op_type = op_kind_name(n.op);
  w.out.outputs = n.outputs;
  w.out.attrs = n.attrs;
  for (ValueId v : n.inputs) w.out.inputs.emplace_back(v);
  if (op_row(n.op).since > kWrittenOpset) w.unsupported("an operator of opset " + std::to_string(op_row(n.op).since));
  switch (n.op) {
    case OpKind::kReduceL1:
    case OpKind::kReduceL2:
    case OpKind::kReduceLogSum:
    case OpKind::kReduceLogSumExp:
    case OpKind::kReduceMax:
    case OpKind::kReduceMean:
    case OpKind::kReduceMin:
    case OpKind::kReduceProd:
    case OpKind::kReduceSum:
    case OpKind::kReduceSumSquare: write_reduce(w); break;
    case OpKind::kReshape:
    case OpKind::kExpand: w.ints_to_input("shape"); break;
    case OpKind::kConstantOfShape: w.ints_to_input("shape"); break;
    case OpKind::kSqueeze:
    case OpKind::kUnsqueeze: w.ints_to_input("axes"); break;
    case OpKind::kTile: w.ints_to_input("repeats"); break;
    case OpKind::kTopK: w.int_to_input("k", false); break;
    case OpKind::kCumSum: w.int_to_input("axis", true); break;
    case OpKind::kTrilu: w.int_to_input("k", true); break;
    case OpKind::kSlice: write_slice(w); break;
    case OpKind::kResize: write_resize(w); break;
    case OpKind::kPad: write_pad(w); break;
    case OpKind::kOneHot: write_one_hot(w); break;
    case OpKind::kEyeLike: write_eye_like(w); break;
    case OpKind::kSplit: write_split(w); break;
    case OpKind::kCast: w.drop("saturate"); break;
    case OpKind::kAveragePool: w.drop_neutral("dilations", 1); break;
    case OpKind::kLpPool:
      w.drop_neutral("dilations", 1);
      w.drop_neutral("ceil_mode", 0);
      break;
    case OpKind::kQuantizeLinear:
      w.drop("saturate");
      w.drop("output_dtype");
      break;
    case OpKind::kScatterElements:
    case OpKind::kScatterND: w.only_words("reduction", {"none", "add", "mul"}); break;
    default: break;
  }
  return std::move(w.out);
}

}  // namespace tlm::ir
