#include "tlm/codegen/lower/transpose_loads.h"

#include <array>
#include <map>
#include <optional>
#include <unordered_set>

#include "tlm/codegen/lower/linear.h"
#include "tlm/codegen/lower/rewrite.h"

namespace tlm::codegen {

using namespace ir;

namespace {

constexpr int kBlock = 4;  // rows and columns that are transposed at a time

// A vector whose lane i is the element at `base` + i·`stride` + `column` of a buffer.
struct Gather {
  int buffer = -1;
  int64_t stride = 0, column = 0;
  Expr base;  // variables only
};

bool gathered_before(const Gather& a, const Gather& b, int lanes_a, int lanes_b) {
  if (a.buffer != b.buffer) return a.buffer < b.buffer;
  if (a.stride != b.stride) return a.stride < b.stride;
  if (lanes_a != lanes_b) return lanes_a < lanes_b;
  return compare(a.base, b.base) < 0;
}

std::optional<Gather> as_gather(const Expr& e) {
  if (e->op != Op::kVector || e->lanes < kBlock || (e->lanes & (e->lanes - 1)) != 0 || e->dtype == DType::kBool) return {};
  for (const Expr& a : e->args)
    if (a->op != Op::kLoad || a->id != e->args[0]->id || a->args[0]->dtype != DType::kI64) return {};
  const Expr& first = e->args[0]->args[0];
  if (any_node(first, [](const Expr& n) { return n->op == Op::kLoad || n->op == Op::kLocal; })) return {};
  const Linear base = linearize(first);
  Gather g{e->args[0]->id, 0, base.constant, terms_expr(base)};
  for (int i = 1; i < e->lanes; ++i) {
    const Linear step = linearize(e->args[static_cast<size_t>(i)]->args[0]) + base * -1;
    if (!step.terms.empty()) return {};
    if (i == 1) g.stride = step.constant;
    if (step.constant != i * g.stride) return {};
  }
  if (g.stride == 0 || g.stride == 1) return {};
  return g;
}

class Transposer {
 public:
  explicit Transposer(Kernel& k) : k_(k) {}

  Stmt block(const Stmt& s) {
    return map_runs(s, [this](const std::vector<Stmt>& run, std::vector<Stmt>& out) { straight(run, out); });
  }

 private:
  struct Key {
    Gather at;
    int lanes;
    bool operator<(const Key& o) const { return gathered_before(at, o.at, lanes, o.lanes); }
  };
  struct Column {
    Expr vector;
    size_t first = 0;  // statement of the run that uses it first
  };

  struct Known {
    Expr column;
    size_t first = 0;  // statement of the run before which it is computed
  };

  // Vectors that are computed whatever the values are: an arm of a select is not.
  template <typename F>
  static void for_each_gather(const Stmt& s, F f) {
    std::unordered_set<const ExprNode*> seen;
    const auto walk = [&](auto&& self, const Expr& e) -> void {
      if (!seen.insert(e.get()).second) return;
      if (const std::optional<Gather> g = as_gather(e)) return f(e, *g);
      for (size_t a = 0; a < e->args.size(); ++a)
        if (e->op != Op::kSelect || a == 0) self(self, e->args[a]);
    };
    for (const Expr& i : s->indices) walk(walk, i);
    if (s->value) walk(walk, s->value);
  }

  void straight(const std::vector<Stmt>& run, std::vector<Stmt>& out) {
    std::map<Key, std::map<int64_t, Column>> found;
    for (size_t i = 0; i < run.size(); ++i) {
      for_each_gather(run[i], [&](const Expr& e, const Gather& g) { found[{g, e->lanes}].try_emplace(g.column, Column{e, i}); });
      // What is stored in between may not be read earlier.
      if (run[i]->kind != StmtKind::kStore) continue;
      std::erase_if(found, [&](const auto& entry) { return entry.first.at.buffer == run[i]->buffer; });
    }
    std::map<size_t, std::vector<Stmt>> before;  // by statement of the run
    std::map<Expr, Known, ExprLess> known;
    for (const auto& [key, columns] : found) transpose(key, columns, before, known);
    for (size_t i = 0; i < run.size(); ++i) {
      if (const auto it = before.find(i); it != before.end()) out.insert(out.end(), it->second.begin(), it->second.end());
      out.push_back(known.empty() ? run[i] : map_exprs(run[i], [&](const Expr& e) { return replaced(e, i, known); }));
    }
  }

