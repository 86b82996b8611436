// While one panel of the weights is read, every line of the next one is asked for.
#include "tlm/codegen/lower/prefetch.h"

#include <gtest/gtest.h>

#include <set>

#include "tlm/codegen/lower/lower.h"
#include "tlm/codegen/lower/rewrite.h"
#include "tlm/space/space.h"

namespace tlm::test {
namespace {

using namespace ir;

// Y[i, o] = Σ X[i, c]·W[o, c], W constant.
std::shared_ptr<const space::Space> product(int64_t rows, int64_t columns, int64_t depth) {
  const auto n = [](int64_t v) { return std::to_string(v); };
  return space::Space::build(
      parse_subgraph("subgraph \"p\" {\n  input X: f32[" + n(rows) + "," + n(depth) + "]\n  constant W: f32[" + n(columns) + "," +
                     n(depth) + "]\n  output Y: f32[" + n(rows) + "," + n(columns) +
                     "]\n  stage \"p\" {\n    spatial i:" + n(rows) + ", o:" + n(columns) + "\n    reduce c:" + n(depth) +
                     "\n    body X[i, c]*W[o, c]\n    combine sum\n    store Y[i, o] = acc0\n  }\n}\n"),
      named_target("x86-64-v3"));
}

// Elements of the weights at which lines are asked for, by number of the panel's loop; `panels`: its trips.
std::vector<std::set<int64_t>> asked(const space::Space& space, const std::string& schedule, const std::string& panel_loop) {
  const auto walk = space.replay(space::parse_schedule(schedule));
  EXPECT_TRUE(walk.ok()) << walk.reason();
  std::vector<std::set<int64_t>> out;
  codegen::LowerOptions options;
  options.after = [&](const std::string& pass, Kernel& k) {
    if (pass != "place_storage") return;
    const auto run = [&](auto&& self, const Stmt& s, const std::vector<Expr>& values, int64_t panel) -> void {
      const auto value = [&](const Expr& e) {
        return simplify(
            rewrite(e, [&](const Expr& n) { return n->op == Op::kVar ? values[static_cast<size_t>(n->id)] : Expr(); }), {});
      };
      if (s->kind == StmtKind::kPrefetch) {
        const Expr at = value(s->indices[0]);
        ASSERT_EQ(at->op, Op::kInt);
        out.resize(std::max(out.size(), static_cast<size_t>(panel) + 1));
        out[static_cast<size_t>(panel)].insert(at->ival);
      }
      if (s->kind == StmtKind::kFor && s->loop != LoopKind::kUnrolled && s->loop != LoopKind::kVector) {
        for (int64_t i = 0; i < value(s->extent)->ival; ++i) {
          std::vector<Expr> inner = values;
          inner[static_cast<size_t>(s->var)] = make_int(i);
          self(self, s->body[0], inner, k.vars[static_cast<size_t>(s->var)] == panel_loop ? i : panel);
        }
        return;
      }
      if (s->kind == StmtKind::kIf) {
        const bool first = value(s->value)->ival != 0;
        if (first || s->body.size() > 1) self(self, s->body[first ? 0 : 1], values, panel);
        return;
      }
      for (const Stmt& b : s->body) self(self, b, values, panel);
    };
    for (const Phase& p : k.phases) run(run, p.body, std::vector<Expr>(k.vars.size(), make_int(0)), 0);
  };
  codegen::lower(walk->subgraph(), walk->plan(), space.target(), options);
  return out;
}

TEST(Prefetch, CoversTheNextPanel) {
  constexpr int64_t kLine = 16, kDepth = 128;
  for (const auto& [rows, unroll] : {std::pair<int64_t, const char*>{12, "none"}, {28, "none"}, {28, "c:4"}, {6, "none"}}) {
    const auto space = product(rows, 160, kDepth);
    const std::string schedule =
        std::string("micro.s0=o:2x8 i:6; unroll.s0=") + unroll + "; inner.s0=o,i; pack.s0.t1=panels; prefetch.s0=panels";
    const auto panels = asked(*space, schedule, "o_t");
    ASSERT_EQ(panels.size(), 10u);
    for (size_t p = 0; p < panels.size(); ++p) {
      const int64_t begin = static_cast<int64_t>(p + 1) * 16 * kDepth, end = begin + 16 * kDepth;
      std::set<int64_t> lines;
      for (int64_t at : panels[p]) {
        EXPECT_GE(at, begin);
        EXPECT_LT(at, end + 16 * 16) << "far beyond what is needed";
        lines.insert(at / kLine);
      }
      for (int64_t line = begin / kLine; line < end / kLine; ++line)
        EXPECT_EQ(lines.count(line), 1u) << rows << " " << unroll << " " << line;
    }
  }
}

TEST(Prefetch, IsOfferedForLargeConstantsInPanels) {
  const auto offered = [](const std::shared_ptr<const space::Space>& space, const std::string& pack) {
    const auto walk = space->replay(space::parse_schedule("micro.s0=o:2x8 i:6; pack.s0.t1=" + pack));
    EXPECT_TRUE(walk.ok()) << walk.reason();
    return walk->schedule().find("prefetch.s0") != nullptr;
  };
  EXPECT_TRUE(offered(product(12, 160, 128), "panels"));
  EXPECT_FALSE(offered(product(12, 160, 128), "rows"));
  EXPECT_FALSE(offered(product(12, 64, 64), "panels")) << "16 KB";
}

}  // namespace
}  // namespace tlm::test
