#include "include_rules.h"

#include <algorithm>
#include <map>
#include <set>

namespace tlm::structure {
namespace {

using Names = std::vector<std::string>;

// What a file under `prefix` may include of the project; the first row that fits decides.
struct FolderRule {
  std::string prefix;
  Names may_include;  // prefixes
};

const std::vector<FolderRule>& folder_rules() {
  static const std::vector<FolderRule> rules = {
      {"core/", {"core/", "runtime.h"}},
      {"ir/", {"ir/", "core/"}},
      // Below the graph: stages and loops, no operators.
      {"space/", {"space/", "ir/tensor/", "ir/loop/", "core/"}},
      {"lm/", {"lm/", "space/", "kernels/", "core/"}},
      // Models come in at the top of codegen; the rest of it sees stages and loops.
      {"codegen/compiler", {"codegen/", "space/", "ir/", "kernels/", "core/"}},
      {"codegen/package_writer", {"codegen/", "space/", "ir/", "kernels/", "core/"}},
      {"codegen/memory_plan", {"codegen/", "space/", "ir/", "kernels/", "core/"}},
      {"codegen/lower/", {"codegen/", "space/", "ir/tensor/", "ir/loop/", "kernels/", "core/"}},
      {"codegen/source/", {"codegen/", "space/", "ir/tensor/", "ir/loop/", "kernels/", "core/"}},
      {"codegen/build/", {"codegen/", "space/", "ir/tensor/", "ir/loop/", "kernels/", "core/"}},
      {"codegen/measure/", {"codegen/", "space/", "ir/tensor/", "ir/loop/", "kernels/", "core/"}},
      {"codegen/", {"codegen/", "space/", "ir/tensor/", "ir/loop/", "ir/partition.h", "kernels/", "core/"}},
      {"kernels/", {"kernels/", "core/"}},
      {"tools/zoo/", {"tools/zoo/", "ir/", "core/"}},
      {"tools/plot/", {"tools/plot/", "core/"}},
      {"tools/", {"tools/", "codegen/", "lm/", "space/", "ir/", "kernels/", "core/", "runtime.h"}},
  };
  return rules;
}

// Third-party headers: which folders may include them, and whether headers may too.
struct ThirdPartyRule {
  std::string header;  // prefix
  Names folders;
  bool in_headers;
};

const std::vector<ThirdPartyRule>& third_party_rules() {
  static const std::vector<ThirdPartyRule> rules = {
      {"nlohmann/", {""}, false},
      {"google/protobuf/", {"ir/onnx/"}, false},
      {"Eigen/", {"kernels/"}, false},
      {"sqlite3.h", {"space/records/"}, false},
      {"lzma.h", {"space/records/"}, false},
      {"CLI/", {"tools/tlm/"}, true},
      {"fmt/", {"tools/"}, false},
      {"cuda", {"kernels/cuda/", "codegen/"}, false},
      {"nvrtc", {"codegen/"}, false},
      {"onnx/", {}, false},
      {"gtest/", {}, false},
      {"benchmark/", {}, false},
  };
  return rules;
}

// Too heavy for a header that others include.
const Names& heavy_headers() {
  static const Names names = {"iostream", "regex", "random"};
  return names;
}

// The one header that speaks of protobuf messages: private to ir/onnx and not installed.
constexpr const char* kProtobufHeader = "tlm/ir/onnx/tensor_proto.h";

bool starts_with_any(const std::string& text, const Names& prefixes) {
  return std::any_of(prefixes.begin(), prefixes.end(), [&](const std::string& p) { return text.starts_with(p); });
}

}  // namespace

std::vector<std::string> include_violations(const SourceFile& file) {
  std::vector<std::string> violations;
  const bool header = file.path.ends_with(".h");
  const auto rule = std::find_if(folder_rules().begin(), folder_rules().end(),
                                 [&](const FolderRule& r) { return file.path.starts_with(r.prefix); });
  bool lm = false, codegen = false;
  for (const Include& include : includes_of(file.text)) {
    const auto violate = [&](const std::string& reason) {
      violations.push_back(file.path + ":" + std::to_string(include.line) + ": " + include.path + ": " + reason);
    };
    if (rule == folder_rules().end()) {
      violate("the file is in no folder of the table");
      continue;
    }
    if (include.path.starts_with("tlm/")) {
      const std::string path = include.path.substr(4);
      lm |= path.starts_with("lm/");
      codegen |= path.starts_with("codegen/");
      if (include.path == kProtobufHeader && !file.path.starts_with("ir/onnx/")) violate("protobuf messages stay in ir/onnx");
      if (!starts_with_any(path, rule->may_include)) violate(rule->prefix + "* may not include it");
      if (lm && codegen && !file.path.starts_with("tools/engine/")) violate("only tools/engine joins lm and codegen");
      continue;
    }
    if (include.path.find("..") != std::string::npos) violate("a path that leaves its folder");
    if (include.quoted && !include.path.ends_with(".pb.h")) violate("headers of the project are included as \"tlm/…\"");
    if (include.path.ends_with(".pb.h") && !file.path.starts_with("ir/onnx/"))
      violate("generated protobuf classes stay in ir/onnx");
    if (include.path.ends_with(".pb.h") && header && "tlm/" + file.path != kProtobufHeader)
      violate("generated protobuf classes in a header");
    for (const ThirdPartyRule& third : third_party_rules()) {
      if (!include.path.starts_with(third.header)) continue;
      if (!starts_with_any(file.path, third.folders)) violate("third-party header outside the folders that may use it");
      if (header && !third.in_headers) violate("third-party header in a header");
    }
    if (header && std::find(heavy_headers().begin(), heavy_headers().end(), include.path) != heavy_headers().end())
      violate("heavy header in a header");
  }
  return violations;
}

std::vector<std::string> include_circles(const std::vector<SourceFile>& files) {
  std::map<std::string, std::vector<std::string>> edges;
  for (const SourceFile& file : files) {
    if (!file.path.ends_with(".h")) continue;
    for (const Include& include : includes_of(file.text))
      if (include.path.starts_with("tlm/")) edges[file.path].push_back(include.path.substr(4));
  }
  std::vector<std::string> circles, path;
  std::set<std::string> done;
  const auto visit = [&](const auto& self, const std::string& node) -> void {
    const auto seen = std::find(path.begin(), path.end(), node);
    if (seen != path.end()) {
      std::string circle;
      for (auto it = seen; it != path.end(); ++it) circle += *it + " -> ";
      circles.push_back(circle + node);
      return;
    }
    if (done.contains(node)) return;
    path.push_back(node);
    if (const auto it = edges.find(node); it != edges.end())
      for (const std::string& next : it->second) self(self, next);
    path.pop_back();
    done.insert(node);
  };
  for (const auto& [node, unused] : edges) visit(visit, node);
  return circles;
}

}  // namespace tlm::structure
