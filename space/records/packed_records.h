// Records in little room: an xz file of JSON lines in which workloads, targets and batches are written once.
//
//   {"tlm_records":1}
//   {"workload":"subgraph …"}                    the first is number 0
//   {"target":"{…}"}                             likewise
//   {"batch":"id","workload":0,"target":0, …}    to which the rows after it belong
//   ["schedule","ok","search",seed,"source hash",median_ms,ratio,[samples_ms],"reason"]
//
// Hashes of workloads, targets and schedules and split keys are computed anew. Nothing is rounded or left out.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "tlm/space/records/record.h"
#include "tlm/space/records/xz.h"

namespace tlm::space {

class PackedRecordWriter {
 public:
  explicit PackedRecordWriter(std::function<void(std::string_view bytes)> sink);
  void add(const Record& r);  // rows of a batch in a row
  void finish();

 private:
  int number_of(std::map<std::string, int>& numbers, const char* key, const std::string& text);
  void line(const std::string& text);

  XzWriter out_;
  std::map<std::string, int> workloads_, targets_;
  std::string batch_;
};

class PackedRecordReader {
 public:
  explicit PackedRecordReader(const std::filesystem::path& file);  // throws Error(kEnvironment)
  ~PackedRecordReader();
  PackedRecordReader(const PackedRecordReader&) = delete;
  PackedRecordReader& operator=(const PackedRecordReader&) = delete;
  // False: there is no further one. Throws Error: kEnvironment, kBadModel (the line and what is wrong with it).
  bool next(Record& record);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// Every record of a file of any form, by its first bytes: a record store, packed records, JSON lines (record_json.h). Oldest
// first. Throws Error like their readers.
void read_record_file(const std::filesystem::path& file, const std::function<void(const Record&)>& visit);

}  // namespace tlm::space
