// Panels of constants, from whole schedules.
#include <gtest/gtest.h>

#include "tlm/space/space.h"
#include "workloads.h"

namespace tlm::space::test {
namespace {

struct PanelCase {
  std::string name;
  ir::Subgraph g;
  std::string schedule;
  int tensor;
  std::vector<ir::PackedDim> packed;
};

TEST(Packing, Panels) {
  const std::vector<PanelCase> cases = {
      {"blocks of output channels, reductions in loop order",
       convolution(8, 5, 40, 3, 1),
       "attach.s2=epilogue; micro.s1=co:2x8 ow:4; reduce.s1=kh,kw,ci; pack.s1.t1=panels",
       1,
       {{0, 3, 16}, {2, 3, 1}, {3, 3, 1}, {1, 5, 1}, {0, 16, 1}}},
      {"another order of loops",
       convolution(8, 5, 40, 3, 1),
       "attach.s2=epilogue; micro.s1=co:1x8 ow:4; reduce.s1=ci,kw,kh; pack.s1.t1=panels",
       1,
       {{0, 5, 8}, {1, 5, 1}, {3, 3, 1}, {2, 3, 1}, {0, 8, 1}}},
      {"padding must not double the size",
       convolution(8, 5, 3, 3, 1),
       "micro.s1=co:1x8 ow:4; pack.s1.t1=panels",
       1,
       {{1, 5, 1}, {2, 3, 1}, {3, 3, 1}, {0, 3, 1}}},
      {"several groups share a dimension, so it stays whole",
       grouped(8, 4, 8, 24),
       "micro.s0=co:1x8 ow:6; pack.s0.t1=panels",
       1,
       {{1, 8, 1}, {2, 3, 1}, {3, 3, 1}, {0, 96, 1}}},
      {"a vector of the reduction reads along it",
       matmul(6, 20, 32),
       "micro.s0=k:1x8 n:4; pack.s0.t1=panels",
       1,
       {{1, 20, 1}, {0, 32, 1}}},
      {"a broadcast operand is stored by its tiled axis",
       convolution_channels_first(18, 3, 8, 3),
       "micro.s0=ow:1x8 co:4; pack.s0.t1=panels",
       1,
       {{0, 2, 4}, {1, 3, 1}, {2, 3, 1}, {3, 3, 1}, {0, 4, 1}}},
  };
  Target t = named_target("x86-64-v3");
  t.cores = 1;
  for (const PanelCase& c : cases) {
    SCOPED_TRACE(c.name);
    Result<Walk> w = Space::build(c.g, t)->replay(parse_schedule(c.schedule));
    ASSERT_TRUE(w.ok()) << w.reason();
    EXPECT_EQ(w->plan().packed[c.tensor], c.packed) << print(w->plan(), c.g);
  }
}

bool offered(const ir::Subgraph& g, const std::string& micro, const std::string& pack) {
  Target t = named_target("x86-64-v3");
  t.cores = 1;
  Walk w = Space::build(g, t)->walk();
  bool found = false;
  while (!w.done()) {
    const Decision& d = w.decision();
    found = found || d.name == pack;
    w.choose(d.kind == DecisionKind::kMicro ? parse_choice(d, micro, axis_names(g.stages[d.stage])) : d.neutral);
  }
  return found;
}

TEST(Packing, NotOfferedWhereItMakesNoSense) {
  EXPECT_TRUE(offered(matmul(6, 32, 20), "n:2x8 m:3", "pack.s0.t1"));
  EXPECT_FALSE(offered(matmul(6, 16, 20), "n:2x8 m:3", "pack.s0.t1"));  // one block: row-major already
  EXPECT_FALSE(offered(gather(6, 30, 20), "w:1x8 r:3", "pack.s0.t1"));  // rows are chosen by data
  EXPECT_FALSE(offered(matmul(6, 32, 20), "none", "pack.s0.t1"));       // nothing to suit
  ir::Subgraph activation = matmul(6, 32, 20);
  activation.tensors[1].role = ir::TensorRole::kInput;
  EXPECT_FALSE(offered(activation, "n:2x8 m:3", "pack.s0.t1"));  // not known beforehand
}

}  // namespace
}  // namespace tlm::space::test
