#include "tlm/codegen/lower/form_fma.h"

#include "tlm/codegen/lower/rewrite.h"

namespace tlm::codegen {

using namespace ir;

void form_fma(Kernel& k, const Target& target) {
  if (!target.fma || target.numerics == Numerics::kStrict) return;
  auto fuse = [](const Stmt& s) -> Stmt {
    if (s->kind != StmtKind::kAssign) return s;
    const Expr& sum = s->value;
    if (sum->op != Op::kAdd || (sum->dtype != DType::kF32 && sum->dtype != DType::kF64)) return s;
    for (size_t i : {size_t{0}, size_t{1}}) {
      const Expr& acc = sum->args[i];
      const Expr& product = sum->args[1 - i];
      if (acc->op != Op::kLocal || acc->id != s->var || product->op != Op::kMul) continue;
      return make_assign(s->var, make_op(Op::kFma, {product->args[0], product->args[1], acc}));
    }
    return s;
  };
  for (Phase& p : k.phases) p.body = map_stmts(p.body, fuse);
}

}  // namespace tlm::codegen
