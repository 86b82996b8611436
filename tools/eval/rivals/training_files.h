// Records as files, for rivals.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "tlm/core/log.h"
#include "tlm/tools/eval/rivals/training_data.h"

namespace tlm::eval {

// Record files of any form (space::read_record_file). What nothing may be learned from is left out: records of dev and test, and
// what collect::obstacle says, with the lists in the folder `lists`. Throws Error(kUsage) when nothing is left.
std::vector<TrainingWorkload> read_training(const std::vector<std::filesystem::path>& files, const std::filesystem::path& lists,
                                            const Log& log);
std::string training_fingerprint(const std::vector<std::filesystem::path>& files);  // of their bytes

}  // namespace tlm::eval
