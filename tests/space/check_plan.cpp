#include "check_plan.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>

namespace tlm::space::test {
namespace {

std::vector<int> sorted(std::vector<int> v) {
  std::sort(v.begin(), v.end());
  return v;
}

// Every stage is in the nest of one root, and what a nest reads was written by a nest before it, or by itself for its epilogue.
void check_structure(const ir::Subgraph& g, const SchedulePlan& plan) {
  ASSERT_EQ(plan.attach.size(), g.stages.size());
  std::vector<int> nest_of(g.stages.size(), -1);
  for (size_t n = 0; n < plan.nests.size(); ++n) {
    const NestPlan& nest = plan.nests[n];
    EXPECT_EQ(plan.attach.at(nest.stage), Attach::kRoot);
    EXPECT_EQ(nest_of[nest.stage], -1);
    nest_of[nest.stage] = static_cast<int>(n);
    EXPECT_TRUE(std::is_sorted(nest.epilogue.begin(), nest.epilogue.end()));
    for (int e : nest.epilogue) {
      EXPECT_EQ(plan.attach.at(e), Attach::kEpilogue);
      EXPECT_EQ(nest_of[e], -1);
      nest_of[e] = static_cast<int>(n);
      const ir::Stage& root = g.stages[nest.stage];
      EXPECT_TRUE(root.has_reduction() && !root.has_scan());
      ASSERT_EQ(static_cast<int>(g.stages[e].axes.size()), root.spatial_count());
      for (size_t a = 0; a < g.stages[e].axes.size(); ++a) EXPECT_EQ(g.stages[e].axes[a].extent, root.axes[a].extent);
    }
  }
  for (size_t s = 0; s < g.stages.size(); ++s) {
    EXPECT_EQ(nest_of[s] < 0, plan.attach[s] == Attach::kInline) << "stage " << s;
    if (plan.attach[s] != Attach::kInline) continue;
    EXPECT_EQ(g.stages[s].combiner.kind, ir::CombinerKind::kNone);
    for (const ir::StageOutput& o : g.stages[s].outputs) {
      EXPECT_EQ(g.tensors[o.tensor].role, ir::TensorRole::kInternal);
      EXPECT_EQ(g.writers(o.tensor).size(), 1u);
    }
  }
  for (size_t s = 0; s < g.stages.size(); ++s) {
    if (nest_of[s] < 0) continue;
    for (int t : ir::loaded_tensors(inlined_stage(g, plan.attach, static_cast<int>(s)))) {
      for (int w : g.writers(t)) {
        ASSERT_GE(nest_of[w], 0) << "stage " << s << " reads an inlined tensor";
        if (plan.attach[s] == Attach::kEpilogue) {
          EXPECT_LE(nest_of[w], nest_of[s]);
        } else {
          EXPECT_LT(nest_of[w], nest_of[s]);
        }
      }
    }
  }
}

void check_nest(const ir::Subgraph& g, const Target& t, const NestPlan& n) {
  const ir::Stage& s = g.stages[n.stage];
  ASSERT_EQ(n.axes.size(), s.axes.size());
  std::vector<int> spatial, reduce, cached, unrolled;
  int64_t points = static_cast<int64_t>(s.body.size());
  int64_t loops = 0;
  for (int a = 0; a < static_cast<int>(s.axes.size()); ++a) {
    const AxisPlan& p = n.axes[a];
    const int64_t extent = s.axes[a].extent;
    const bool vector = a == n.vector_axis;
    EXPECT_GE(p.tile, 1);
    if (p.tile > 1) unrolled.push_back(a);
    if (s.axes[a].kind == ir::AxisKind::kScan) {
      EXPECT_TRUE(p.tile == 1 && p.cache == 0 && !vector);
    }
    if (s.axes[a].kind == ir::AxisKind::kReduce) {
      reduce.push_back(a);
      EXPECT_EQ(p.cache, 0);
      EXPECT_TRUE(vector || extent % p.tile == 0);
    }
    if (s.axes[a].kind == ir::AxisKind::kSpatial) {
      spatial.push_back(a);
      EXPECT_TRUE(vector ? p.tile - n.lanes < extent : p.tile <= extent);  // no vector lies entirely beyond the end
      points *= vector ? p.tile / n.lanes : p.tile;
      if (p.cache > 0) {
        cached.push_back(a);
        EXPECT_EQ(p.cache % p.tile, 0);
        EXPECT_LT(p.cache, extent);
        ++loops;
      }
      loops += (p.cache > 0 ? p.cache : extent) > p.tile;
    }
    EXPECT_TRUE(p.tail == Tail::kPeeled || (!vector && p.cache == 0 && extent % p.tile != 0 && p.tile <= extent));
    EXPECT_TRUE(p.tail != Tail::kShifted || s.has_reduction());
    EXPECT_TRUE(!vector || p.tile % n.lanes == 0);
  }
  EXPECT_EQ(n.lanes & (n.lanes - 1), 0);
  EXPECT_EQ(n.vector_axis < 0, n.lanes == 1);
  EXPECT_LE(n.lanes * 8, std::max(8, t.vector_bits));
  EXPECT_EQ(sorted(n.order), cached);
  EXPECT_EQ(sorted(n.inner_order), spatial);
  EXPECT_EQ(sorted(n.reduce_order), reduce);
  EXPECT_EQ(sorted(n.unroll_order), unrolled);
  if (!s.combiner.associative || !s.combiner.commutative) {
    EXPECT_EQ(n.reduce_order, reduce);
    for (int a : reduce) EXPECT_EQ(n.axes[a].tile, 1);
  }
  EXPECT_GE(n.parallel, 0);
  EXPECT_LE(n.parallel, loops);
  EXPECT_GE(n.grain, 1);
  EXPECT_TRUE(points == static_cast<int64_t>(s.body.size()) || points <= t.vector_registers) << points << " accumulators";
  // A spatial vector is stored as one: unit stride wherever the root itself stores.
  if (n.vector_axis >= 0 && s.axes[n.vector_axis].kind == ir::AxisKind::kSpatial && n.epilogue.empty()) {
    for (const ir::StageOutput& o : s.outputs) {
      int64_t stride = 0;
      for (size_t d = 0; d < o.indices.size(); ++d) {
        stride +=
            ir::as_affine(o.indices[d], static_cast<int>(s.axes.size()))->coef[n.vector_axis] * g.tensors[o.tensor].strides[d];
      }
      EXPECT_EQ(stride, 1);
    }
  }
}

// The entries of each dimension take its index apart without a gap: extents × steps chain up to the whole extent.
void check_packed(const ir::TensorDecl& t, const std::vector<ir::PackedDim>& packed) {
  if (packed.empty()) return;
  EXPECT_EQ(t.role, ir::TensorRole::kConstant);
  for (size_t d = 0; d < t.shape.size(); ++d) {
    int64_t covered = -1;  // step of the entry before
    for (const ir::PackedDim& p : packed) {
      if (p.dim != static_cast<int>(d)) continue;
      const int64_t reach = p.extent * p.step;
      EXPECT_TRUE(covered < 0 ? reach >= t.shape[d] : reach == covered);
      covered = p.step;
    }
    EXPECT_EQ(covered, 1) << "dimension " << d;
  }
}

}  // namespace

void check_plan(const ir::Subgraph& g, const Target& t, const SchedulePlan& plan) {
  check_structure(g, plan);
  for (const NestPlan& n : plan.nests) check_nest(g, t, n);
  ASSERT_EQ(plan.packed.size(), g.tensors.size());
  for (size_t i = 0; i < plan.packed.size(); ++i) check_packed(g.tensors[i], plan.packed[i]);
  if (::testing::Test::HasFailure()) std::puts(print(plan, g).c_str());
}

void check_plan(const Walk& walk) { check_plan(walk.subgraph(), walk.space().target(), walk.plan()); }

}  // namespace tlm::space::test
