// Rebuilding loop IR: the common ground of the lowering passes.
#pragma once

#include <functional>
#include <vector>

#include "tlm/ir/loop/stmt.h"

namespace tlm::codegen {

// Vector nodes.
ir::Expr make_broadcast(const ir::Expr& e, int lanes);  // e itself if it has `lanes` lanes
ir::Expr make_vector(std::vector<ir::Expr> scalars);    // kVector
ir::Expr make_lane(const ir::Expr& vector, int lane);   // kLane; folds over ramps and kVector
ir::Expr make_vector_load(int buffer, DType t, std::vector<ir::Expr> indices, int lanes, int active);

// `e` with other arguments: through the builders, so that literals fold; loads keep their lanes.
ir::Expr with_args(const ir::Expr& e, std::vector<ir::Expr> args);
// Bottom-up; `replace` sees the rebuilt node and returns a replacement, or an empty Expr to keep it.
ir::Expr rewrite_expr(const ir::Expr& e, const std::function<ir::Expr(const ir::Expr&)>& replace);
ir::Expr substitute_var(const ir::Expr& e, int var, const ir::Expr& value);
bool uses_var(const ir::Expr& e, int var);
bool any_node(const ir::Expr& e, const std::function<bool(const ir::Expr&)>& test);

// The same statement with every expression mapped (loop extents, indices, values).
ir::Stmt map_exprs(const ir::Stmt& s, const std::function<ir::Expr(const ir::Expr&)>& f);
// Bottom-up over statements: `f` sees a statement whose children are already mapped. A null result drops the statement.
ir::Stmt map_stmts(const ir::Stmt& s, const std::function<ir::Stmt(const ir::Stmt&)>& f);
// Straight-line code: `f` gets each longest run of statements without bodies (the first and the last may be empty), in the order
// of the program, and appends what takes its place.
ir::Stmt map_runs(const ir::Stmt& s, const std::function<void(const std::vector<ir::Stmt>& run, std::vector<ir::Stmt>& out)>& f);
void visit_stmts(const ir::Stmt& s, const std::function<void(const ir::Stmt&)>& f);  // pre-order
void visit_exprs(const ir::Stmt& s, const std::function<void(const ir::Expr&)>& f);  // the top expressions of all statements

// A block without blocks directly inside; a single statement stands for itself.
ir::Stmt flat_block(std::vector<ir::Stmt> body);
// The statements of a block, or the statement itself.
std::vector<ir::Stmt> statements(const ir::Stmt& s);

// Number of values of each variable (an upper bound where the extent is not a literal), by variable.
std::vector<int64_t> variable_extents(const ir::Kernel& k);

// While it lives, `extents` hold inside the first arm of an If: c + Σ k·variable < n (k > 0) bounds each variable.
class NarrowedRanges {
 public:
  NarrowedRanges(std::vector<int64_t>& extents, const ir::Expr& condition);
  ~NarrowedRanges() { extents_ = std::move(before_); }
  NarrowedRanges(const NarrowedRanges&) = delete;

 private:
  std::vector<int64_t>& extents_;
  std::vector<int64_t> before_;
};

struct ExprLess {
  bool operator()(const ir::Expr& a, const ir::Expr& b) const { return ir::compare(a, b) < 0; }
};

}  // namespace tlm::codegen
