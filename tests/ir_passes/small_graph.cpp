#include "tests/ir_passes/small_graph.h"

#include <gtest/gtest.h>

#include "tests/support/graph_eval.h"
#include "tlm/core/hash.h"
#include "tlm/core/rng.h"

namespace tlm::test {

using ir::OpKind;
using ir::ValueId;

ValueId SmallGraph::input(const std::string& name, Shape shape, DType t) {
  ir::Value v;
  v.name = name;
  v.dtype = t;
  v.shape = std::move(shape);
  graph.inputs.push_back(graph.add_value(std::move(v)));
  return graph.inputs.back();
}

ValueId SmallGraph::constant(const std::string& name, Shape shape, double lo, double hi) {
  Rng rng(Hasher().text(name).value());
  Tensor t(DType::kF32, std::move(shape));
  for (int64_t i = 0; i < t.size(); ++i) t.set_f64(i, lo + (hi - lo) * rng.uniform());
  return graph.add_constant(name, std::move(t));
}

ValueId SmallGraph::numbers(const std::string& name, Shape shape, const std::vector<double>& values, DType t) {
  Tensor tensor(t, std::move(shape));
  for (int64_t i = 0; i < tensor.size(); ++i) tensor.set_f64(i, values[static_cast<size_t>(i)]);
  return graph.add_constant(name, std::move(tensor));
}

ValueId SmallGraph::op(OpKind kind, const std::string& name, std::vector<ValueId> inputs, ir::Attributes attrs) {
  return ops(kind, name, std::move(inputs), std::move(attrs), 1)[0];
}

std::vector<ValueId> SmallGraph::ops(OpKind kind, const std::string& name, std::vector<ValueId> inputs, ir::Attributes attrs,
                                     int outputs) {
  return ir::add_op(graph, kind, std::move(inputs), std::move(attrs), name, outputs);
}

ValueId SmallGraph::conv(const std::string& name, ValueId x, int64_t channels, int64_t kernel, int64_t group) {
  const ValueId w = constant(name + ".w", {channels, shape(x)[1] / group, kernel, kernel});
  return op(OpKind::kConv, name, {x, w}, {{"pads", std::vector<int64_t>(4, kernel / 2)}, {"group", group}});
}

ValueId SmallGraph::batch_norm(const std::string& name, ValueId x) {
  const Shape c = {shape(x)[1]};
  return op(OpKind::kBatchNormalization, name,
            {x, constant(name + ".scale", c), constant(name + ".shift", c), constant(name + ".mean", c),
             constant(name + ".var", c, 0.5, 2)});
}

ir::Graph SmallGraph::done(std::vector<ValueId> outputs) {
  graph.outputs = std::move(outputs);
  ir::verify(graph);
  return std::move(graph);
}

std::string brief(const ir::Graph& g) {
  std::string text;
  const auto name = [&](ValueId v) { return v.valid() ? g.value(v).name : std::string("_"); };
  const auto list = [&](const std::vector<ValueId>& values) {
    std::string s;
    for (ValueId v : values) s += (s.empty() ? "" : ", ") + name(v);
    return s;
  };
  for (ir::NodeId id : g.topological_order()) {
    const ir::Node& n = g.node(id);
    text += std::string(ir::op_kind_name(n.op)) + "(" + list(n.inputs) + ") -> " + list(n.outputs) + "\n";
  }
  return text + "outputs: " + list(g.outputs) + "\n";
}

std::string brief(const ir::Graph& g, const ir::Partition& p) {
  std::string text;
  for (const ir::Step& step : p.steps) {
    if (step.kind == ir::StepKind::kRuntimeCall) {
      text += "call " + step.call + "\n";
      continue;
    }
    std::string line;
    for (const ir::Stage& s : step.subgraph.stages) line += (line.empty() ? "" : ", ") + s.name;
    for (size_t t = 0; t < step.binding.size(); ++t) {
      if (step.subgraph.tensors[t].role != ir::TensorRole::kOutput) continue;
      const ValueId v = step.binding[t], root = p.alias[static_cast<size_t>(v.index)];
      if (root != v) line += " in " + g.value(root).name;
    }
    text += step.name + ": " + line + "\n";
  }
  return text;
}

void check_pass(const std::vector<PassCase>& cases, bool (*pass)(ir::Graph&)) {
  for (const PassCase& c : cases) {
    SCOPED_TRACE(c.name);
    const ir::Graph before = c.graph();
    ir::Graph after = before;
    pass(after);
    EXPECT_EQ(brief(after), c.expected);
    ASSERT_NO_THROW(ir::verify(after));
    EXPECT_FALSE(pass(after)) << "the pass changes its own result: " << brief(after);
    for (size_t i = 0; i < before.inputs.size(); ++i)
      EXPECT_EQ(after.value(after.inputs[i]).name, before.value(before.inputs[i]).name);
    const std::vector<Tensor> inputs = random_inputs(before, 7);
    const std::vector<Tensor> expected = run_nodes(before, inputs), actual = run_nodes(after, inputs);
    ASSERT_EQ(actual.size(), expected.size());
    for (size_t i = 0; i < actual.size(); ++i) {
      EXPECT_EQ(after.value(after.outputs[i]).name, before.value(before.outputs[i]).name);
      EXPECT_LT(max_difference(actual[i], expected[i]), 1e-5) << "output " << i;
    }
  }
}

void check_partition(const ir::Graph& g, double tolerance) {
  const std::vector<Tensor> inputs = random_inputs(g, 11);
  const std::vector<Tensor> expected = run_nodes(g, inputs);
  for (const bool fuse : {true, false}) {
    for (const bool views : {true, false}) {
      SCOPED_TRACE(std::string("fuse ") + (fuse ? "on" : "off") + ", views " + (views ? "on" : "off"));
      const ir::Partition p = ir::partition(g, {fuse, views});
      const std::vector<Tensor> actual = run_partition(g, p, inputs);
      ASSERT_EQ(actual.size(), expected.size());
      for (size_t i = 0; i < actual.size(); ++i) EXPECT_LE(max_difference(actual[i], expected[i]), tolerance) << "output " << i;
    }
  }
}

}  // namespace tlm::test
