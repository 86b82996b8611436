// Which workloads a model learns from, and which it is judged by.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tlm/ir/tensor/subgraph.h"

namespace tlm::space {

enum class Split : uint8_t { kTrain, kDev, kTest };

// Text of the main stage (the one with most operations): extents, strides, accesses and types, without what follows it (result,
// epilogue), without the batch axis and without literal constants. Workloads that differ in these alone have one key.
std::string split_key_text(const ir::Subgraph& g);
// The stage with most operations; a reduction counts double beside elementwise stages.
int main_stage(const ir::Subgraph& g);
// What the key says but for sizes: axes by kind, accesses with their small factors and offsets, types; no extents, no strides in
// memory, no bounds. Workloads of one structure differ in `key_extents` alone.
std::string key_structure(const ir::Subgraph& g);
std::vector<int64_t> key_extents(const ir::Subgraph& g);  // of the main stage's axes that are part of the key
uint64_t split_key(const ir::Subgraph& g);
// A pure function of the key: of 100 keys about 80 train, 10 dev, 10 test.
Split split_of(uint64_t key);
std::string_view split_name(Split s);  // "train", "dev", "test"

}  // namespace tlm::space
