#include "tlm/tools/eval/rivals/training_files.h"

#include "tlm/core/error.h"
#include "tlm/core/file.h"
#include "tlm/core/hash.h"
#include "tlm/lm/training/labels.h"
#include "tlm/space/records/packed_records.h"
#include "tlm/space/records/split_key.h"
#include "tlm/tools/collect/obstacle.h"
#include "tlm/tools/collect/workload_list.h"

namespace tlm::eval {

namespace fs = std::filesystem;

std::vector<TrainingWorkload> read_training(const std::vector<fs::path>& files, const fs::path& lists, const Log& log) {
  const space::Exclusion exclusion = collect::read_exclusion(lists);
  lm::Labels labels;  // it refuses test records; here they may be there
  int64_t others = 0;
  for (const fs::path& file : files)
    space::read_record_file(file, [&](const space::Record& r) {
      if (space::split_of(r.split_key) == space::Split::kTrain) {
        labels.add(r);
      } else {
        ++others;
      }
    });
  std::vector<lm::LabelledWorkload> labelled = labels.take();
  const size_t known = labelled.size();
  std::vector<TrainingWorkload> all = lm::measured_workloads(
      std::move(labelled), [&](const ir::Subgraph& g, const Target& t) { return collect::obstacle(&exclusion, g, t); });
  size_t programs = 0;
  for (const TrainingWorkload& w : all) programs += w.programs.size();
  log.debug("rivals learn from " + std::to_string(programs) + " programs of " + std::to_string(all.size()) +
            " workloads on targets; held out: " + std::to_string(known - all.size()) + " workloads on targets, and " +
            std::to_string(others) + " records of dev and test");
  if (all.empty())
    throw Error(ErrorCode::kUsage, "nothing may be learned from these records", files.empty() ? "" : files[0].string(),
                "all of them are of workloads that are held out");
  return all;
}

std::string training_fingerprint(const std::vector<fs::path>& files) {
  Hasher h;
  for (const fs::path& file : files) {
    const std::shared_ptr<const MappedFile> bytes = MappedFile::open(file);
    h.number(static_cast<int64_t>(hash_bytes(bytes->data(), bytes->size())));
  }
  return h.hex();
}

}  // namespace tlm::eval
