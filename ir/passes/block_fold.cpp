#include "tlm/ir/passes/block_fold.h"

#include <algorithm>
#include <cstring>
#include <exception>
#include <functional>
#include <mutex>
#include <set>

#include "tlm/core/error.h"
#include "tlm/core/thread_pool.h"
#include "tlm/ir/lowering/lower_operator.h"
#include "tlm/ir/partition/node_facts.h"
#include "tlm/ir/tensor/evaluate.h"

namespace tlm::ir {
namespace {

constexpr int64_t kLarge = int64_t{1} << 16;  // elements from which blocks pay
constexpr int kLongest = 64;                  // nodes in a row; then the value is kept and a new chain begins
constexpr int64_t kBlock = int64_t{1} << 15;  // elements: few enough to share out, enough to pay for setting up

bool is_scalar(const Value& v) { return v.constant && v.constant->size() == 1; }
bool is_counter(const Node& n) { return n.op == OpKind::kRange; }

// The value that a stage without reduction stores: its result with the accumulators written out.
Expr stored_value(const Stage& s) {
  return rewrite(s.result[0], [&](const Expr& e) { return e->op == Op::kAcc ? s.body[static_cast<size_t>(e->id)] : Expr(); });
}

int64_t node_count(const Expr& e) {
  int64_t n = 0;
  visit(e, [&](const Expr&) { ++n; });
  return n;
}

// Writes internal values into their readers, so that a chain is one stage and its rows never leave the nearest cache. A value
// with several readers is one shared expression, which the evaluator computes once. An expression that has grown large stays a
// stage.
void join_stages(Subgraph& g) {
  constexpr int64_t kLargest = 1000;
  std::vector<Expr> value_of(g.tensors.size());
  std::vector<Stage> kept;
  for (Stage& s : g.stages) {
    const auto substitute = [&](const Expr& e) -> Expr {
      return e->op == Op::kLoad ? value_of[static_cast<size_t>(e->id)] : Expr();
    };
    if (s.body.size() != 1 || s.outputs.size() != 1) {
      kept.push_back(std::move(s));
      continue;
    }
    s.body[0] = rewrite(s.body[0], substitute);
    const auto out = static_cast<size_t>(s.outputs[0].tensor);
    Expr value = stored_value(s);
    if (g.tensors[out].role == TensorRole::kInternal && node_count(value) <= kLargest) {
      value_of[out] = std::move(value);
    } else {
      kept.push_back(std::move(s));
    }
  }
  g.stages = std::move(kept);
}

// Blocks do not depend on each other. The first failure is thrown here; bodies of the pool must not throw.
void for_each_index(int64_t count, const std::function<void(int64_t)>& f) {
  struct Run {
    const std::function<void(int64_t)>& f;
    std::mutex mutex;
    std::exception_ptr failure;
  } run{f, {}, {}};
  shared_thread_pool().parallel_for(
      count,
      [](void* context, int64_t i, int) {
        Run& r = *static_cast<Run*>(context);
        try {
          r.f(i);
        } catch (...) {
          const std::lock_guard lock(r.mutex);
          if (!r.failure) r.failure = std::current_exception();
        }
      },
      &run);
  if (run.failure) std::rethrow_exception(run.failure);
}

// Elements [first, first + n) of first_value + i·step.
template <typename T>
void count_up(Tensor& block, const Tensor& start, const Tensor& step, int64_t first) {
  const auto a = start.as<T>()[0], d = step.as<T>()[0];
  const auto to = block.mutable_as<T>();
  for (size_t i = 0; i < to.size(); ++i) to[i] = static_cast<T>(a + static_cast<T>(first + static_cast<int64_t>(i)) * d);
}

}  // namespace

// The nodes that compute one value, with values that are read from memory.
struct BlockFolder::Chain {
  std::vector<NodeId> nodes;      // operands first; views and counters among them
  std::vector<ValueId> loaded;    // large constants
  std::vector<ValueId> counters;  // outputs of Range
  ValueId result;
};

BlockFolder::BlockFolder(const Graph& g) : g_(g), taken_(g.values.size(), 0) {}

bool BlockFolder::take(NodeId id) {
  const Node& n = g_.node(id);
  if (n.outputs.size() != 1 || !n.outputs[0].valid()) return false;
  const Value& out = g_.value(n.outputs[0]);
  if (element_count(out.shape) < kLarge) return false;
  int longest = 0;
  for (ValueId v : n.inputs) {
    if (!v.valid()) continue;
    if (!g_.value(v).constant && !taken(v)) return false;
    longest = std::max(longest, taken_[static_cast<size_t>(v.index)]);
  }
  if (longest >= kLongest) return false;
  bool ok = false;
  if (is_counter(n)) {
    ok = out.dtype == DType::kI64 || out.dtype == DType::kI32;  // floats round at each step
  } else if (route(n.op) == Route::kView) {
    ok = longest > 0;
  } else if (route(n.op) == Route::kStages) {
    const NodeFacts f = node_facts(g_, n);
    ok = f.point_free && std::all_of(n.inputs.begin(), n.inputs.end(), [&](ValueId v) {
           return !v.valid() || is_scalar(g_.value(v)) ||
                  std::find(f.aligned_inputs.begin(), f.aligned_inputs.end(), v) != f.aligned_inputs.end();
         });
  }
  if (ok) taken_[static_cast<size_t>(n.outputs[0].index)] = longest + 1;
  return ok;
}

BlockFolder::Chain BlockFolder::chain_of(ValueId v) const {
  Chain chain;
  chain.result = v;
  std::set<ValueId> seen;
  const std::function<void(ValueId)> add = [&](ValueId x) {
    if (!seen.insert(x).second || is_scalar(g_.value(x))) return;
    if (!taken(x) || g_.value(x).constant) {  // a taken one that has been computed before
      chain.loaded.push_back(x);
      return;
    }
    const Node& n = g_.node(g_.value(x).producer);
    if (is_counter(n)) {
      chain.counters.push_back(x);
      return;
    }
    for (ValueId in : n.inputs) {
      if (in.valid()) add(in);
    }
    chain.nodes.push_back(g_.value(x).producer);
  };
  add(v);
  return chain;
}

// The chain over `extent` elements in a row. Values keep their numbers.
Graph BlockFolder::block_graph(const Chain& chain, int64_t extent) const {
  Graph block;
  block.values.resize(g_.values.size());
  const auto flatten = [&](ValueId v) {
    block.value(v).name = g_.value(v).name;
    block.value(v).dtype = g_.value(v).dtype;
    block.value(v).shape = {extent};
  };
  for (ValueId v : chain.loaded) flatten(v);
  for (ValueId v : chain.counters) flatten(v);
  std::vector<ValueId> same_as(g_.values.size());
  for (size_t v = 0; v < same_as.size(); ++v) same_as[v] = {static_cast<int>(v)};
  for (NodeId id : chain.nodes) {
    Node n = g_.node(id);
    for (ValueId& v : n.inputs) {
      if (!v.valid()) continue;
      if (is_scalar(g_.value(v)) && !block.value(v).constant) {
        block.value(v) = g_.value(v);
        // A scalar of rank 0 or 1 broadcasts to a row.
        block.value(v).shape = {1};
        block.value(v).constant = block.value(v).constant->reshaped({1});
      }
      v = same_as[static_cast<size_t>(v.index)];
    }
    const ValueId out = n.outputs[0];
    if (route(n.op) == Route::kView) {
      same_as[static_cast<size_t>(out.index)] = n.inputs[0];
      continue;
    }
    flatten(out);
    block.add_node(std::move(n));
  }
  block.outputs = {same_as[static_cast<size_t>(chain.result.index)]};
  return block;
}

Tensor BlockFolder::compute(ValueId v) const {
  TLM_CHECK(taken(v)) << g_.value(v).name;
  const Chain chain = chain_of(v);
  const int64_t total = element_count(g_.value(v).shape);
  const int64_t blocks = (total + kBlock - 1) / kBlock;
  const size_t element = dtype_size(g_.value(v).dtype);
  Tensor result(g_.value(v).dtype, g_.value(v).shape);
  std::byte* const to = result.mutable_data();

  // All blocks have one size but the last.
  struct Program {
    Subgraph subgraph;
    std::vector<ValueId> binding;
    std::vector<std::optional<Tensor>> made_up;
    ValueId output;
    std::vector<Tensor> scalars;  // by tensor; those that are constant
  };
  const auto program_for = [&](int64_t extent) {
    const Graph block = block_graph(chain, extent);
    SubgraphBuilder b(block);
    for (const Node& n : block.nodes) lower_node(n, b);
    b.tensor(block.outputs[0]);  // a counter or a constant itself, perhaps
    Program p{std::move(b.subgraph), std::move(b.binding), std::move(b.made_up), block.outputs[0], {}};
    p.scalars.resize(p.binding.size());
    for (size_t t = 0; t < p.binding.size(); ++t) {
      if (p.made_up[t]) p.scalars[t] = *p.made_up[t];
      if (!p.binding[t].valid()) continue;
      const Value& value = block.value(p.binding[t]);
      if (value.constant) p.scalars[t] = *value.constant;
      // Only the last value is wanted.
      TensorDecl& d = p.subgraph.tensors[t];
      if (d.role == TensorRole::kOutput && p.binding[t] != p.output) d.role = TensorRole::kInternal;
    }
    join_stages(p.subgraph);
    return p;
  };
  const Program whole = program_for(std::min(total, kBlock));
  const Program rest = program_for(total - (blocks - 1) * kBlock);

  const auto run_block = [&](int64_t i) {
    const int64_t first = i * kBlock, extent = std::min(kBlock, total - first);
    const Program& p = i + 1 < blocks ? whole : rest;
    std::vector<Tensor> bound = p.scalars;
    for (size_t t = 0; t < bound.size(); ++t) {
      const ValueId x = p.binding[t];
      if (!x.valid()) continue;
      if (std::find(chain.loaded.begin(), chain.loaded.end(), x) != chain.loaded.end()) {
        const Tensor& source = *g_.value(x).constant;
        bound[t] =
            Tensor(source.dtype(), {extent}, source.data() + static_cast<size_t>(first) * dtype_size(source.dtype()), nullptr);
      } else if (std::find(chain.counters.begin(), chain.counters.end(), x) != chain.counters.end()) {
        const Node& range = g_.node(g_.value(x).producer);
        const Tensor &start = *g_.value(range.inputs[0]).constant, &step = *g_.value(range.inputs[2]).constant;
        bound[t] = Tensor(start.dtype(), {extent});
        if (start.dtype() == DType::kI64) {
          count_up<int64_t>(bound[t], start, step, first);
        } else {
          count_up<int32_t>(bound[t], start, step, first);
        }
      }
    }
    evaluate(p.subgraph, bound);
    for (size_t t = 0; t < bound.size(); ++t) {
      if (p.binding[t] == p.output) std::memcpy(to + static_cast<size_t>(first) * element, bound[t].data(), bound[t].bytes());
    }
  };
  for_each_index(blocks, run_block);
  return result;
}

}  // namespace tlm::ir
