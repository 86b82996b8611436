// Made-up measurements.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "tlm/space/records/record.h"

namespace tlm::space::test {

std::shared_ptr<const Space> small_space(int64_t m = 8);
// `count` records of one batch of small_space(m): distinct schedules with ratios 1, 2, …, all fields filled. Schedules may be
// made up: stores do not replay them.
std::vector<Record> made_up_records(const std::string& batch, int count, int64_t m = 8, int emitter_version = 3);
// Every field equal.
std::string text_of(const Record& r);

}  // namespace tlm::space::test
