// Where the real models with reference outputs are, if this machine has them.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace tlm::test {

// $TLM_SHARED_DATA, else ../shared/data beside the source tree; empty if it is not there.
std::filesystem::path shared_data();

struct NetworkFile {
  std::string name;
  std::filesystem::path model;   // model.onnx
  std::filesystem::path data;    // input_N.pb, output_N.pb
};
std::vector<NetworkFile> shared_networks();  // empty without the data

}  // namespace tlm::test
