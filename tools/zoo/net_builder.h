// Short hands for writing networks: layers with seeded weights.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "tlm/core/rng.h"
#include "tlm/ir/graph/graph.h"

namespace tlm::tools {

struct ConvShape {
  int64_t channels = 1, kernel = 1, stride = 1, pad = 0, group = 1;
};

// Every layer is named as in the model; its weights are constants "<name>.weight" and so on. Weights of one name are the same
// whatever other layers there are.
class NetBuilder {
 public:
  NetBuilder(std::string name, uint64_t seed);

  ir::ValueId input(const std::string& name, Shape shape);
  // [n,c,h,w] → [n,channels,h',w'], He-initialised.
  ir::ValueId conv(const std::string& name, ir::ValueId x, const ConvShape& shape, bool bias = false);
  // Over axis 1. Running statistics are those that x has, so that the output's deviation is about `gain` in every channel.
  ir::ValueId batch_norm(const std::string& name, ir::ValueId x, double gain = 1);
  ir::ValueId relu(const std::string& name, ir::ValueId x);
  ir::ValueId relu6(const std::string& name, ir::ValueId x);  // Clip to 0 … 6
  ir::ValueId add(const std::string& name, ir::ValueId a, ir::ValueId b);
  ir::ValueId concat(const std::string& name, const std::vector<ir::ValueId>& parts, int64_t axis);
  ir::ValueId max_pool(const std::string& name, ir::ValueId x, int64_t kernel, int64_t stride, int64_t pad);
  ir::ValueId global_average_pool(const std::string& name, ir::ValueId x);
  ir::ValueId flatten(const std::string& name, ir::ValueId x);
  ir::ValueId linear(const std::string& name, ir::ValueId x, int64_t width);  // Gemm: [n,k] → [n,width]
  ir::ValueId dense(const std::string& name, ir::ValueId x, int64_t width);   // MatMul and Add: […,k] → […,width]
  ir::ValueId layer_norm(const std::string& name, ir::ValueId x);             // over the last dimension
  ir::ValueId gelu(const std::string& name, ir::ValueId x);                   // exact, by Erf, as exporters spell it
  // [n, tokens, width] → [n, tokens, heads, width/heads], its dimensions permuted.
  ir::ValueId split_heads(const std::string& name, ir::ValueId x, int64_t heads, std::vector<int64_t> perm);
  ir::ValueId merge_heads(const std::string& name, ir::ValueId x);  // [n, heads, tokens, head] → [n, tokens, heads·head]
  // Any operator; one output.
  ir::ValueId op(ir::OpKind kind, const std::string& name, std::vector<ir::ValueId> inputs, ir::Attributes attrs = {});
  ir::ValueId normal(const std::string& name, Shape shape, double mean, double deviation);  // a constant, f32
  const Shape& shape(ir::ValueId v) const { return graph_.value(v).shape; }

  ir::Graph finish(const std::vector<std::pair<std::string, ir::ValueId>>& outputs);

 private:
  // What is known of a value's elements: their mean square, and whether they are negative as often as positive.
  struct Spread {
    double power = 1;
    bool centred = true;
  };
  Spread spread(ir::ValueId v) const;

  uint64_t seed_;
  ir::Graph graph_;
  std::map<ir::ValueId, Spread> spread_;  // the default where nothing is said
};

}  // namespace tlm::tools
