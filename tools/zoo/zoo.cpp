#include "tlm/tools/zoo/zoo.h"

#include "tlm/core/error.h"
#include "tlm/tools/zoo/networks.h"

namespace tlm::tools {
namespace {

struct Network {
  const char* name;
  ir::Graph (*make)(int64_t batch, uint64_t seed);
};

constexpr Network kNetworks[] = {
    {"resnet50", make_resnet50},     {"mobilenet_v2", make_mobilenet_v2},     {"squeezenet", make_squeezenet},
    {"bert_layer", make_bert_layer}, {"tiny_attention", make_tiny_attention}, {"tiny_cnn", make_tiny_cnn},
    {"tiny_mlp", make_tiny_mlp},
};

}  // namespace

std::vector<std::string> zoo_names() {
  std::vector<std::string> names;
  for (const Network& n : kNetworks) names.emplace_back(n.name);
  return names;
}

ir::Graph make_zoo(const std::string& name, int64_t batch, uint64_t seed) {
  std::string known;
  for (const Network& n : kNetworks) {
    if (name == n.name) return n.make(batch, seed);
    known += (known.empty() ? "" : ", ") + std::string(n.name);
  }
  throw Error(ErrorCode::kUsage, "there is no network '" + name + "' in the zoo", {}, "one of: " + known);
}

}  // namespace tlm::tools
