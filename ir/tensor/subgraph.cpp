#include "tlm/ir/tensor/subgraph.h"

#include <algorithm>
#include <unordered_set>

namespace tlm::ir {
namespace {

template <typename F>
void for_each_root(const Stage& s, F f) {
  for (const Expr& e : s.body) f(e);
  for (const Expr& e : s.combiner.combine) f(e);
  for (const Expr& e : s.result) f(e);
  for (const StageOutput& o : s.outputs)
    for (const Expr& e : o.indices) f(e);
}

// Does the node work on element values (rather than on indices and conditions of the iteration space)?
class FlopCounter {
 public:
  double count(const Expr& e) {
    if (!seen_.insert(e.get()).second) return 0;
    double n = 0;
    switch (e->op) {
      case Op::kInt:
      case Op::kFloat:
      case Op::kVar:
      case Op::kAcc:
      case Op::kLocal:
      case Op::kRamp:
      case Op::kLoad: return 0;  // index arithmetic is not counted
      case Op::kFma: n = 2; break;
      case Op::kSelect: return count(e->args[1]) + count(e->args[2]);
      case Op::kCast: return count(e->args[0]);
      default: n = 1;
    }
    for (const Expr& a : e->args) n += count(a);
    return n;
  }

 private:
  std::unordered_set<const ExprNode*> seen_;
};

}  // namespace

std::vector<int> Subgraph::writers(int tensor) const {
  std::vector<int> result;
  for (size_t s = 0; s < stages.size(); ++s)
    if (std::any_of(stages[s].outputs.begin(), stages[s].outputs.end(), [&](const StageOutput& o) { return o.tensor == tensor; }))
      result.push_back(static_cast<int>(s));
  return result;
}

std::vector<int> Subgraph::readers(int tensor) const {
  std::vector<int> result;
  for (size_t s = 0; s < stages.size(); ++s) {
    const std::vector<int> loaded = loaded_tensors(stages[s]);
    if (std::find(loaded.begin(), loaded.end(), tensor) != loaded.end()) result.push_back(static_cast<int>(s));
  }
  return result;
}

std::vector<int> loaded_tensors(const Stage& s) {
  std::vector<int> result;
  for_each_root(s, [&](const Expr& root) {
    visit(root, [&](const Expr& e) {
      if (e->op == Op::kLoad && std::find(result.begin(), result.end(), e->id) == result.end()) result.push_back(e->id);
    });
  });
  return result;
}

double flops(const Stage& s) {
  double spatial = 1, all = 1;
  for (const Axis& a : s.axes) {
    all *= static_cast<double>(a.extent);
    if (a.kind != AxisKind::kReduce) spatial *= static_cast<double>(a.extent);
  }
  FlopCounter body, combine, result;
  double in_body = 0, in_combine = 0, in_result = 0;
  for (const Expr& e : s.body) in_body += body.count(e);
  for (const Expr& e : s.combiner.combine) in_combine += combine.count(e);
  for (const Expr& e : s.result) in_result += result.count(e);
  if (s.combiner.kind == CombinerKind::kNone) in_combine = 0;
  return all * (in_body + in_combine) + spatial * in_result;
}

double flops(const Subgraph& g) {
  double total = 0;
  for (const Stage& s : g.stages) total += flops(s);
  return total;
}

double port_bytes(const Subgraph& g) {
  double total = 0;
  for (const TensorDecl& t : g.tensors) {
    if (t.role == TensorRole::kInternal) continue;
    double elements = 1;
    for (const int64_t extent : t.shape) elements *= static_cast<double>(extent);
    total += elements * static_cast<double>(dtype_size(t.dtype));
  }
  return total;
}

}  // namespace tlm::ir
