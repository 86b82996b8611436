// What a training reads beside its settings.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "tlm/core/cancel.h"
#include "tlm/core/progress.h"
#include "tlm/lm/training/train_model.h"
#include "tlm/space/records/record.h"
#include "tlm/tools/collect/variants.h"

namespace tlm::tools {

// Every record of the files: record stores (SQLite) or JSON lines (`tlm records export`). Throws Error: kEnvironment, kBadModel,
// kInterrupted.
void read_training_records(const std::vector<std::string>& files, const CancelToken& cancel, Progress& progress,
                           const std::function<void(const space::Record&)>& visit);

// The variant of collect::hardware_variants that a target is, whatever its caches; none: another machine, as it is.
std::optional<collect::Variant> variant_of(const Target& t);
// Its name, or a few words.
std::string variant_name(const Target& t);

// What is held out of training (`lists`: a folder of lists as lm/data, or "none"), and shapes to pretrain on. Throws
// Error(kUsage): no such folder.
void set_training_sources(lm::TrainModelOptions& options, const std::string& lists);

}  // namespace tlm::tools
