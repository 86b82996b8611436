// Faults planted behind each lowering pass: the verifier or the comparison with the interpreter must find every one.
#include <gtest/gtest.h>

#include <map>

#include "tests/codegen_lower/plan_builder.h"
#include "tests/codegen_lower/random_programs.h"
#include "tests/codegen_lower/workloads.h"
#include "tests/support/run_kernel.h"
#include "tlm/codegen/lower/rewrite.h"
#include "tlm/core/error.h"

namespace tlm::test {
namespace {

using namespace ir;
using codegen::any_node;
using codegen::map_exprs;
using codegen::map_stmts;
using codegen::rewrite_expr;
using codegen::with_args;

Expr changed(const Expr& e, const std::function<void(ExprNode&)>& change) {
  ExprNode n = *e;
  change(n);
  return Expr(std::make_shared<const ExprNode>(std::move(n)));
}
Stmt changed(const Stmt& s, const std::function<void(StmtNode&)>& change) {
  StmtNode n = *s;
  change(n);
  return std::make_shared<const StmtNode>(std::move(n));
}

using ChangeStmt = std::function<Stmt(Kernel&, const Stmt&)>;  // null: leave
using ChangeExpr = std::function<Expr(Kernel&, const Expr&)>;  // empty: leave

struct Fault {
  const char* pass;
  const char* name;
  ChangeStmt stmt;
  ChangeExpr expr;
};

// Every place where the fault fits gets it.
void plant(Kernel& k, const Fault& f) {
  for (Phase& p : k.phases) {
    if (f.stmt)
      p.body = map_stmts(p.body, [&](const Stmt& s) {
        const Stmt r = f.stmt(k, s);
        return r ? r : s;
      });
    if (f.expr)
      p.body = map_exprs(p.body, [&](const Expr& e) { return rewrite_expr(e, [&](const Expr& n) { return f.expr(k, n); }); });
  }
}

bool is_register(const Kernel& k, int buffer) { return k.buffers[static_cast<size_t>(buffer)].scope == MemoryScope::kRegister; }

std::vector<Fault> faults() {
  std::vector<Fault> out;
  auto stmt = [&](const char* pass, const char* name, ChangeStmt f) { out.push_back({pass, name, std::move(f), nullptr}); };
  auto expr = [&](const char* pass, const char* name, ChangeExpr f) { out.push_back({pass, name, nullptr, std::move(f)}); };

  stmt("apply_schedule", "a reduction loop one short", [](Kernel&, const Stmt& s) -> Stmt {
    if (s->kind != StmtKind::kFor || s->loop != LoopKind::kSerial || s->extent->op != Op::kInt || s->extent->ival < 2)
      return nullptr;
    return changed(s, [](StmtNode& n) { n.extent = make_int(n.extent->ival - 1); });
  });
  stmt("apply_schedule", "no remaining tile", [](Kernel&, const Stmt& s) -> Stmt {
    if (s->kind != StmtKind::kIf || s->body.size() < 2) return nullptr;
    return changed(s, [](StmtNode& n) { n.body.pop_back(); });
  });
  stmt("apply_schedule", "tiles at the border without guards", [](Kernel&, const Stmt& s) -> Stmt {
    if (s->kind != StmtKind::kIf || !any_node(s->value, [](const Expr& n) { return n->op == Op::kLe; })) return nullptr;
    return changed(s, [](StmtNode& n) { n.value = make_int(1, DType::kBool); });
  });
  stmt("apply_schedule", "wrong identity", [](Kernel& k, const Stmt& s) -> Stmt {
    if (s->kind != StmtKind::kStore || !is_register(k, s->buffer) || s->value->op != Op::kFloat) return nullptr;
    return changed(s, [](StmtNode& n) { n.value = make_float(n.value->fval == 0 ? 1 : 0, n.value->dtype); });
  });
  expr("apply_schedule", "identity lanes not masked", [](Kernel& k, const Expr& e) -> Expr {
    const bool mask = e->op == Op::kSelect && e->args[0]->op == Op::kLt && e->args[0]->args[0]->op == Op::kVar &&
                      k.vars[static_cast<size_t>(e->args[0]->args[0]->id)].find("_l") != std::string::npos &&
                      e->args[0]->args[1]->op == Op::kInt;
    return mask ? e->args[1] : Expr();
  });
  expr("place_storage", "wrong stride", [](Kernel&, const Expr& e) -> Expr {
    if (e->op != Op::kMul || e->dtype != DType::kI64 || e->args[1]->op != Op::kInt || e->args[0]->op != Op::kVar) return {};
    return e->args[0] * (e->args[1]->ival + 1);
  });
  expr("place_storage", "one element beside", [](Kernel& k, const Expr& e) -> Expr {
    if (e->op != Op::kLoad || is_register(k, e->id)) return {};
    return with_args(e, {e->args[0] + 1});
  });
  expr("vectorize", "more lanes read than there are", [](Kernel&, const Expr& e) -> Expr {
    if (e->op != Op::kLoad || e->ival == 0) return {};
    return changed(e, [](ExprNode& n) { n.ival = 0; });
  });
  stmt("vectorize", "more lanes written than there are", [](Kernel&, const Stmt& s) -> Stmt {
    if (s->kind != StmtKind::kStore || s->active == 0) return nullptr;
    return changed(s, [](StmtNode& n) { n.active = 0; });
  });
  expr("vectorize", "lanes in reverse", [](Kernel&, const Expr& e) -> Expr {
    if (e->op != Op::kVector) return {};
    return changed(e, [](ExprNode& n) { std::reverse(n.args.begin(), n.args.end()); });
  });
  stmt("unroll", "an accumulator in place of another", [last = -1](Kernel& k, const Stmt& s) mutable -> Stmt {
    if (s->kind != StmtKind::kAssign) return nullptr;
    const int other = std::exchange(last, s->var);
    const auto a = static_cast<size_t>(s->var), b = static_cast<size_t>(std::max(other, 0));
    if (other < 0 || other == s->var || k.local_types[a] != k.local_types[b] || k.local_lanes[a] != k.local_lanes[b])
      return nullptr;
    return changed(s, [other](StmtNode& n) { n.var = other; });
  });
  expr("transpose_loads", "two lanes mixed up", [](Kernel&, const Expr& e) -> Expr {
    if (e->op != Op::kVector || e->args[0]->op != Op::kLane || equal(e->args[0], e->args[1])) return {};
    return changed(e, [](ExprNode& n) { std::swap(n.args[0], n.args[1]); });
  });
  stmt("load_once", "a stale value", [known = std::map<std::pair<int, int>, int>()](Kernel& k, const Stmt& s) mutable -> Stmt {
    if (s->kind != StmtKind::kLet || s->value->op != Op::kLoad) return nullptr;
    const auto [it, fresh] = known.try_emplace({static_cast<int>(s->value->dtype), s->value->lanes}, s->var);
    const int other = std::exchange(it->second, s->var);
    if (fresh) return nullptr;
    return changed(s, [&](StmtNode& n) { n.value = read_local(k, other); });
  });
  expr("form_fma", "factors and sum mixed up", [](Kernel&, const Expr& e) -> Expr {
    if (e->op != Op::kFma) return {};
    return with_args(e, {e->args[0], e->args[2], e->args[1]});
  });
  expr("merge_parallel", "wrong modulus", [](Kernel& k, const Expr& e) -> Expr {
    const bool index =
        e->op == Op::kFloorMod && e->dtype == DType::kI64 && e->args[1]->op == Op::kInt &&
        any_node(e, [&](const Expr& n) { return n->op == Op::kVar && k.vars[static_cast<size_t>(n->id)].rfind("p", 0) == 0; });
    return index ? floor_mod(e->args[0], e->args[1]->ival + 1) : Expr();
  });
  stmt("hoist_offsets", "an offset one off", [](Kernel& k, const Stmt& s) -> Stmt {
    if (s->kind != StmtKind::kLet || s->value->dtype != DType::kI64 || k.locals[static_cast<size_t>(s->var)].rfind("o", 0) != 0)
      return nullptr;
    return changed(s, [](StmtNode& n) { n.value = n.value + 1; });
  });
  return out;
}

struct Program {
  Subgraph g;
  space::SchedulePlan plan;
  std::vector<Tensor> bound;
  bool exact;
};

std::vector<Program> programs(const Target& target) {
  std::vector<Program> out;
  Rng rng(11);
  auto add = [&](const Subgraph& g, const PlanBuilder& p) { out.push_back({g, p.build(), random_bound(g, rng, true), true}); };
  const Subgraph mm = matmul(13, 37, 19), conv = convolution(9, 5, 20, 3, 1, 1);
  add(mm, PlanBuilder(mm).vector(0, 1, 8, 2).tile(0, 0, 6).parallel(0, 2));
  add(mm, PlanBuilder(mm).vector(0, 2, 8, 1).tile(0, 0, 2).tile(0, 1, 3).parallel(0, 2));
  add(conv, PlanBuilder(conv).inlined(0).epilogue(1, 2).vector(1, 0, 8, 2).tile(1, 2, 4).parallel(1, 3));
  const Subgraph rows = parse_subgraph(
      "subgraph \"rows\" {\n  input X: f32[3,37]\n  output Y: f32[3]\n  stage \"rows\" {\n    spatial r:3\n    reduce c:37\n"
      "    body X[r, c] + 1.0\n    combine sum\n    store Y[r] = acc0\n  }\n}\n");
  add(rows, PlanBuilder(rows).vector(0, 1, 8, 2));
  const Subgraph turned = transposition(9, 20);
  add(turned, PlanBuilder(turned).vector(0, 1, 8, 1).tile(0, 0, 8));
  GeneratorOptions options;
  options.mode = GeneratorOptions::Mode::kExact;
  for (RandomProgram& p : random_programs(300, 9, target, options))
    out.push_back({*p.scheduled, p.plan, p.bound(), p.program.exact});
  return out;
}

TEST(PlantedFaults, AreAllFound) {
  const Target target = named_target("x86-64-v3");
  if (const auto missing = missing_features(target.features); !missing.empty())
    GTEST_SKIP() << "this machine lacks " << missing[0];
  const std::vector<Program> all = programs(target);
  const std::vector<Fault> planted = faults();
  std::vector<std::string> sound;
  for (const Program& p : all) sound.push_back(print(codegen::lower(p.g, p.plan, target)));

  std::vector<Kernel> kernels;
  std::vector<std::pair<size_t, size_t>> which;  // fault, program
  std::vector<int> tried(planted.size(), 0), found(planted.size(), 0);
  for (size_t f = 0; f < planted.size(); ++f)
    for (size_t p = 0; p < all.size(); ++p) {
      const Fault fault = planted[f];
      codegen::LowerOptions options;
      options.after = [&](const std::string& pass, Kernel& k) {
        if (pass == fault.pass) plant(k, fault);
      };
      try {
        Kernel k = codegen::lower(all[p].g, all[p].plan, target, options);
        if (print(k) == sound[p]) continue;  // it does not fit here
        ++tried[f];
        kernels.push_back(std::move(k));
        which.emplace_back(f, p);
      } catch (const InternalError&) {  // a check or the verifier saw it
        ++tried[f], ++found[f];
      }
    }
  const CompiledKernels compiled(std::move(kernels), target);
  for (size_t i = 0; i < which.size(); ++i) {
    const auto [f, p] = which[i];
    std::vector<Tensor> bound = all[p].bound;
    std::string wrong = compiled.run(i, all[p].g, bound, Rng(i));
    if (wrong.empty()) wrong = compare_with_interpreter(all[p].g, bound, all[p].exact);
    found[f] += !wrong.empty();
  }
  for (size_t f = 0; f < planted.size(); ++f) {
    std::printf("%-15s %-36s found in %d of %d programs\n", planted[f].pass, planted[f].name, found[f], tried[f]);
    EXPECT_GT(tried[f], 0) << planted[f].name << ": planted nowhere";
    EXPECT_GT(found[f], 0) << planted[f].name << " behind " << planted[f].pass;
  }
}

}  // namespace
}  // namespace tlm::test
