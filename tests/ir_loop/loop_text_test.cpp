#include <gtest/gtest.h>

#include "tests/ir_loop/kernels.h"

namespace tlm::ir {
namespace {

TEST(LoopText, Golden) {
  EXPECT_EQ(print(test::row_sum_kernel()), R"(kernel row_sum(in.0: 240, out out.1: 240) workspace 0 worker 0 {
  global in.0: f32 elements 240 param 0
  global out.1: f32 elements 240 param 1
  phase 0 extent 8 grain 2 {
    parallel for i < 8 {
      let half: i64 = i*4
      var acc: f32x4 = ramp(0.0, 0, 4)
      for r < 8 {
        acc = acc + in.0[ramp(r*30 + half, 1, 4)]
      }
      if i < 7 {
        out.1[ramp(half, 1, 4)] = acc
      } else {
        out.1[ramp(half, 1, 4)]{2} = acc
      }
    }
  }
}
)");
  EXPECT_EQ(print(test::barrier_kernel()), R"(kernel swap(out out.0: 64) workspace 0 worker 0 {
  global out.0: f32 elements 64 param 0
  shared tile.1: f32 elements 32
  phase 0 extent 2 grain 1 threads 32 {
    block for block < 2 {
      alloc tile.1 {
        thread for thread < 32 {
          tile.1[thread] = f32(block)
          barrier
          out.0[block*32 + thread] = tile.1[31 - thread]
        }
      }
    }
  }
}
)");
}

TEST(LoopText, ShowsWhatIsBroken) {
  Kernel k;
  k.name = "broken";
  Phase p;
  p.body = make_block({make_store(3, {Expr()}, make_int(1)), make_assign(5, make_var(9)), make_comment("why")});
  k.phases = {p};
  EXPECT_EQ(
      print(k),
      "kernel broken() workspace 0 worker 0 {\n  phase 0 extent 1 grain 1 {\n    ?b3[?] = 1\n    ?l5 = ?v9\n    # why\n  }\n}\n");
}

TEST(LoopText, PackedConstantsAndPlacedBuffers) {
  Kernel k;
  k.name = "packed";
  Buffer b;
  b.name = "layer/weight:0";
  b.scope = MemoryScope::kGlobal;
  b.shape = {3, 4};
  b.strides = {4, 1};
  b.offset = 2;
  b.elements = 16;
  b.param = 0;
  k.buffers = {b};
  KernelParam p;
  p.tensor = 0;
  p.packed = {{0, 1, 16}, {1, 4, 1}};
  p.elements = 16;
  k.params = {p};
  EXPECT_EQ(print(k),
            "kernel packed(b0: 16 packed 0:1*16,1:4*1) workspace 0 worker 0 {\n  global b0 \"layer/weight:0\": f32[3,4] strides "
            "[4,1] offset 2 elements 16 param 0\n}\n");
}

}  // namespace
}  // namespace tlm::ir
