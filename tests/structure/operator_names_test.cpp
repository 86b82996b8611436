// Schedules, lowering and code generation know stages, never operators: no name of an ONNX operator occurs in space/ or codegen/.
//
// Some operators are called by plain English words (Tile, Split, Where) or like scalar operations of expressions (kAdd,
// kExp), which these folders need. So:
//  - no identifier of the operator table itself (OpKind, op_kind_name, parse_op_kind) is used;
//  - no string literal is the name of an operator, as ONNX spells it; nor, but for the words below, in lower case;
//  - an operator's name that is no such word occurs nowhere: not in identifiers (Conv, kConv), literals or comments.
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <set>

#include "source_text.h"
#include "tlm/ir/graph/op_kind.h"
#include "tlm/ir/tensor/expr.h"

namespace tlm::structure {
namespace {

const std::set<std::string>& operator_names() {
  static const std::set<std::string> names = {
#define X(name) #name,
      TLM_OPERATORS(X)
#undef X
  };
  return names;
}

// Names that mean something else as well: the scalar operations of expressions, and words of everyday.
const std::set<std::string>& ambiguous_names() {
  static const std::set<std::string> names = [] {
    std::set<std::string> all = {"Cast",  "Compress", "Constant", "Equal", "Expand",    "Gather", "Greater", "Identity",
                                 "Less",  "Mean",     "Pad",      "Range", "Scatter",   "Shape",  "Shrink",  "Size",
                                 "Slice", "Split",    "Sum",      "Tile",  "Transpose", "Where",  "Xor",     "Reciprocal"};
#define X(name, text, arity) all.insert(std::string(#name).substr(1));
    TLM_EXPR_OPS(X)
#undef X
    return all;
  }();
  return names;
}

std::string lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return std::tolower(c); });
  return text;
}

bool unmistakable(const std::string& word) { return operator_names().contains(word) && !ambiguous_names().contains(word); }

std::vector<std::string> operator_violations(const SourceFile& file) {
  static const std::set<std::string> table = {"OpKind", "op_kind_name", "parse_op_kind", "TLM_OPERATORS"};
  static const std::set<std::string> lower_case = [] {
    std::set<std::string> all;
    for (const std::string& name : operator_names())
      if (unmistakable(name)) all.insert(lower(name));
    return all;
  }();
  std::vector<std::string> violations;
  for (const Token& token : tokens_of(file.text)) {
    const auto violate = [&](const std::string& what) {
      violations.push_back(file.path + ":" + std::to_string(token.line) + ": " + what + " in: " + token.text);
    };
    if (token.kind == TokenKind::kIdentifier && table.contains(token.text)) violate("the operator table");
    if (token.kind == TokenKind::kString && (operator_names().contains(token.text) || lower_case.contains(token.text)))
      violate("an operator's name as a string");
    for (const std::string& word : words_of(token.text)) {
      const bool enumerator = word.size() > 1 && word[0] == 'k' && unmistakable(word.substr(1));
      if (unmistakable(word) || enumerator) violate("operator " + word);
    }
  }
  return violations;
}

TEST(OperatorNames, NoneBelowTheGraph) {
  const std::vector<SourceFile> files = read_sources({"space", "codegen"});
  EXPECT_GT(files.size(), 20u);
  for (const SourceFile& file : files)
    for (const std::string& violation : operator_violations(file)) ADD_FAILURE() << violation;
}

TEST(OperatorNames, FindsThem) {
  const char* const forbidden[] = {
      "if (op == OpKind::kAdd) {}",
      "x = kConv;",
      "f(\"Conv\");",
      "f(\"conv\");",
      "f(\"Add\");",
      "// as Softmax does",
      "/* MatMul */",
      "auto s = R\"x(a BatchNormalization b)x\";",
      "op_kind_name(k);",
      "struct Gemm {};",
      "x = \"the Relu here\";",
      "int a = 1'000; f(\"Clip\");",
  };
  for (const char* text : forbidden) EXPECT_FALSE(operator_violations({"space/a.cpp", text}).empty()) << text;
  const char* const allowed[] = {
      "case Op::kAdd: return Op::kMax;",
      "// Tile sizes need not divide",
      "Split by rows",
      "f(\"add\"); g(\"tile\");",
      "DecisionKind::kTile",
      "#include \"tlm/ir/graph/Conv.h\"",
      "'\"'; x",
      "int convolve = 0;",
  };
  for (const char* text : allowed)
    for (const std::string& violation : operator_violations({"space/a.cpp", text})) ADD_FAILURE() << violation;
}

}  // namespace
}  // namespace tlm::structure
