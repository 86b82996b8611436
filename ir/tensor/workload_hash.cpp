#include <bit>

#include "tlm/core/hash.h"
#include "tlm/ir/tensor/subgraph.h"

namespace tlm::ir {
namespace {

// Part of stored records: operators are hashed by their text and not by their number, so that new ones do not move old hashes.
void add(Hasher& h, const Expr& e) {
  h.text(op_name(e->op)).number(static_cast<int64_t>(e->dtype)).number(e->lanes).number(e->id).number(e->ival);
  if (e->op == Op::kFloat) h.number(std::bit_cast<int64_t>(e->fval));
  h.number(static_cast<int64_t>(e->args.size()));
  for (const Expr& a : e->args) add(h, a);
}

void add(Hasher& h, const std::vector<Expr>& list) {
  h.number(static_cast<int64_t>(list.size()));
  for (const Expr& e : list) add(h, e);
}

void add(Hasher& h, const std::vector<int64_t>& list) {
  h.number(static_cast<int64_t>(list.size()));
  for (int64_t v : list) h.number(v);
}

}  // namespace

uint64_t workload_hash(const Subgraph& g) {
  Hasher h;
  h.text("workload 1").number(static_cast<int64_t>(g.tensors.size()));
  for (const TensorDecl& t : g.tensors) {
    h.number(static_cast<int64_t>(t.dtype)).number(static_cast<int64_t>(t.role));
    add(h, t.shape);
    add(h, t.strides);
    h.number(t.offset).number(t.buffer_elements);
  }
  h.number(static_cast<int64_t>(g.stages.size()));
  for (const Stage& s : g.stages) {
    h.number(static_cast<int64_t>(s.axes.size()));
    for (const Axis& a : s.axes) h.number(static_cast<int64_t>(a.kind)).number(a.extent);
    h.number(static_cast<int64_t>(s.combiner.kind)).number(s.combiner.associative).number(s.combiner.commutative);
    h.number(s.exclusive);
    add(h, s.body);
    add(h, s.combiner.identity);
    add(h, s.combiner.combine);
    add(h, s.result);
    h.number(static_cast<int64_t>(s.outputs.size()));
    for (const StageOutput& o : s.outputs) {
      h.number(o.tensor);
      add(h, o.indices);
    }
  }
  return h.value();
}

}  // namespace tlm::ir
