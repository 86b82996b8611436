// Graph → ONNX model file (opset 17), enough for the zoo.
#pragma once

#include <filesystem>

#include "tlm/ir/graph/graph.h"

namespace tlm::ir {

void write_onnx(const Graph& g, const std::filesystem::path& file);  // atomic; Error(kEnvironment)

}  // namespace tlm::ir
