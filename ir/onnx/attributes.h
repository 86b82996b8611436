// AttributeProto → AttrValue.
#pragma once

#include "tlm/ir/graph/graph.h"
#include "tlm/ir/onnx/tensor_proto.h"

namespace tlm::ir {

// Throws Error: kUnsupported (graphs, sparse tensors, types), kBadModel (no value, a name twice).
Attributes read_attributes(proto::NodeProto& node, ExternalFiles& files);
// The tensor that a Constant node's attributes stand for.
Tensor constant_of_attributes(const Attributes& attrs);

}  // namespace tlm::ir
