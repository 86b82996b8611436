// Register tiles stay in registers: the machine code of inner loops is looked at.
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "tests/codegen_lower/plan_builder.h"
#include "tests/codegen_lower/workloads.h"
#include "tlm/codegen/build/compile_c.h"
#include "tlm/codegen/build/process.h"
#include "tlm/codegen/build/temp_folder.h"
#include "tlm/codegen/lower/lower.h"
#include "tlm/codegen/source/source_c.h"

namespace tlm::test {
namespace {

struct Instruction {
  uint64_t address;
  std::string text;
};

std::vector<Instruction> disassemble(const ir::Kernel& k, const Target& target) {
  const ir::Kernel* kernels[] = {&k};
  const uint32_t entry[] = {0};
  const auto image = codegen::build_image(
      {codegen::write_c(kernels, entry, target), codegen::write_c_module(static_cast<uint32_t>(k.phases.size()), target)}, target,
      codegen::find_c_toolchain(target), {});
  codegen::TempFolder folder;
  const std::string path = (folder.path() / "image.so").string();
  std::ofstream(path, std::ios::binary)
      .write(reinterpret_cast<const char*>(image.data()), static_cast<std::streamsize>(image.size()));
  const codegen::ProcessResult r = codegen::run_process({"objdump", "-d", "--no-show-raw-insn", path}, "");
  EXPECT_EQ(r.exit_code, 0) << r.output;
  std::vector<Instruction> out;
  std::istringstream lines(r.output);
  for (std::string line; std::getline(lines, line);) {
    char* end = nullptr;
    const uint64_t address = std::strtoull(line.c_str(), &end, 16);
    if (end && *end == ':' && end != line.c_str())
      out.push_back({address, line.substr(static_cast<size_t>(end - line.c_str()) + 1)});
  }
  return out;
}

// Innermost loops (code before a jump back, without another one inside) that hold at least `least` multiply-adds.
std::vector<std::vector<Instruction>> hot_loops(const std::vector<Instruction>& code, int least) {
  std::vector<std::vector<Instruction>> out;
  uint64_t last_end = 0;
  for (size_t i = 0; i < code.size(); ++i) {
    std::istringstream words(code[i].text);
    std::string name, where;
    words >> name >> where;
    if (name[0] != 'j') continue;
    const uint64_t target = std::strtoull(where.c_str(), nullptr, 16);
    if (target == 0 || target > code[i].address || target < last_end) continue;  // forward, or around a loop already seen
    last_end = code[i].address;
    std::vector<Instruction> body;
    int products = 0;
    for (const Instruction& x : code)
      if (x.address >= target && x.address <= code[i].address) {
        body.push_back(x);
        products += x.text.find("vfmadd") != std::string::npos;
      }
    if (products >= least) out.push_back(std::move(body));
  }
  return out;
}

struct Tile {
  const char* target;
  int64_t rows, vectors;
};

class InnerLoops : public testing::TestWithParam<Tile> {};

TEST_P(InnerLoops, TouchNoStack) {
  if (codegen::find_program("objdump").empty()) GTEST_SKIP() << "objdump is not installed";
  const Tile tile = GetParam();
  const Target target = named_target(tile.target);
  const int lanes = target.vector_bits / 32;
  const int64_t width = lanes * tile.vectors;
  for (bool convolution_too : {false, true}) {
    const ir::Subgraph mm = matmul(120, 4 * width, 64), conv = convolution(14, 32, 2 * width, 3, 1, 1);
    const space::SchedulePlan plan = convolution_too
                                         ? PlanBuilder(conv)
                                               .epilogue(1, 2)
                                               .vector(1, 0, lanes, tile.vectors)
                                               .tile(1, 2, tile.rows)
                                               .unroll_order(1, {2, 0})
                                               .reduce_order(1, {4, 5, 3})
                                               .pack(1, {{0, 2, width}, {2, 3, 1}, {3, 3, 1}, {1, 32, 1}, {0, width, 1}})
                                               .parallel(1, 1)
                                               .build()
                                         : PlanBuilder(mm)
                                               .vector(0, 1, lanes, tile.vectors)
                                               .tile(0, 0, tile.rows)
                                               .unroll_order(0, {0, 1})
                                               .pack(1, {{1, 4, width}, {0, 64, 1}, {1, width, 1}})
                                               .parallel(0, 1)
                                               .build();
    const auto loops = hot_loops(disassemble(codegen::lower(convolution_too ? conv : mm, plan, target), target),
                                 static_cast<int>(tile.rows * tile.vectors));
    ASSERT_FALSE(loops.empty()) << "no loop with " << tile.rows * tile.vectors << " multiply-adds";
    for (const auto& loop : loops) {
      std::string text;
      bool stack = false;
      for (const Instruction& x : loop) {
        text += x.text + "\n";
        const bool vector = x.text.find("mm") != std::string::npos;
        stack = stack || (vector && (x.text.find("(%rsp") != std::string::npos || x.text.find("(%rbp") != std::string::npos));
      }
      EXPECT_FALSE(stack) << (convolution_too ? "convolution" : "matrix product") << " spills in its inner loop:\n" << text;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Tiles, InnerLoops,
                         testing::Values(Tile{"x86-64-v3", 6, 2}, Tile{"x86-64-v3", 5, 2}, Tile{"x86-64-v3", 4, 2},
                                         Tile{"x86-64-v3", 4, 3}, Tile{"x86-64-v3", 3, 4}, Tile{"x86-64-v3", 12, 1},
                                         Tile{"x86-64-v4", 6, 4}, Tile{"x86-64-v4", 12, 2}),
                         [](const auto& i) {
                           return std::string(i.param.target).substr(7) + "_" + std::to_string(i.param.rows) + "x" +
                                  std::to_string(i.param.vectors);
                         });

}  // namespace
}  // namespace tlm::test
