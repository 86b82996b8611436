#include "tlm/codegen/lower/merge_parallel.h"

#include "tlm/codegen/lower/rewrite.h"
#include "tlm/core/error.h"

namespace tlm::codegen {

using namespace ir;

namespace {

struct Level {
  int var;
  Expr extent;
  int64_t trips;  // bound of the extent
};

void merge(Kernel& k, Phase& p, const std::vector<int64_t>& extents) {
  std::vector<Level> levels;
  Stmt body = p.body;
  while (body->kind == StmtKind::kFor && body->loop == LoopKind::kParallel) {
    levels.push_back({body->var, body->extent, extents[static_cast<size_t>(body->var)]});
    body = body->body[0];
  }
  p.extent = 1;
  for (const Level& l : levels) p.extent *= l.trips;
  if (levels.empty()) return;
  if (levels.size() == 1 && levels[0].extent->op == Op::kInt) return;

  const int index = new_var(k, "p");
  std::vector<Stmt> lets;
  Expr condition;
  int64_t inner = p.extent;
  std::vector<std::pair<int, Expr>> values;  // old variable → new local
  auto renamed = [&](Expr e) {
    for (const auto& [var, value] : values) e = substitute_var(e, var, value);
    return e;
  };
  for (size_t i = 0; i < levels.size(); ++i) {
    const Level& l = levels[i];
    inner /= l.trips;
    Expr value = floor_div(make_var(index), inner);
    if (i > 0) value = floor_mod(value, l.trips);
    const int local = new_local(k, k.vars[static_cast<size_t>(l.var)] + "_i", DType::kI64, 1);
    lets.push_back(make_let(local, value));
    if (l.extent->op != Op::kInt) {
      const Expr inside = make_op(Op::kLt, {read_local(k, local), renamed(l.extent)});
      condition = condition ? make_op(Op::kAnd, {condition, inside}) : inside;
    }
    values.emplace_back(l.var, read_local(k, local));
  }
  body = map_exprs(body, renamed);
  if (condition) body = make_if(condition, body);
  lets.push_back(body);
  p.body = make_for(index, make_int(p.extent), LoopKind::kParallel, flat_block(std::move(lets)));
}

}  // namespace

void merge_parallel(Kernel& k) {
  const std::vector<int64_t> extents = variable_extents(k);
  for (Phase& p : k.phases) merge(k, p, extents);
}

}  // namespace tlm::codegen
