// One node from a line of text, for tables of shape rules.
#pragma once

#include <string>

#include "tlm/ir/graph/op_table.h"

namespace tlm::ir::test {

// Inputs, separated by blanks: f32[2,3] a value; i64{1,2} a constant vector; i64:5 a constant scalar; _ absent.
// Attributes, separated by blanks: axis=1, alpha=0.5, axes=[0,1], scales=[2.0,2.0], mode=reflect, value=f32{1}.
Graph node_graph(OpKind op, const std::string& inputs, const std::string& attrs = "", int outputs = 1);

// What inference makes of it: "Squeeze(1) {axes=[1]} -> f32[2]" (the number in parentheses is that of the inputs left), or the
// message of the error with its code: "3: axis 5 is outside [-2,1]". A graph that passes is also verified.
std::string infer_text(OpKind op, const std::string& inputs, const std::string& attrs = "", int outputs = 1);

}  // namespace tlm::ir::test
