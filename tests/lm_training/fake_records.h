// Records of a measurer that looks at the machine model instead of a clock: the same everywhere, in no time.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "tlm/lm/training/labels.h"
#include "tlm/space/records/record.h"
#include "tlm/space/space.h"

namespace tlm::lm::test {

// Cycles of the machine model.
double fake_ms(const space::Walk& walk);

// `count` random schedules of the space in one batch, and the anchor.
std::vector<space::Record> fake_records(const std::shared_ptr<const space::Space>& space, int count, uint64_t seed);

// Products of m×k and k×n matrices with a rectifier, from a fixed list of sizes, whose keys have the split: the first `count`.
std::vector<std::shared_ptr<const space::Space>> product_spaces(space::Split split, int count);

// Labels of `count` records for each of the spaces.
std::vector<LabelledWorkload> fake_labels(const std::vector<std::shared_ptr<const space::Space>>& spaces, int count);

}  // namespace tlm::lm::test
