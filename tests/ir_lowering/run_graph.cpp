#include "run_graph.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tlm/core/error.h"
#include "tlm/core/rng.h"
#include "tlm/ir/tensor/interpret.h"

namespace tlm::ir::test {

Tensor tensor(DType t, Shape shape, const std::vector<double>& values) {
  Tensor x(t, std::move(shape));
  TLM_CHECK(x.size() == static_cast<int64_t>(values.size())) << x.size() << " elements, " << values.size() << " values";
  for (size_t i = 0; i < values.size(); ++i) x.set_f64(static_cast<int64_t>(i), values[i]);
  return x;
}

Tensor sequence(DType t, Shape shape, double first, double step) {
  Tensor x(t, std::move(shape));
  for (int64_t i = 0; i < x.size(); ++i) x.set_f64(i, first + step * static_cast<double>(i));
  return x;
}

Tensor random(Shape shape, uint64_t seed, double lo, double hi) {
  Rng rng(seed);
  Tensor x(DType::kF32, std::move(shape));
  for (int64_t i = 0; i < x.size(); ++i) x.set_f64(i, lo + (hi - lo) * rng.uniform());
  return x;
}

In f32(Shape shape, const std::vector<double>& values) { return {tensor(DType::kF32, std::move(shape), values), false}; }
In i64(Shape shape, const std::vector<double>& values) { return {tensor(DType::kI64, std::move(shape), values), false}; }
In constant(Tensor t) { return {std::move(t), true}; }

OneNode one_node(OpKind op, const std::vector<In>& inputs, const Attributes& attrs, int outputs) {
  OneNode r;
  std::vector<ValueId> ids;
  for (size_t i = 0; i < inputs.size(); ++i) {
    const In& in = inputs[i];
    if (!in.value) {
      ids.emplace_back();
    } else if (in.constant) {
      ids.push_back(r.graph.add_constant("c" + std::to_string(i), *in.value));
    } else {
      Value v;
      v.name = "x" + std::to_string(i);
      v.dtype = in.value->dtype();
      v.shape = in.value->shape();
      ids.push_back(r.graph.add_value(v));
      r.graph.inputs.push_back(ids.back());
      r.inputs.push_back(*in.value);
    }
  }
  r.graph.outputs = add_op(r.graph, op, ids, attrs, "y", outputs);
  return r;
}

bool lower_graph(const Graph& g, SubgraphBuilder& b, std::string* runtime_call) {
  for (NodeId n : g.topological_order()) {
    const Node& node = g.node(n);
    if (node.op == OpKind::kRemoved) continue;
    if (route(node.op) == Route::kRuntimeCall) {
      if (runtime_call) *runtime_call = runtime_call_name(node.op);
      return false;
    }
    lower_node(node, b);
  }
  return true;
}

std::vector<Tensor> run_lowered(const Graph& g, SubgraphBuilder& b, const std::vector<Tensor>& inputs) {
  verify(b.subgraph);
  std::vector<Tensor> bound(b.subgraph.tensors.size());
  for (size_t t = 0; t < bound.size(); ++t) {
    if (b.made_up[t]) bound[t] = *b.made_up[t];
    if (!b.binding[t].valid()) continue;
    const Value& v = g.value(b.binding[t]);
    if (v.constant) bound[t] = *v.constant;
    for (size_t i = 0; i < g.inputs.size(); ++i) {
      if (g.inputs[i] == b.binding[t]) bound[t] = inputs[i];
    }
  }
  interpret(b.subgraph, bound);
  std::vector<Tensor> outputs;
  for (ValueId v : g.outputs) {
    if (g.value(v).constant) {
      outputs.push_back(*g.value(v).constant);
      continue;
    }
    Tensor result(g.value(v).dtype, g.value(v).shape);  // an empty tensor has no stage
    for (size_t t = 0; t < bound.size(); ++t) {
      if (b.binding[t] == v && result.size() > 0) result = bound[t];
    }
    outputs.push_back(result);
  }
  return outputs;
}

std::vector<Tensor> run(OpKind op, const std::vector<In>& inputs, const Attributes& attrs, int outputs) {
  OneNode n = one_node(op, inputs, attrs, outputs);
  SubgraphBuilder b(n.graph);
  std::string call;
  TLM_CHECK(lower_graph(n.graph, b, &call)) << call << " is a runtime call";
  return run_lowered(n.graph, b, n.inputs);
}

std::string difference(const Tensor& actual, const Tensor& expected, double rtol, double atol) {
  if (actual.dtype() != expected.dtype() || actual.shape() != expected.shape()) {
    return "got " + std::string(dtype_name(actual.dtype())) + to_string(actual.shape()) + ", expected " +
           std::string(dtype_name(expected.dtype())) + to_string(expected.shape());
  }
  std::string worst;
  double worst_excess = 0;
  for (int64_t i = 0; i < actual.size(); ++i) {
    double a = actual.at_f64(i), e = expected.at_f64(i);
    if (a == e || (std::isnan(a) && std::isnan(e))) continue;
    double excess = std::fabs(a - e) - (atol + rtol * std::fabs(e));
    if (std::isnan(excess)) excess = INFINITY;
    if (excess > worst_excess) {
      worst_excess = excess;
      worst = "element " + std::to_string(i) + " is " + std::to_string(a) + ", expected " + std::to_string(e);
    }
  }
  return worst;
}

void expect_tensor(const Tensor& actual, const Tensor& expected, double rtol, double atol) {
  EXPECT_EQ(difference(actual, expected, rtol, atol), "");
}

void check(const std::vector<Case>& cases) {
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    try {
      std::vector<Tensor> y = run(c.op, c.inputs, c.attrs, static_cast<int>(c.expected.size()));
      for (size_t j = 0; j < y.size(); ++j) expect_tensor(y[j], c.expected[j]);
    } catch (const Error& e) {
      ADD_FAILURE() << e.what();
    }
  }
}

}  // namespace tlm::ir::test
