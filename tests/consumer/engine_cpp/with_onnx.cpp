// The ONNX library and protobuf of the host application, used before and after tlm has read the same model.
#include <onnx/checker.h>
#include <onnx/onnx_pb.h>
#include <onnx/shape_inference/implementation.h>
#include <fstream>
#include <string>

// Number of nodes of a model that the ONNX checker accepts.
int count_nodes_with_onnx(const std::string& path) {
  onnx::ModelProto model;
  std::ifstream file(path, std::ios::binary);
  if (!model.ParseFromIstream(&file)) return -1;
  onnx::checker::check_model(model);
  onnx::shape_inference::InferShapes(model);
  return model.graph().node_size();
}
