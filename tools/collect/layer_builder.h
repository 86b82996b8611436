// Short hands for layers of which only the shapes matter: all weights are alike.
#pragma once

#include <string>
#include <vector>

#include "tlm/ir/graph/graph.h"

namespace tlm::collect {

struct WindowShape {
  int64_t channels = 1, kernel_h = 1, kernel_w = 1, stride = 1, dilation = 1, group = 1;
  bool padded = true;  // so that the image keeps its size (÷ stride)
  static WindowShape square(int64_t channels, int64_t kernel, int64_t stride = 1, int64_t group = 1) {
    return {channels, kernel, kernel, stride, 1, group};
  }
};

enum class Activation : uint8_t { kNone, kRelu, kRelu6, kLeaky, kSilu, kHardSwish, kSigmoid, kGelu, kGeluTanh };

// Layers whose name begins with kAround only make a neighbourhood for those that are meant: values in the layouts of a network.
inline constexpr const char* kAround = "around.";

class LayerBuilder {
 public:
  ir::ValueId input(Shape shape);
  ir::ValueId constant(Shape shape, double value = 0.5);
  ir::ValueId op(ir::OpKind kind, std::vector<ir::ValueId> inputs, ir::Attributes attrs = {}, const std::string& name = {});
  const Shape& shape(ir::ValueId v) const { return graph_.value(v).shape; }

  ir::ValueId window(ir::ValueId x, const WindowShape& shape, const std::string& name = {});  // with bias
  ir::ValueId activation(ir::ValueId x, Activation a);
  ir::ValueId add(ir::ValueId a, ir::ValueId b) { return op(ir::OpKind::kAdd, {a, b}); }
  ir::ValueId multiply(ir::ValueId a, ir::ValueId b) { return op(ir::OpKind::kMul, {a, b}); }
  ir::ValueId dense(ir::ValueId x, int64_t width, bool bias = true);  // […,k] → […,width]
  ir::ValueId reshape(ir::ValueId x, Shape shape);
  ir::ValueId transpose(ir::ValueId x, std::vector<int64_t> perm);
  ir::ValueId split_heads(ir::ValueId x, int64_t heads, bool keys);  // [t,w] → [heads,t,w/heads]; keys: [heads,w/heads,t]
  ir::ValueId merge_heads(ir::ValueId x);                            // [heads,t,d] → [t,heads·d]

  // An image inside a network, made by a layer around; and one that is read by a layer around.
  ir::ValueId image(int64_t channels, int64_t h, int64_t w);
  void consume(ir::ValueId image);
  void output(ir::ValueId v);
  ir::Graph finish();

 private:
  ir::Graph graph_;
  int number_ = 0;
};

}  // namespace tlm::collect
