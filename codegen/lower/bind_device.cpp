#include "tlm/codegen/lower/bind_device.h"

#include <algorithm>

#include "tlm/codegen/lower/rewrite.h"

namespace tlm::codegen {

using namespace ir;

namespace {

// Enough blocks for every multiprocessor first, then larger blocks (a multiple of a warp).
int64_t threads_for(int64_t iterations, const Target& target) {
  const int64_t processors = std::max(target.multiprocessors, 1);
  int64_t threads = 256;
  while (threads > 32 && iterations < threads * processors * 2) threads /= 2;
  return std::min(threads, std::max<int64_t>(iterations, 1));
}

}  // namespace

void bind_device(Kernel& k, const Target& target) {
  for (Phase& p : k.phases) {
    const int block = new_var(k, "block"), thread = new_var(k, "thread");
    int64_t iterations = 1, threads = 1;
    Stmt body = p.body;
    if (body->kind == StmtKind::kFor && body->loop == LoopKind::kParallel) {
      iterations = p.extent;
      threads = threads_for(iterations, target);
      const int index = new_local(k, k.vars[static_cast<size_t>(body->var)] + "_g", DType::kI64, 1);
      const Expr i = read_local(k, index);
      const int var = body->var;
      Stmt inner = map_exprs(body->body[0], [&](const Expr& e) { return uses_var(e, var) ? substitute_var(e, var, i) : e; });
      std::vector<Stmt> lets = {make_let(index, make_var(block) * threads + make_var(thread))};
      if (iterations % threads != 0) {  // indices first: they are good for threads without work too
        std::vector<Stmt> rest;
        for (const Stmt& s : statements(inner)) (rest.empty() && s->kind == StmtKind::kLet ? lets : rest).push_back(s);
        inner = make_if(make_op(Op::kLt, {i, make_int(iterations)}), flat_block(std::move(rest)));
      }
      lets.push_back(inner);
      body = flat_block(std::move(lets));
    }
    p.extent = (iterations + threads - 1) / threads;
    p.threads = static_cast<int>(threads);
    p.grain = 1;
    p.body = make_for(block, make_int(p.extent), LoopKind::kBlock, make_for(thread, make_int(threads), LoopKind::kThread, body));
  }
}

}  // namespace tlm::codegen
