// Well-known networks by name, with seeded weights. A network's structure is its paper's; its weights are random but scaled so
// that activations stay in range, so that numerical comparisons mean something.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tlm/ir/graph/graph.h"

namespace tlm::tools {

// Those of the papers ("resnet50", "mobilenet_v2", "squeezenet", "bert_layer"), then the tiny ones of the tests
// ("tiny_attention", "tiny_cnn", "tiny_mlp").
std::vector<std::string> zoo_names();

// The same bytes for the same name, batch and seed, on every machine. Throws Error(kUsage) that lists the names.
ir::Graph make_zoo(const std::string& name, int64_t batch = 1, uint64_t seed = 0);

}  // namespace tlm::tools
