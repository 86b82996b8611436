// One builder for each network of the zoo.
#pragma once

#include <cstdint>

#include "tlm/ir/graph/graph.h"

namespace tlm::tools {

ir::Graph make_resnet50(int64_t batch, uint64_t seed);      // resnet.cpp
ir::Graph make_mobilenet_v2(int64_t batch, uint64_t seed);  // mobilenet.cpp
ir::Graph make_squeezenet(int64_t batch, uint64_t seed);    // squeezenet.cpp
ir::Graph make_bert_layer(int64_t batch, uint64_t seed);    // bert.cpp
ir::Graph make_tiny_cnn(int64_t batch, uint64_t seed);      // tiny.cpp
ir::Graph make_tiny_mlp(int64_t batch, uint64_t seed);
ir::Graph make_tiny_attention(int64_t batch, uint64_t seed);

}  // namespace tlm::tools
