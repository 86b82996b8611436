#include "tlm/tools/collect/variants.h"

#include <gtest/gtest.h>

#include <fstream>

#include "tlm/codegen/build/compile_c.h"
#include "tlm/codegen/build/process.h"
#include "tlm/codegen/lower/lower.h"
#include "tlm/codegen/measure/measurer.h"
#include "tlm/codegen/source/source_c.h"
#include "tlm/core/error.h"
#include "tlm/space/space.h"
#include "tlm/tools/collect/obstacle.h"
#include "tlm/tools/collect/workload_sampler.h"

namespace tlm::collect {
namespace {

std::vector<std::string> names_of(const std::vector<Variant>& all) {
  std::vector<std::string> names;
  for (const Variant& v : all) names.push_back(v.name);
  return names;
}

using Names = std::vector<std::string>;

TEST(Variants, AreTargetsOfThisMachine) {
  for (const Variant& v : hardware_variants(host_target())) {
    EXPECT_EQ(target_defect(v.target), "") << v.name;
    EXPECT_EQ(codegen::measure_obstacle(v.target), "") << v.name;
    EXPECT_EQ(v.main, v.name.starts_with("native-")) << v.name;
  }
}

TEST(Variants, OfAMachineWithAvx512) {
  const Target machine = named_target("x86-64-v4");
  const std::vector<Variant> all = hardware_variants(machine);
  EXPECT_EQ(names_of(all),
            (Names{"native-1", "native-2", "avx2-1", "avx2-2", "avx2-8-1", "avx2-8-2", "avx-1", "avx-2", "sse2-1", "sse2-2"}));
  std::vector<std::string> held_out;
  for (const Variant& v : all)
    if (v.held_out) held_out.push_back(v.name);
  EXPECT_EQ(held_out, (Names{"avx2-8-2", "avx-1", "avx-2"}));
  EXPECT_EQ(names_of(chosen_variants(machine, {"training"})),
            (Names{"native-1", "native-2", "avx2-1", "avx2-2", "avx2-8-1", "sse2-1", "sse2-2"}));
  EXPECT_EQ(names_of(chosen_variants(machine, {"avx-2", "native-1", "avx-2"})), (Names{"avx-2", "native-1"}));
  EXPECT_EQ(chosen_variants(machine, {"all"}).size(), 10u);
  EXPECT_THROW(chosen_variants(machine, {"sse9"}), Error);
  EXPECT_EQ(names_of(hardware_variants(named_target("x86-64-v2"))), (Names{"native-1", "native-2", "sse2-1", "sse2-2"}));
}

TEST(Variants, ATargetIsRecognisedOnAnyMachine) {
  const std::vector<Variant> all = hardware_variants(named_target("x86-64-v4"));
  ASSERT_FALSE(all.empty());
  for (const Variant& v : all) {
    Target t = v.target;
    t.name = "another machine", t.l2_kb = 4321, t.numerics = Numerics::kStrict;
    const std::optional<Variant> found = variant_of(t);
    EXPECT_EQ(found.has_value(), !v.main) << v.name;
    if (!found) continue;
    EXPECT_EQ(found->name, v.name);
    EXPECT_EQ(found->held_out, v.held_out) << v.name;
    EXPECT_EQ(obstacle(nullptr, {}, t).empty(), !v.held_out) << v.name;
  }
}

// Disassembles programs of a window with many accumulators: registers beyond the target's are never named.
TEST(Variants, EightRegistersAreEight) {
  if (codegen::find_program("objdump").empty()) GTEST_SKIP() << "no objdump";
  const Target machine = host_target();
  if (!machine.has("avx2")) GTEST_SKIP() << "this machine has no AVX2";
  const auto registers_named = [&](const Target& target) {
    const auto space = space::Space::build(WorkloadSampler(1).at(3, space::WorkloadKind::kWindow).subgraph, target);
    const space::Walk w = space->constructive();
    const ir::Kernel kernel = codegen::lower(w.subgraph(), w.plan(), target);
    const ir::Kernel* const kernels[] = {&kernel};
    const uint32_t entries[] = {0};
    const std::vector<std::byte> image =
        codegen::build_image({codegen::write_c(kernels, entries, target),
                              codegen::write_c_module(static_cast<uint32_t>(kernel.phases.size()), target)},
                             target, codegen::find_c_toolchain(target), {});
    const std::string file = testing::TempDir() + "/variant.so";
    std::ofstream(file, std::ios::binary).write(reinterpret_cast<const char*>(image.data()), static_cast<long>(image.size()));
    const std::string text = codegen::run_process({"objdump", "-d", "--no-show-raw-insn", file}, "").output;
    int last = -1;
    for (int r = 0; r < 32; ++r)
      for (const char* kind : {"%xmm", "%ymm", "%zmm"}) {
        const std::string name = kind + std::to_string(r);
        for (size_t at = text.find(name); at != std::string::npos; at = text.find(name, at + 1))
          if (at + name.size() == text.size() || !std::isdigit(static_cast<unsigned char>(text[at + name.size()]))) last = r;
      }
    return last;
  };
  for (const Variant& v : hardware_variants(machine)) {
    if (v.name == "avx2-8-1") {
      EXPECT_EQ(registers_named(v.target), 7);
    }
    if (v.name == "avx2-1") {
      EXPECT_GT(registers_named(v.target), 7);
    }
  }
}

}  // namespace
}  // namespace tlm::collect
