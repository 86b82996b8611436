// docs/operators.md is what the tables say. TLM_UPDATE_GOLDEN=1 writes it anew.
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

#include "tlm/ir/graph/op_table.h"
#include "tlm/ir/lowering/lower_operator.h"

namespace tlm::ir {
namespace {

std::string count(int low, int high) {
  if (high < 0) return std::to_string(low) + "+";
  return low == high ? std::to_string(low) : std::to_string(low) + "–" + std::to_string(high);
}

const char* carried_out(OpKind op) {
  switch (route(op)) {
    case Route::kStages: return "generated";
    case Route::kView: return "no code: a view";
    case Route::kRuntimeCall: return "runtime call";
    case Route::kFoldOnly: return "constant";
  }
  return "";
}

std::string attributes(const OpRow& row) {
  std::string text;
  for (const AttrRow& a : row.attrs) {
    text += (text.empty() ? "" : ", ") + std::string(a.name);
    if (a.otherwise == "!")
      text += " (required)";
    else if (!a.otherwise.empty())
      text += " = " + std::string(a.otherwise);
  }
  return text;
}

std::string operators_page() {
  std::ostringstream out;
  int calls = 0, total = 0;
  for (int i = 0; i < static_cast<int>(OpKind::kRemoved); ++i, ++total)
    calls += route(static_cast<OpKind>(i)) == Route::kRuntimeCall;
  out << "# Operators\n\n"
         "Written from the operator tables (`ir/graph/op_table.cpp`, `ir/lowering/lower_operator.cpp`) by the test `ir_graph`;\n"
         "`TLM_UPDATE_GOLDEN=1 bin/test_ir_graph` renews this page.\n\n"
         "tlm reads ONNX opsets 7 to 23 of the domain ai.onnx. Shapes are static: extents of inputs that the model leaves open "
         "are given\n"
         "with `--dim NAME=N`, and inputs that determine shapes (sizes, axes, repeats, …) must be constant, computed in the "
         "graph from\n"
         "shapes and constants, or bound. Control flow, sequences, maps, optional values, strings, complex numbers, sparse "
         "tensors and\n"
         "functions are refused, as are operators that are not on this page; one message names all such nodes.\n\n"
         "Of the "
      << total << " operators " << calls
      << " are carried out by a call into the runtime; all others become generated code, constants or views.\n\n"
         "Columns: the opset that brought the operator (7: or an earlier one); inputs and outputs; attributes with their "
         "defaults in the\n"
         "newest form (what newer opsets give as constant inputs is an attribute here); how it is carried out when its inputs "
         "are not\n"
         "constant.\n\n"
         "| Operator | Since | Inputs | Outputs | Attributes | Carried out as | Remarks |\n"
         "|---|---|---|---|---|---|---|\n";
  for (int i = 0; i < static_cast<int>(OpKind::kRemoved); ++i) {
    const OpRow& row = op_row(static_cast<OpKind>(i));
    out << "| " << op_kind_name(row.op) << " | " << row.since << " | " << count(row.min_inputs, row.max_inputs) << " | "
        << count(row.min_outputs, row.max_outputs) << " | " << attributes(row) << " | " << carried_out(row.op) << " | "
        << row.note << " |\n";
  }
  return out.str();
}

TEST(OperatorsPage, IsWhatTheTablesSay) {
  const std::string path = std::string(TLM_SOURCE_DIR) + "/docs/operators.md", page = operators_page();
  if (std::getenv("TLM_UPDATE_GOLDEN")) std::ofstream(path) << page;
  std::ifstream in(path);
  EXPECT_EQ(std::string(std::istreambuf_iterator<char>(in), {}), page) << "TLM_UPDATE_GOLDEN=1 renews docs/operators.md";
}

}  // namespace
}  // namespace tlm::ir
