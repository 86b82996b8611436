// Which workloads a model learns from, and which it is judged by.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "tlm/ir/tensor/subgraph.h"

namespace tlm::space {

enum class Split : uint8_t { kTrain, kDev, kTest };

// Text of the main stage (the one with most operations): extents, strides, accesses and types, without what follows it (result,
// epilogue), without the batch axis and without literal constants. Workloads that differ in these alone have one key.
std::string split_key_text(const ir::Subgraph& g);
uint64_t split_key(const ir::Subgraph& g);
// A pure function of the key: of 100 keys about 80 train, 10 dev, 10 test.
Split split_of(uint64_t key);
std::string_view split_name(Split s);  // "train", "dev", "test"

}  // namespace tlm::space
