// One workload on one target: what is recorded of it, and what each source would have measured next.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "tlm/space/records/record_store.h"
#include "tlm/space/search/evolutionary.h"

namespace tlm::collect {

class WorkloadTrials {
 public:
  // With all that `store` holds of it.
  WorkloadTrials(std::shared_ptr<const space::Space> space, uint64_t seed, const space::RecordStore& store);

  const std::shared_ptr<const space::Space>& space() const { return space_; }
  const space::EvolutionarySearch& search() const { return search_; }
  int trials() const { return search_.trials(); }
  // Distinct schedules that were first measured for `origin`, the constructive one aside.
  int measured_for(const std::string& origin) const;

  // Of `proposals` those that were never measured, each once, at most `count`.
  std::vector<space::Schedule> unknown(const std::vector<space::Schedule>& proposals, int count) const;
  // Takes note of a batch that is in the records.
  void observe(const std::vector<space::Record>& records);

 private:
  void observe(const space::Record& r);

  std::shared_ptr<const space::Space> space_;
  space::EvolutionarySearch search_;
  uint64_t anchor_;
  std::set<uint64_t> known_;  // hashes of schedules
  std::map<std::string, int> by_origin_;
};

}  // namespace tlm::collect
