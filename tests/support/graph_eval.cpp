#include "tests/support/graph_eval.h"

#include <cmath>
#include <cstring>
#include <limits>
#include <map>

#include "tlm/core/error.h"
#include "tlm/core/rng.h"
#include "tlm/core/runtime/runtime_calls.h"
#include "tlm/ir/lowering/lower_operator.h"
#include "tlm/ir/tensor/evaluate.h"
#include "tlm/ir/tensor/interpret.h"
#include "tlm/ir/tensor/placement.h"

namespace tlm::test {
namespace {

using ir::ValueId;

void run_subgraph(const ir::Subgraph& g, std::vector<Tensor>& bound, Evaluator how) {
  ir::verify(g);
  if (how == Evaluator::kInterpret) {
    ir::interpret(g, bound);
  } else {
    ir::evaluate(g, bound);
  }
}

// Operands by position; outputs are allocated.
std::vector<Tensor> run_call(const ir::Graph& g, const std::string& call, const ir::Attributes& attrs,
                             const std::vector<Tensor>& inputs, const std::vector<ValueId>& operands) {
  runtime::StepDesc step;
  step.call = call;
  step.call_inputs = static_cast<int>(inputs.size());
  for (const auto& [name, value] : attrs) {
    if (const auto* i = std::get_if<int64_t>(&value)) step.numbers[name] = {static_cast<double>(*i)};
    if (const auto* d = std::get_if<double>(&value)) step.numbers[name] = {*d};
    if (const auto* s = std::get_if<std::string>(&value)) step.strings[name] = *s;
  }
  std::vector<Tensor> outputs;
  std::vector<void*> buffers;
  for (size_t i = 0; i < operands.size(); ++i) {
    const bool present = operands[i].valid();
    const ir::Value* v = present ? &g.value(operands[i]) : nullptr;
    step.tensors.push_back({present ? v->dtype : DType::kF32, present ? v->shape : Shape{}, present});
    if (i < inputs.size()) {
      buffers.push_back(present ? const_cast<std::byte*>(inputs[i].data()) : nullptr);
    } else {
      outputs.emplace_back(step.tensors.back().dtype, step.tensors.back().shape);
      buffers.push_back(present ? outputs.back().mutable_data() : nullptr);
    }
  }
  runtime::check_runtime_call(step);
  std::vector<std::byte> workspace(runtime::runtime_call_workspace(call, step.tensors, step.numbers) + 64);
  void* start = workspace.data();
  size_t space = workspace.size();
  start = std::align(64, workspace.size() - 64, start, space);
  const runtime::CallStatus status = runtime::find_runtime_call(call)->run({&step, buffers.data(), start});
  TLM_CHECK(status.ok()) << status.reason;
  return outputs;
}

}  // namespace

std::vector<Tensor> run_nodes(const ir::Graph& g, const std::vector<Tensor>& inputs, Evaluator how) {
  std::vector<Tensor> values(g.values.size());
  std::vector<int> readers(g.values.size(), 0);
  for (const ir::Node& n : g.nodes)
    for (ValueId v : n.inputs)
      if (v.valid()) ++readers[static_cast<size_t>(v.index)];
  for (size_t v = 0; v < values.size(); ++v)
    values[v] = g.values[v].constant ? *g.values[v].constant : Tensor(g.values[v].dtype, Shape{0});
  for (size_t i = 0; i < inputs.size(); ++i) values[static_cast<size_t>(g.inputs[i].index)] = inputs[i];
  for (ir::NodeId id : g.topological_order()) {
    const ir::Node& n = g.node(id);
    std::vector<Tensor> results;
    if (ir::route(n.op) == ir::Route::kRuntimeCall) {
      std::vector<Tensor> operands;
      std::vector<ValueId> ids = n.inputs;
      for (ValueId v : n.inputs) operands.push_back(v.valid() ? values[static_cast<size_t>(v.index)] : Tensor());
      ids.insert(ids.end(), n.outputs.begin(), n.outputs.end());
      results = run_call(g, ir::runtime_call_name(n.op), n.attrs, operands, ids);
    } else {
      ir::SubgraphBuilder b(g);
      ir::lower_node(n, b);
      std::vector<Tensor> bound(b.binding.size());
      for (size_t t = 0; t < bound.size(); ++t) {
        if (b.made_up[t]) bound[t] = *b.made_up[t];
        if (b.binding[t].valid()) bound[t] = values[static_cast<size_t>(b.binding[t].index)];
      }
      run_subgraph(b.subgraph, bound, how);
      for (ValueId v : n.outputs) {
        results.emplace_back(v.valid() ? g.value(v).dtype : DType::kF32, v.valid() ? g.value(v).shape : Shape{});
        for (size_t t = 0; t < bound.size(); ++t)
          if (v.valid() && b.binding[t] == v) results.back() = bound[t];
      }
    }
    for (size_t j = 0; j < n.outputs.size(); ++j)
      if (n.outputs[j].valid()) values[static_cast<size_t>(n.outputs[j].index)] = results[j];
    for (ValueId v : n.inputs)
      if (v.valid() && --readers[static_cast<size_t>(v.index)] == 0 && !g.is_output(v))
        values[static_cast<size_t>(v.index)] = Tensor();
  }
  std::vector<Tensor> outputs;
  for (ValueId v : g.outputs) outputs.push_back(values[static_cast<size_t>(v.index)]);
  return outputs;
}

std::vector<Tensor> run_partition(const ir::Graph& g, const ir::Partition& p, const std::vector<Tensor>& inputs, Evaluator how) {
  constexpr std::byte kGarbage{0xff};                             // NaN
  std::map<ValueId, std::vector<std::byte>> in_buffers, buffers;  // by root value
  const auto root = [&](ValueId v) { return p.alias[static_cast<size_t>(v.index)]; };
  for (size_t i = 0; i < inputs.size(); ++i) {
    TLM_CHECK(root(g.inputs[i]) == g.inputs[i]) << "an input of the graph lies in another value's buffer";
    in_buffers[g.inputs[i]].assign(inputs[i].data(), inputs[i].data() + inputs[i].bytes());
  }
  // The buffer of a root for reading or writing: an input of the model is never written.
  const auto buffer = [&](ValueId v, bool write) -> std::byte* {
    const ValueId r = root(v);
    if (const auto it = in_buffers.find(r); it != in_buffers.end() && !write) return it->second.data();
    const auto [it, fresh] = buffers.try_emplace(r);
    if (fresh) it->second.assign(static_cast<size_t>(element_count(g.value(r).shape)) * dtype_size(g.value(r).dtype), kGarbage);
    return it->second.data();
  };
  const auto dense = [&](ValueId v) {
    ir::TensorDecl d;
    d.dtype = g.value(v).dtype;
    d.shape = g.value(v).shape;
    d.strides = row_major_strides(d.shape);
    d.buffer_elements = element_count(d.shape);
    return d;
  };
  for (const ir::Step& step : p.steps) {
    if (step.kind == ir::StepKind::kRuntimeCall) {
      const size_t outputs = g.node(step.nodes[0]).outputs.size(), count = step.binding.size() - outputs;
      std::vector<Tensor> operands;
      for (size_t i = 0; i < count; ++i) {
        const ValueId v = step.binding[i];
        if (!v.valid())
          operands.emplace_back();
        else if (g.value(root(v)).constant)
          operands.push_back(*g.value(root(v)).constant);
        else
          operands.push_back(ir::gather(dense(v), buffer(v, false)));
      }
      const std::vector<Tensor> results = run_call(g, step.call, step.attrs, operands, step.binding);
      for (size_t j = 0; j < outputs; ++j) {
        const ValueId v = step.binding[count + j];
        if (v.valid()) ir::place_into(dense(v), results[j], buffer(v, true));
      }
      continue;
    }
    const ir::Subgraph& s = step.subgraph;
    std::vector<Tensor> bound(s.tensors.size());
    for (size_t t = 0; t < bound.size(); ++t) {
      const ir::TensorDecl& d = s.tensors[t];
      const ValueId v = step.binding[t];
      if (step.made_up[t]) {
        bound[t] = *step.made_up[t];
      } else if (d.role == ir::TensorRole::kConstant) {
        bound[t] = g.value(root(v)).constant->reshaped(d.shape);
      } else if (v.valid()) {
        TLM_CHECK(d.buffer_elements == element_count(g.value(root(v)).shape)) << d.name;
      } else {
        TLM_CHECK(d.role == ir::TensorRole::kInternal) << d.name << " is bound to nothing";
      }
      if (d.role == ir::TensorRole::kInput) bound[t] = ir::gather(d, buffer(v, false));
    }
    run_subgraph(s, bound, how);
    for (size_t t = 0; t < bound.size(); ++t)
      if (s.tensors[t].role == ir::TensorRole::kOutput) ir::place_into(s.tensors[t], bound[t], buffer(step.binding[t], true));
  }
  std::vector<Tensor> outputs;
  for (ValueId v : g.outputs) {
    TLM_CHECK(root(v) == v) << "output " << g.value(v).name << " lies in another value's buffer";
    outputs.push_back(g.value(v).shape.empty() || element_count(g.value(v).shape) > 0
                          ? ir::gather(dense(v), buffer(v, true))
                          : Tensor(g.value(v).dtype, g.value(v).shape));
  }
  return outputs;
}

std::vector<Tensor> random_inputs(const ir::Graph& g, uint64_t seed) {
  Rng rng(seed);
  std::vector<Tensor> inputs;
  for (ValueId v : g.inputs) {
    Tensor t(g.value(v).dtype, g.value(v).shape);
    for (int64_t i = 0; i < t.size(); ++i) {
      if (is_float(t.dtype()))
        t.set_f64(i, rng.normal());
      else
        t.set_i64(i, t.dtype() == DType::kBool ? rng.between(0, 1) : rng.between(0, 3));
    }
    inputs.push_back(std::move(t));
  }
  return inputs;
}

double max_difference(const Tensor& a, const Tensor& b) {
  if (a.dtype() != b.dtype() || a.shape() != b.shape()) return std::numeric_limits<double>::infinity();
  double largest = 0, worst = 0;
  for (int64_t i = 0; i < b.size(); ++i)
    if (std::isfinite(b.at_f64(i))) largest = std::max(largest, std::fabs(b.at_f64(i)));
  for (int64_t i = 0; i < b.size(); ++i) {
    const double x = a.at_f64(i), y = b.at_f64(i);
    if (x == y || (std::isnan(x) && std::isnan(y))) continue;
    const double d = std::fabs(x - y) / (std::fabs(y) + largest);
    worst = std::isnan(d) ? std::numeric_limits<double>::infinity() : std::max(worst, d);
  }
  return worst;
}

}  // namespace tlm::test
