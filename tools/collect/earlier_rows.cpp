#include "tlm/tools/collect/earlier_rows.h"

#include "tlm/tools/collect/workload_trials.h"

namespace tlm::collect {
namespace {

constexpr size_t kItems = 24, kRowsOfOne = 100;

}  // namespace

void EarlierRows::pass(const PlanItem& item) {
  std::deque<Entry>& entries = by_target_[space::target_hash(item.variant.target)];
  entries.push_back({&item});
  if (entries.size() > kItems) entries.pop_front();
}

void EarlierRows::make(Entry& e) const {
  const WorkloadTrials trials(space::Space::build(*e.item->subgraph, e.item->variant.target), 0, records_);
  std::vector<std::vector<float>> rows;
  std::vector<float> labels;
  trials.search().add_rows(rows, labels);
  const size_t step = (rows.size() + kRowsOfOne - 1) / kRowsOfOne;
  for (size_t i = 0; i < rows.size(); i += step) {
    e.rows.push_back(std::move(rows[i]));
    e.labels.push_back(labels[i]);
  }
  e.made = true;
}

void EarlierRows::add_to(const Target& target, std::vector<std::vector<float>>& rows, std::vector<float>& labels) {
  for (Entry& e : by_target_[space::target_hash(target)]) {
    if (!e.made) make(e);
    rows.insert(rows.end(), e.rows.begin(), e.rows.end());
    labels.insert(labels.end(), e.labels.begin(), e.labels.end());
  }
}

}  // namespace tlm::collect
