#include "include_rules.h"

#include <gtest/gtest.h>

namespace tlm::structure {
namespace {

const std::vector<std::string> kFolders = {"core", "ir", "space", "lm", "codegen", "kernels", "tools"};

TEST(IncludeRules, TheTreeKeepsTheTable) {
  const std::vector<SourceFile> files = read_sources(kFolders);
  EXPECT_GT(files.size(), 50u);
  for (const SourceFile& file : files)
    for (const std::string& violation : include_violations(file)) ADD_FAILURE() << violation;
}

TEST(IncludeRules, NoCircles) {
  for (const std::string& circle : include_circles(read_sources(kFolders))) ADD_FAILURE() << circle;
}

struct Case {
  std::string path, include;
  bool allowed;
};

TEST(IncludeRules, FindsWhatBreaksTheTable) {
  const Case cases[] = {
      {"core/a.h", "\"tlm/core/error.h\"", true},
      {"core/a.h", "\"tlm/ir/graph/graph.h\"", false},
      {"core/a.cpp", "<nlohmann/json.hpp>", true},
      {"core/a.h", "<nlohmann/json.hpp>", false},
      {"core/a.h", "<iostream>", false},
      {"core/a.cpp", "<iostream>", true},
      {"core/a.cpp", "\"error.h\"", false},
      {"core/a.cpp", "\"../core/error.h\"", false},
      {"core/a.cpp", "<Eigen/Core>", false},
      {"kernels/cpu/a.cpp", "<Eigen/Core>", true},
      {"kernels/cpu/a.h", "<Eigen/Core>", false},
      {"kernels/cpu/a.h", "\"tlm/space/space.h\"", false},
      {"ir/onnx/a.cpp", "\"tlm_onnx.pb.h\"", true},
      {"ir/onnx/a.h", "\"tlm_onnx.pb.h\"", false},
      {"ir/onnx/tensor_proto.h", "\"tlm_onnx.pb.h\"", true},
      {"ir/onnx/a.cpp", "\"tlm/ir/onnx/tensor_proto.h\"", true},
      {"ir/passes/a.cpp", "\"tlm/ir/onnx/tensor_proto.h\"", false},
      {"ir/graph/a.cpp", "<google/protobuf/message_lite.h>", false},
      {"ir/a.h", "\"tlm/space/space.h\"", false},
      {"space/a.h", "\"tlm/ir/tensor/stage.h\"", true},
      {"space/a.h", "\"tlm/ir/graph/op_kind.h\"", false},
      {"space/a.h", "\"tlm/ir/partition.h\"", false},
      {"space/a.h", "\"tlm/codegen/compiler.h\"", false},
      {"lm/a.h", "\"tlm/space/space.h\"", true},
      {"lm/a.h", "\"tlm/codegen/compiler.h\"", false},
      {"codegen/a.h", "\"tlm/lm/config.h\"", false},
      {"codegen/compiler.h", "\"tlm/ir/graph/graph.h\"", true},
      {"codegen/compiler_options.h", "\"tlm/ir/graph/graph.h\"", true},
      {"codegen/workloads.h", "\"tlm/ir/partition.h\"", true},
      {"codegen/workloads.h", "\"tlm/ir/graph/graph.h\"", false},
      {"codegen/lower/a.h", "\"tlm/ir/partition.h\"", false},
      {"codegen/source/a.cpp", "\"tlm/ir/loop/stmt.h\"", true},
      {"tools/zoo/a.cpp", "\"tlm/codegen/compiler.h\"", false},
      {"tools/tlm/a.cpp", "\"tlm/codegen/compiler.h\"", true},
      {"tools/tlm/a.cpp", "<gtest/gtest.h>", false},
      {"other/a.cpp", "\"tlm/core/error.h\"", false},
  };
  for (const Case& c : cases) {
    const auto violations = include_violations({c.path, "// a file\n#include " + c.include + "\n"});
    EXPECT_EQ(violations.empty(), c.allowed) << c.path << " includes " << c.include;
  }
}

TEST(IncludeRules, OnlyTheEngineJoinsLmAndCodegen) {
  const std::string both = "#include \"tlm/lm/config.h\"\n#include \"tlm/codegen/compiler.h\"\n";
  EXPECT_TRUE(include_violations({"tools/engine/engine.cpp", both}).empty());
  EXPECT_EQ(include_violations({"tools/tlm/a.cpp", both}).size(), 1u);
}

TEST(IncludeRules, FindsCircles) {
  const std::vector<SourceFile> files = {{"core/a.h", "#include \"tlm/core/b.h\"\n"},
                                         {"core/b.h", "#include \"tlm/core/c.h\"\n"},
                                         {"core/c.h", "#include \"tlm/core/a.h\"\n"},
                                         {"core/d.h", "#include \"tlm/core/a.h\"\n"}};
  const auto circles = include_circles(files);
  ASSERT_EQ(circles.size(), 1u);
  EXPECT_EQ(circles[0], "core/a.h -> core/b.h -> core/c.h -> core/a.h");
}

}  // namespace
}  // namespace tlm::structure
