// Small graphs for tests of passes, and short texts of what becomes of them.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "tlm/ir/graph/op_table.h"
#include "tlm/ir/partition.h"

namespace tlm::test {

// A graph written layer by layer. Constants are seeded by their name.
class SmallGraph {
 public:
  ir::ValueId input(const std::string& name, Shape shape, DType t = DType::kF32);
  ir::ValueId constant(const std::string& name, Shape shape, double lo = -1, double hi = 1);  // f32
  ir::ValueId numbers(const std::string& name, Shape shape, const std::vector<double>& values, DType t = DType::kF32);
  ir::ValueId op(ir::OpKind kind, const std::string& name, std::vector<ir::ValueId> inputs, ir::Attributes attrs = {});
  std::vector<ir::ValueId> ops(ir::OpKind kind, const std::string& name, std::vector<ir::ValueId> inputs, ir::Attributes attrs,
                               int outputs);
  // Convolution of a square kernel with "same" padding; weights "<name>.w".
  ir::ValueId conv(const std::string& name, ir::ValueId x, int64_t channels, int64_t kernel = 1, int64_t group = 1);
  ir::ValueId batch_norm(const std::string& name, ir::ValueId x);
  const Shape& shape(ir::ValueId v) const { return graph.value(v).shape; }
  ir::Graph done(std::vector<ir::ValueId> outputs);

  ir::Graph graph;
};

// One line for each node: "Conv(x, c.w) -> c"; then "outputs: …".
std::string brief(const ir::Graph& g);
// One line for each step: "c: c.pad, c, r" (leader: names of the stages), with " in PLACE" for outputs inside other buffers;
// "call TopK" for runtime calls.
std::string brief(const ir::Graph& g, const ir::Partition& p);

// A pass in a table: the graph before, the pass, the text after.
struct PassCase {
  const char* name;
  std::function<ir::Graph()> graph;
  const char* expected;
};
// The text after `pass`, and that the graph verifies and its outputs are within 1e-5 of what they were.
void check_pass(const std::vector<PassCase>& cases, bool (*pass)(ir::Graph&));

// Both ways of running the graph's partition agree with the nodes alone (interpreted), for all options.
void check_partition(const ir::Graph& g, double tolerance = 1e-5);

}  // namespace tlm::test