  // In statement `i`: what is computed already is as good in the arm of a select.
  static Expr replaced(const Expr& e, size_t i, const std::map<Expr, Known, ExprLess>& known) {
    return rewrite_expr(e, [&](const Expr& n) -> Expr {
      if (n->op != Op::kVector) return {};
      const auto it = known.find(n);
      return it == known.end() || i < it->second.first ? Expr() : it->second.column;
    });
  }

  void transpose(const Key& key, const std::map<int64_t, Column>& columns, std::map<size_t, std::vector<Stmt>>& before,
                 std::map<Expr, Known, ExprLess>& known) {
    for (auto c = columns.begin(); c != columns.end();) {
      std::vector<const Column*> four;
      size_t first = c->second.first;
      for (auto next = c; next != columns.end() && four.size() < kBlock; ++next) {
        if (next->first != c->first + static_cast<int64_t>(four.size())) break;
        four.push_back(&next->second);
        first = std::min(first, next->second.first);
      }
      if (four.size() < kBlock) {
        ++c;
        continue;
      }
      const std::vector<Expr> turned = columns_of(key, c->first, before[first]);
      for (size_t i = 0; i < kBlock; ++i) known.emplace(four[i]->vector, Known{turned[i], first});
      std::advance(c, kBlock);
    }
  }

  Expr let(const char* name, const Expr& value, std::vector<Stmt>& out) {
    const int l = new_local(k_, name, value->dtype, value->lanes);
    out.push_back(make_let(l, value));
    return read_local(k_, l);
  }

  // Four columns of `lanes` rows. Rows b, 4 + b, 8 + b … lie side by side in one vector: each group of four lanes is transposed
  // in its place.
  std::vector<Expr> columns_of(const Key& key, int64_t column, std::vector<Stmt>& out) {
    const int groups = key.lanes / kBlock;
    const DType t = k_.buffers[static_cast<size_t>(key.at.buffer)].dtype;
    std::vector<Expr> rows;
    for (int b = 0; b < kBlock; ++b) {
      std::vector<Expr> parts;
      for (int g = 0; g < groups; ++g) {
        const int64_t offset = (g * kBlock + b) * key.at.stride + column;
        const Expr load = make_vector_load(key.at.buffer, t, {make_ramp(key.at.base + offset, 1, kBlock)}, kBlock, kBlock);
        parts.push_back(let("row", load, out));
      }
      while (parts.size() > 1) {  // two by two: each step is one instruction
        std::vector<Expr> joined;
        for (size_t p = 0; p + 1 < parts.size(); p += 2) {
          std::vector<Expr> lanes;
          for (const Expr& half : {parts[p], parts[p + 1]})
            for (int i = 0; i < half->lanes; ++i) lanes.push_back(make_lane(half, i));
          joined.push_back(let("rows", make_vector(std::move(lanes)), out));
        }
        parts = std::move(joined);
      }
      rows.push_back(parts[0]);
    }
    // Lanes of a and b in each group: `a0` `b0` `a1` `b1` of them.
    const auto mixed = [&](const char* name, const Expr& a, const Expr& b, std::array<std::pair<int, int>, kBlock> order) {
      std::vector<Expr> lanes;
      for (int g = 0; g < groups; ++g)
        for (const auto& [from, lane] : order) lanes.push_back(make_lane(from ? b : a, g * kBlock + lane));
      return let(name, make_vector(std::move(lanes)), out);
    };
    using Order = std::array<std::pair<int, int>, kBlock>;
    constexpr Order kLow = {{{0, 0}, {1, 0}, {0, 1}, {1, 1}}}, kHigh = {{{0, 2}, {1, 2}, {0, 3}, {1, 3}}};
    constexpr Order kFirst = {{{0, 0}, {0, 1}, {1, 0}, {1, 1}}}, kSecond = {{{0, 2}, {0, 3}, {1, 2}, {1, 3}}};
    const Expr low01 = mixed("low", rows[0], rows[1], kLow), low23 = mixed("low", rows[2], rows[3], kLow);
    const Expr high01 = mixed("high", rows[0], rows[1], kHigh), high23 = mixed("high", rows[2], rows[3], kHigh);
    return {mixed("column", low01, low23, kFirst), mixed("column", low01, low23, kSecond),
            mixed("column", high01, high23, kFirst), mixed("column", high01, high23, kSecond)};
  }

  Kernel& k_;
};

}  // namespace

void transpose_loads(Kernel& k) {
  for (Phase& p : k.phases) {
    bool gathers = false;
    visit_exprs(p.body,
                [&](const Expr& e) { gathers = gathers || any_node(e, [](const Expr& n) { return n->op == Op::kVector; }); });
    if (gathers) p.body = Transposer(k).block(p.body);
  }
}

}  // namespace tlm::codegen
