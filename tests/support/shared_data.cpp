#include "tests/support/shared_data.h"

#include <algorithm>
#include <cstdlib>

namespace fs = std::filesystem;

namespace tlm::test {

fs::path shared_data() {
  const char* given = std::getenv("TLM_SHARED_DATA");
  const fs::path folder = given ? fs::path(given) : fs::path(TLM_SOURCE_DIR) / ".." / "shared" / "data";
  return fs::exists(folder / "models") ? folder : fs::path();
}

std::vector<NetworkFile> shared_networks() {
  std::vector<NetworkFile> networks;
  const fs::path data = shared_data();
  if (data.empty()) return networks;
  for (const auto& entry : fs::directory_iterator(data / "models"))
    if (fs::exists(entry.path() / "model.onnx"))
      networks.push_back({entry.path().filename().string(), entry.path() / "model.onnx", entry.path() / "test_data_set_0"});
  std::sort(networks.begin(), networks.end(), [](const auto& a, const auto& b) { return a.name < b.name; });
  return networks;
}

}  // namespace tlm::test
