// One test for each rule of verify(Kernel).
#include <gtest/gtest.h>

#include <functional>

#include "tests/ir_loop/kernels.h"
#include "tlm/core/error.h"

namespace tlm::ir {
namespace {

TEST(LoopVerify, AcceptsTheGood) {
  EXPECT_NO_THROW(verify(test::row_sum_kernel()));
  EXPECT_NO_THROW(verify(test::barrier_kernel()));
}

void refuse(Kernel k, const std::function<void(Kernel&)>& change, const std::string& rule) {
  change(k);
  try {
    verify(k);
    ADD_FAILURE() << "accepted; expected: " << rule << "\n" << print(k);
  } catch (const InternalError& e) {
    EXPECT_NE(std::string(e.what()).find(rule), std::string::npos) << e.what();
  }
}

// The kernel with `s` as a serial phase of its own. `i` is variable 0 (not in scope there).
void refuse_stmt(const std::function<Stmt(Kernel&)>& make, const std::string& rule) {
  refuse(
      test::row_sum_kernel(),
      [&](Kernel& k) {
        Phase p;
        p.body = make(k);
        k.phases.push_back(p);
      },
      rule);
}

TEST(LoopVerify, Declarations) {
  const Kernel k = test::row_sum_kernel();
  refuse(
      k, [](Kernel& k) { k.vars[0] = "acc"; }, "used twice");
  refuse(
      k, [](Kernel& k) { k.vars[0] = "not a name"; }, "is not an identifier");
  refuse(
      k, [](Kernel& k) { k.local_types.pop_back(); }, "each local has a name, a type and lanes");
  refuse(
      k, [](Kernel& k) { k.params[0].tensor = 5; }, "a parameter stands for a buffer");
  refuse(
      k,
      [](Kernel& k) {
        k.params[1].packed = {{0, 240, 1}};
      },
      "only constants are packed");
  refuse(
      k, [](Kernel& k) { k.buffers[0].param = 7; }, "no such parameter");
  refuse(
      k, [](Kernel& k) { k.buffers[0].scope = MemoryScope::kWorkspace; }, "a parameter is global memory");
  refuse(
      k, [](Kernel& k) { k.buffers[0].elements = -1; }, "negative size");
}

TEST(LoopVerify, Phases) {
  const Kernel k = test::row_sum_kernel();
  refuse(
      k, [](Kernel& k) { k.phases[0].body = nullptr; }, "a phase has a body");
  refuse(
      k, [](Kernel& k) { k.phases[0].grain = 0; }, "a grain >= 1");
  refuse(
      k, [](Kernel& k) { k.phases[0].extent = 9; }, "the phase's extent is its loop's");
  refuse(
      k, [](Kernel& k) { k.phases[0].body = k.phases[0].body->body[0]; }, "a phase without parallel loop has one iteration");
  refuse(
      k, [](Kernel& k) { k.phases[0].body = make_block({k.phases[0].body}), k.phases[0].extent = 1; },
      "parallel loops are outermost");
}

TEST(LoopVerify, Scopes) {
  refuse_stmt([](Kernel&) { return make_store(1, {make_var(0)}, make_float(0)); }, "variable `i` is not in scope");
  refuse_stmt([](Kernel&) { return make_store(1, {make_var(99)}, make_float(0)); }, "no such variable");
  refuse_stmt([](Kernel& k) { return make_store(1, {read_local(k, 1)}, make_float(0)); }, "local `half` is not in scope");
  refuse_stmt(
      [](Kernel&) {
        return make_for(0, make_int(2), LoopKind::kSerial, make_for(0, make_int(2), LoopKind::kSerial, make_block({})));
      },
      "a loop inside a loop of the same variable");
  refuse_stmt([](Kernel&) { return make_assign(1, make_int(0)); }, "only a mutable local in scope is assigned");
  refuse_stmt(
      [](Kernel&) {
        return make_block({make_let(1, make_int(0)), make_assign(1, make_int(0))});
      },
      "only a mutable local in scope is assigned");
  refuse_stmt([](Kernel&) { return make_block({make_let(1, make_int(0)), make_let(1, make_int(0))}); }, "declared twice");
  refuse_stmt(
      [](Kernel& k) {
        return make_block(
            {make_if(make_op(Op::kLt, {make_load(0, DType::kF32, {make_int(0)}), make_float(0)}), make_let(1, make_int(0))),
             make_store(1, {read_local(k, 1)}, make_float(0))});
      },
      "local `half` is not in scope");
  // Two branches may declare the same local.
  Kernel k = test::row_sum_kernel();
  Phase p;
  p.body = make_if(make_op(Op::kLt, {make_load(0, DType::kF32, {make_int(0)}), make_float(0)}), make_let(1, make_int(0)),
                   make_let(1, make_int(1)));
  k.phases.push_back(p);
  EXPECT_NO_THROW(verify(k));
}

TEST(LoopVerify, TypesAndLanes) {
  refuse_stmt([](Kernel&) { return make_let(1, make_float(0)); }, "the value has the type of the local");
  refuse_stmt([](Kernel&) { return make_local(0, make_float(0)); }, "the value has 1 lanes, not 4");
  refuse_stmt([](Kernel&) { return make_let(77, make_float(0)); }, "no such local");
  refuse_stmt([](Kernel&) { return make_store(1, {make_int(0)}, make_int(0)); }, "the value has the type of the buffer");
  refuse_stmt([](Kernel&) { return make_store(1, {make_ramp(make_int(0), 1, 4)}, make_float(0)); },
              "the value has 1 lanes, not 4");
  refuse_stmt([](Kernel&) { return make_store(1, {make_float(0)}, make_float(0)); }, "an index is i64");
  refuse_stmt([](Kernel&) { return make_store(1, {make_int(0), make_int(0)}, make_float(0)); }, "one index for each dimension");
  refuse_stmt([](Kernel&) { return make_store(1, {make_ramp(make_int(0), 1, 4)}, make_ramp(make_float(0), 0, 4), 5); },
              "more active lanes than lanes");
  refuse_stmt([](Kernel&) { return make_store(0, {make_int(0)}, make_float(0)); },
              "a store to a parameter that is not an output");
  refuse_stmt([](Kernel&) { return make_store(9, {make_int(0)}, make_float(0)); }, "no such buffer");
  refuse_stmt([](Kernel&) { return make_store(1, {make_int(0)}, make_load(8, DType::kF32, {make_int(0)})); }, "no such buffer");
  refuse_stmt(
      [](Kernel&) { return make_store(1, {make_int(0)}, make_cast(make_load(0, DType::kF64, {make_int(0)}), DType::kF32)); },
      "a load has the type of its buffer");
  refuse_stmt([](Kernel&) { return make_store(1, {make_int(0)}, make_acc(0, DType::kF32)); }, "accumulators belong to stages");
  refuse_stmt([](Kernel&) { return make_store(1, {make_int(0)}, Expr()); }, "empty expression");
  refuse_stmt([](Kernel&) { return make_if(make_int(1), make_block({})); }, "a condition is bool");
  refuse_stmt([](Kernel&) { return make_for(0, make_float(1), LoopKind::kSerial, make_block({})); }, "an extent is i64");
  refuse_stmt([](Kernel&) { return make_for(50, make_int(1), LoopKind::kSerial, make_block({})); }, "a loop has a variable");
  refuse_stmt([](Kernel&) { return make_for(0, make_int(1), LoopKind::kSerial, nullptr); }, "empty statement");
  refuse_stmt(
      [](Kernel&) {
        ExprNode n = *make_load(0, DType::kF32, {make_ramp(make_int(0), 1, 4)});
        n.lanes = 8;
        return make_store(1, {make_ramp(make_int(0), 1, 8)}, Expr(std::make_shared<const ExprNode>(n)));
      },
      "an argument has another number of lanes");
}

TEST(LoopVerify, Allocations) {
  refuse_stmt([](Kernel&) { return make_alloc(0, make_block({})); }, "a parameter is not allocated");
  refuse(
      test::barrier_kernel(),
      [](Kernel& k) {
        Phase p;
        p.body = make_store(1, {make_int(0)}, make_float(0));
        k.phases.push_back(p);
      },
      "is used outside of its alloc");
  refuse(
      test::barrier_kernel(),
      [](Kernel& k) {
        const Stmt loop = k.phases[0].body;
        k.phases[0].body = make_for(loop->var, loop->extent, loop->loop, make_alloc(1, loop->body[0]));
      },
      "allocated already");
}

TEST(LoopVerify, Barriers) {
  refuse_stmt([](Kernel&) { return make_barrier(); }, "a barrier belongs to a block of threads");
  const auto inside = [](const std::function<Stmt(Kernel&, const Expr& thread)>& make) {
    return [make](Kernel& k) {
      const int b = new_var(k, "b"), t = new_var(k, "t");
      Phase p;
      p.body = make_for(b, make_int(1), LoopKind::kBlock, make_for(t, make_int(32), LoopKind::kThread, make(k, make_var(t))));
      k.phases.push_back(p);
    };
  };
  const auto below = [](const Expr& e) { return make_op(Op::kLt, {e, make_int(3)}); };
  refuse(test::barrier_kernel(), inside([&](Kernel&, const Expr& t) { return make_if(below(t), make_barrier()); }),
         "a barrier in divergent code");
  refuse(test::barrier_kernel(),
         inside([&](Kernel& k, const Expr& t) { return make_for(new_var(k, "n"), t, LoopKind::kSerial, make_barrier()); }),
         "a barrier in divergent code");
  refuse(test::barrier_kernel(), inside([&](Kernel& k, const Expr& t) {
           const int l = new_local(k, "l", DType::kI64, 1);
           return make_block({make_let(l, t + 1), make_if(below(read_local(k, l)), make_barrier())});
         }),
         "a barrier in divergent code");
  Kernel k = test::barrier_kernel();
  inside([&](Kernel& k, const Expr&) { return make_for(new_var(k, "n"), make_int(4), LoopKind::kSerial, make_barrier()); })(k);
  EXPECT_NO_THROW(verify(k));
}

TEST(LoopVerify, ErrorsShowTheStatement) {
  Kernel k = test::row_sum_kernel();
  Phase p;
  p.body = make_store(1, {make_var(0) + 3}, make_float(0.5));
  k.phases.push_back(p);
  try {
    verify(k);
    FAIL();
  } catch (const InternalError& e) {
    EXPECT_NE(std::string(e.what()).find("b1[i + 3] = 0.5"), std::string::npos) << e.what();
    EXPECT_NE(std::string(e.what()).find("kernel `row_sum`"), std::string::npos) << e.what();
  }
}

}  // namespace
}  // namespace tlm::ir
