// A measurer that remembers: what is in the records is not measured again, what is measured goes there batch by batch. Work that
// was interrupted goes on.
#pragma once

#include <string>
#include <vector>

#include "tlm/space/measurer.h"
#include "tlm/space/records/record_store.h"

namespace tlm::space {

class RecordedMeasurer : public Measurer {
 public:
  static constexpr size_t kMostAtOnce = 32;  // schedules of a batch: longer lists are cut, so that an interrupt loses little

  // Both borrowed. `records` may be null: then lists are cut and nothing is kept. `origin`, `seed`: of the records.
  RecordedMeasurer(Measurer& measurer, RecordStore* records, std::string origin, uint64_t seed)
      : measurer_(measurer), records_(records), origin_(std::move(origin)), seed_(seed) {}

  // As if all had been one batch: everything but `programs` is of the last one that was measured, or, if all schedules were
  // known, no more than the anchor. Ratios are as they were measured, and latencies of other batches follow from them: the
  // anchor's ÷ ratio. A schedule is known if it was measured beside today's constructive schedule; its newest record counts, of
  // those of the newest emitter. Finished batches stay in the records when it throws.
  Batch measure(const Space& space, const std::vector<Schedule>& schedules, const CancelToken& cancel) override;

  // Schedules so far, of all calls.
  int measured() const { return measured_; }
  int known() const { return known_; }

 private:
  Measurer& measurer_;
  RecordStore* records_;
  std::string origin_;
  uint64_t seed_;
  int measured_ = 0, known_ = 0;
};

}  // namespace tlm::space
