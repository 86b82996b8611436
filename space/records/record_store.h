// A file of records (SQLite): several processes may write at once, and one that is killed loses at most the batch it writes.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tlm/space/records/record.h"

namespace tlm::space {

enum class StoreAccess : uint8_t {
  kRead,   // the file must be there
  kWrite,  // created if need be
};

// One workload on one target.
struct WorkloadSummary {
  uint64_t workload_hash = 0, target_hash = 0;
  std::string name;         // of the subgraph
  std::string target_name;  // a few words: "x86-64, avx512f, 2 cores"
  int64_t records = 0;      // of any status
  int64_t schedules = 0;    // distinct ones that have a latency
  double best_ratio = 0;    // of RankedSchedule, 0: none
  double best_ms = 0;
};

// A schedule by all its records.
struct RankedSchedule {
  Record record;     // the newest with a latency
  double ratio = 0;  // median over its batches (of the newest emitter version that measured it)
  double median_ms = 0;
  int batches = 0;
};

class RecordStore {
 public:
  // Throws Error: kEnvironment (not there, no permission, disk full), kBadModel (not a record file, of a newer version).
  explicit RecordStore(std::filesystem::path file, StoreAccess access = StoreAccess::kWrite);
  ~RecordStore();
  RecordStore(const RecordStore&) = delete;
  RecordStore& operator=(const RecordStore&) = delete;

  // All or none of them, in one transaction; those that are there already (batch and schedule) are passed over. Returns how many
  // were new. Throws Error(kEnvironment): disk full, read-only, locked for longer than a minute.
  int64_t append(const std::vector<Record>& records);
  // The same for as many as `next` yields (false: no more); an exception of its leaves the file as it was.
  int64_t append_all(const std::function<bool(Record& record)>& next);

  // Schedules of a workload that the newest emitter version which measured them found ok, on one target, best ratio first; of
  // schedules that give the same program the best. None that was wrong or crashed there.
  std::vector<RankedSchedule> best(uint64_t workload_hash, uint64_t target_hash, int limit) const;
  // All records of a workload, oldest first; on one target or on all.
  std::vector<Record> of_workload(uint64_t workload_hash, std::optional<uint64_t> target_hash = std::nullopt) const;
  // Workloads and targets, in the order in which they were first recorded.
  std::vector<WorkloadSummary> workloads() const;
  // Every record, oldest first.
  void for_each(const std::function<void(const Record&)>& visit) const;
  int64_t size() const;
  const std::filesystem::path& file() const { return file_; }

 private:
  struct State;
  std::filesystem::path file_;
  std::unique_ptr<State> state_;
};

}  // namespace tlm::space
