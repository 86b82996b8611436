#include "tlm/ir/loop/stmt.h"

#include <algorithm>
#include <cctype>

#include "tlm/core/error.h"

namespace tlm::ir {
namespace {

Stmt make_node(StmtNode node) { return std::make_shared<const StmtNode>(std::move(node)); }

Stmt make_set(StmtKind kind, int local, Expr value) {
  StmtNode n;
  n.kind = kind;
  n.var = local;
  n.value = std::move(value);
  return make_node(std::move(n));
}

// `hint` as a C identifier; if a variable or local has that name, the number of names so far is appended (and counted up).
std::string unique_name(const Kernel& k, const std::string& hint) {
  std::string base;
  for (char c : hint) base += std::isalnum(static_cast<unsigned char>(c)) ? c : '_';
  if (base.empty() || std::isdigit(static_cast<unsigned char>(base[0]))) base = "v" + base;
  auto taken = [&](const std::string& name) {
    return std::find(k.vars.begin(), k.vars.end(), name) != k.vars.end() ||
           std::find(k.locals.begin(), k.locals.end(), name) != k.locals.end();
  };
  if (!taken(base)) return base;
  if (std::isdigit(static_cast<unsigned char>(base.back()))) base += '_';
  for (size_t n = k.vars.size() + k.locals.size();; ++n)
    if (std::string name = base + std::to_string(n); !taken(name)) return name;
}

}  // namespace

Stmt make_block(std::vector<Stmt> body) {
  StmtNode n;
  n.kind = StmtKind::kBlock;
  n.body = std::move(body);
  return make_node(std::move(n));
}

Stmt make_for(int var, Expr extent, LoopKind kind, Stmt body) {
  StmtNode n;
  n.kind = StmtKind::kFor;
  n.loop = kind;
  n.var = var;
  n.extent = std::move(extent);
  n.body = {std::move(body)};
  return make_node(std::move(n));
}

Stmt make_if(Expr cond, Stmt then, Stmt otherwise) {
  StmtNode n;
  n.kind = StmtKind::kIf;
  n.value = std::move(cond);
  n.body = {std::move(then)};
  if (otherwise) n.body.push_back(std::move(otherwise));
  return make_node(std::move(n));
}

Stmt make_store(int buffer, std::vector<Expr> indices, Expr value, int active) {
  StmtNode n;
  n.kind = StmtKind::kStore;
  n.buffer = buffer;
  n.active = active;
  n.indices = std::move(indices);
  n.value = std::move(value);
  return make_node(std::move(n));
}

Stmt make_let(int local, Expr value) { return make_set(StmtKind::kLet, local, std::move(value)); }
Stmt make_local(int local, Expr value) { return make_set(StmtKind::kLocal, local, std::move(value)); }
Stmt make_assign(int local, Expr value) { return make_set(StmtKind::kAssign, local, std::move(value)); }

Stmt make_alloc(int buffer, Stmt body) {
  StmtNode n;
  n.kind = StmtKind::kAlloc;
  n.buffer = buffer;
  n.body = {std::move(body)};
  return make_node(std::move(n));
}

Stmt make_barrier() {
  StmtNode n;
  n.kind = StmtKind::kBarrier;
  return make_node(std::move(n));
}

Stmt make_prefetch(int buffer, std::vector<Expr> indices, Expr further) {
  StmtNode n;
  n.kind = StmtKind::kPrefetch;
  n.buffer = buffer;
  n.indices = std::move(indices);
  n.value = std::move(further);
  return make_node(std::move(n));
}

Stmt make_comment(std::string text) {
  StmtNode n;
  n.kind = StmtKind::kComment;
  n.text = std::move(text);
  return make_node(std::move(n));
}

Expr read_local(const Kernel& k, int local) {
  TLM_CHECK(local >= 0 && local < static_cast<int>(k.locals.size())) << "local " << local;
  ExprNode n;
  n.op = Op::kLocal;
  n.id = local;
  n.dtype = k.local_types[local];
  n.lanes = k.local_lanes[local];
  return Expr(std::make_shared<const ExprNode>(std::move(n)));
}

int new_var(Kernel& k, const std::string& hint) {
  k.vars.push_back(unique_name(k, hint));
  return static_cast<int>(k.vars.size()) - 1;
}

int new_local(Kernel& k, const std::string& hint, DType t, int lanes) {
  k.locals.push_back(unique_name(k, hint));
  k.local_types.push_back(t);
  k.local_lanes.push_back(lanes);
  return static_cast<int>(k.locals.size()) - 1;
}

}  // namespace tlm::ir
