// Loop IR bound to blocks and threads prints as CUDA C that NVRTC compiles.
#include <gtest/gtest.h>

#include <set>

#include "tests/codegen_lower/nvrtc.h"
#include "tests/codegen_lower/plan_builder.h"
#include "tests/codegen_lower/random_programs.h"
#include "tests/codegen_lower/workloads.h"
#include "tests/support/network_workloads.h"
#include "tests/support/shared_data.h"
#include "tlm/codegen/source/source_cuda.h"
#include "tlm/ir/onnx/onnx_reader.h"
#include "tlm/ir/partition.h"
#include "tlm/ir/passes/pass_list.h"

namespace tlm::test {
namespace {

void compiles(const Nvrtc& nvrtc, const ir::Kernel& k, const Target& target, const std::string& what) {
  const std::string source = codegen::write_cuda(k, target);
  std::string log;
  EXPECT_GT(nvrtc.compile(source, target.sm, log), 0u) << what << "\n" << log << source.substr(source.find("extern \"C\""));
}

TEST(Cuda, LoopsAreBoundToBlocksAndThreads) {
  const Target target = named_target("sm_80");
  const ir::Subgraph g = matmul(100, 70, 30);
  const ir::Kernel k = codegen::lower(g, PlanBuilder(g).tile(0, 0, 4).tile(0, 1, 2).parallel(0, 2).build(), target);
  ASSERT_EQ(k.phases.size(), 1u);
  EXPECT_EQ(k.phases[0].body->loop, ir::LoopKind::kBlock);
  EXPECT_EQ(k.phases[0].extent * k.phases[0].threads >= 25 * 35, true);
  EXPECT_EQ(k.phases[0].body->body[0]->loop, ir::LoopKind::kThread);
  const std::string source = codegen::write_cuda(k, target);
  EXPECT_NE(source.find("__global__"), std::string::npos);
  EXPECT_NE(source.find("blockIdx.x"), std::string::npos);
}

TEST(Cuda, HandPlansCompile) {
  const Nvrtc nvrtc;
  if (!nvrtc.available()) GTEST_SKIP() << nvrtc.reason();
  for (const char* name : {"sm_75", "sm_90"}) {
    const Target target = named_target(name);
    const ir::Subgraph mm = matmul(100, 70, 30), conv = convolution(9, 5, 20, 3, 1, 1), soft = softmax(7, 37),
                       arg = argmax(5, 41), scan = cumsum(9, 12, true);
    compiles(nvrtc, codegen::lower(mm, PlanBuilder(mm).tile(0, 0, 4).tile(0, 1, 2).parallel(0, 2).build(), target), target,
             "matmul");
    compiles(
        nvrtc,
        codegen::lower(conv, PlanBuilder(conv).inlined(0).epilogue(1, 2).vector(1, 0, 8, 1).tile(1, 2, 4).parallel(1, 2).build(),
                       target),
        target, "convolution");
    compiles(nvrtc, codegen::lower(soft, PlanBuilder(soft).parallel(0, 1).parallel(1, 1).parallel(2, 2).build(), target), target,
             "softmax");
    compiles(nvrtc, codegen::lower(arg, PlanBuilder(arg).parallel(0, 1).build(), target), target, "argmax");
    compiles(nvrtc, codegen::lower(scan, PlanBuilder(scan).parallel(0, 1).build(), target), target, "cumsum");
  }
}

TEST(Cuda, RandomProgramsCompile) {
  const Nvrtc nvrtc;
  if (!nvrtc.available()) GTEST_SKIP() << nvrtc.reason();
  const Target target = named_target("sm_80");
  for (const RandomProgram& p : random_programs(500, 12, target))
    compiles(nvrtc, codegen::lower(*p.scheduled, p.plan, target), target, p.describe());
}

TEST(Cuda, EveryWorkloadOfTheNetworksPrints) {
  const Target target = named_target("sm_80");
  for (const ir::Subgraph& g : network_workloads()) {
    const space::Walk walk = space::Space::build(g, target)->constructive();
    const ir::Kernel k = codegen::lower(g, walk.plan(), target);
    const std::string source = codegen::write_cuda(k, target);
    EXPECT_NE(source.find("__global__"), std::string::npos) << g.name;
  }
}

// All stages of one real network.
TEST(Cuda, SqueezenetCompiles) {
  const Nvrtc nvrtc;
  if (!nvrtc.available()) GTEST_SKIP() << nvrtc.reason();
  const Target target = named_target("sm_80");
  std::set<uint64_t> seen;
  for (const NetworkFile& network : shared_networks()) {
    if (network.name.find("squeezenet") == std::string::npos) continue;
    ir::Graph graph = ir::read_onnx(network.model);
    ir::run_graph_passes(graph);
    for (const ir::Step& step : ir::partition(graph).steps) {
      if (step.kind != ir::StepKind::kSubgraph || !seen.insert(ir::workload_hash(step.subgraph)).second) continue;
      const space::Walk walk = space::Space::build(step.subgraph, target)->constructive();
      compiles(nvrtc, codegen::lower(step.subgraph, walk.plan(), target), target, step.name);
    }
  }
  if (seen.empty()) GTEST_SKIP() << "the shared models are not on this machine";
  std::printf("%zu workloads\n", seen.size());
}

}  // namespace
}  // namespace tlm::test
