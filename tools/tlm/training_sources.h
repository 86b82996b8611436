// What a training reads beside its settings.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "tlm/core/cancel.h"
#include "tlm/core/progress.h"
#include "tlm/lm/training/train_model.h"
#include "tlm/space/records/record.h"

namespace tlm::tools {

// Every record of the files, of any form (space::read_record_file). Throws Error: kEnvironment, kBadModel, kInterrupted.
void read_training_records(const std::vector<std::string>& files, const CancelToken& cancel, Progress& progress,
                           const std::function<void(const space::Record&)>& visit);

// Names of hardware, what is held out of training (`lists`: a folder of lists as lm/data, or "none"), and shapes to pretrain on.
// Throws Error(kUsage): no such folder.
void set_training_sources(lm::TrainModelOptions& options, const std::string& lists);

}  // namespace tlm::tools
