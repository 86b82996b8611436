// What the cost model of one workload learns from: programs of the workloads before it in the plan, on the same target.
#pragma once

#include <deque>
#include <map>
#include <vector>

#include "tlm/space/records/record_store.h"
#include "tlm/tools/collect/plan.h"

namespace tlm::collect {

// A function of the plan and the records, so that a collection that goes on chooses as one that was never stopped. Rows are made
// when they are asked for first.
class EarlierRows {
 public:
  explicit EarlierRows(const space::RecordStore& records) : records_(records) {}

  void pass(const PlanItem& item);  // the plan has come past it
  // Of the last items that were passed on this target.
  void add_to(const Target& target, std::vector<std::vector<float>>& rows, std::vector<float>& labels);

 private:
  struct Entry {
    const PlanItem* item = nullptr;
    bool made = false;
    std::vector<std::vector<float>> rows;
    std::vector<float> labels;
  };
  void make(Entry& e) const;

  const space::RecordStore& records_;
  std::map<uint64_t, std::deque<Entry>> by_target_;
};

}  // namespace tlm::collect
