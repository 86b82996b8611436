// Canonical form → the form of ONNX opset 17, for the writer.
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "tlm/ir/graph/graph.h"

namespace tlm::ir {

// A node as a file of opset 17 has it: an input is a value of the graph or a constant that the node brings along.
struct FileNode {
  std::string op_type;
  std::vector<std::variant<ValueId, Tensor>> inputs;
  std::vector<ValueId> outputs;
  Attributes attrs;
};

constexpr int kWrittenOpset = 17;

// Throws Error(kUnsupported) for what opset 17 cannot say.
FileNode to_file_form(const Graph& g, const Node& n);

}  // namespace tlm::ir
