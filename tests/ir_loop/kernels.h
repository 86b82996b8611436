// Small kernels that the tests of loop IR start from.
#pragma once

#include "tlm/ir/loop/stmt.h"

namespace tlm::test {

// A sum over rows, four lanes at once, eight outputs: parallel loop, vector accumulator, partial store.
//   out[i·4 … ] = Σ_r in[r·30 + i·4 …]
inline ir::Kernel row_sum_kernel() {
  using namespace ir;
  Kernel k;
  k.name = "row_sum";
  for (const char* name : {"in", "out"}) {
    Buffer b;
    b.name = name;
    b.elements = 240;
    b.param = static_cast<int>(k.buffers.size());
    KernelParam p;
    p.tensor = b.param;
    p.output = b.param == 1;
    p.elements = b.elements;
    k.buffers.push_back(b);
    k.params.push_back(p);
  }
  const int i = new_var(k, "i"), r = new_var(k, "r"), acc = new_local(k, "acc", DType::kF32, 4),
            half = new_local(k, "half", DType::kI64, 1);
  const Expr zero = make_ramp(make_float(0), 0, 4);
  const Expr at = make_ramp(make_var(r) * 30 + read_local(k, half), 1, 4);
  const Stmt step = make_assign(acc, make_op(Op::kAdd, {read_local(k, acc), make_load(0, DType::kF32, {at})}));
  const Stmt store = make_if(make_op(Op::kLt, {make_var(i), make_int(7)}),
                             make_store(1, {make_ramp(read_local(k, half), 1, 4)}, read_local(k, acc)),
                             make_store(1, {make_ramp(read_local(k, half), 1, 4)}, read_local(k, acc), 2));
  const Stmt body = make_block(
      {make_let(half, make_var(i) * 4), make_local(acc, zero), make_for(r, make_int(8), LoopKind::kSerial, step), store});
  Phase p;
  p.body = make_for(i, make_int(8), LoopKind::kParallel, body);
  p.extent = 8;
  p.grain = 2;
  k.phases = {p};
  return k;
}

// Two threads' worth of shared memory and a barrier.
inline ir::Kernel barrier_kernel() {
  using namespace ir;
  Kernel k;
  k.name = "swap";
  Buffer out;
  out.name = "out";
  out.elements = 64;
  out.param = 0;
  Buffer tile;
  tile.name = "tile";
  tile.scope = MemoryScope::kShared;
  tile.elements = 32;
  k.buffers = {out, tile};
  KernelParam p;
  p.tensor = 0;
  p.output = true;
  p.elements = 64;
  k.params = {p};
  const int b = new_var(k, "block"), t = new_var(k, "thread");
  const Expr other = make_int(31) - make_var(t);
  const Stmt inner = make_block({make_store(1, {make_var(t)}, make_cast(make_var(b), DType::kF32)), make_barrier(),
                                 make_store(0, {make_var(b) * 32 + make_var(t)}, make_load(1, DType::kF32, {other}))});
  Phase phase;
  phase.body = make_for(b, make_int(2), LoopKind::kBlock, make_alloc(1, make_for(t, make_int(32), LoopKind::kThread, inner)));
  phase.extent = 2;
  phase.threads = 32;
  k.phases = {phase};
  return k;
}

}  // namespace tlm::test
