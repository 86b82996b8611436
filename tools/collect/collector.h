// Measures programs for a plan until each workload has as many of each source as were asked for.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "tlm/core/cancel.h"
#include "tlm/core/log.h"
#include "tlm/core/progress.h"
#include "tlm/space/measurer.h"
#include "tlm/space/records/record_store.h"
#include "tlm/space/scheduler.h"
#include "tlm/tools/collect/plan.h"

namespace tlm::collect {

enum class Source : uint8_t {
  kRandom,        // a uniform candidate at each decision
  kConstructive,  // neighbours of the constructive schedule
  kSearch,        // evolutionary, with a cost model that has learned of the workloads before
  kModel,         // schedules that a model writes, measured beside the four fastest known
  kConfirm,       // the fastest, once more and side by side: the fastest in one measurement is also the luckiest
};

struct Quota {
  Source source = Source::kRandom;
  int programs = 0;  // of each workload and variant
};

// "random:16,constructive:8,search:48,lm:24,confirm:4": in this order. Throws Error(kUsage).
std::vector<Quota> parse_quotas(const std::string& text);

// A model's `schedules` best for each space. Its name is the origin of its records.
using ModelFactory = std::function<std::unique_ptr<space::Scheduler>(int schedules, uint64_t seed)>;

struct CollectOptions {
  std::vector<Quota> quotas;
  int programs = 0;    // of each workload and variant, from all sources and earlier collections together; 0: as many as asked for
  int batch = 16;      // programs measured at a time
  uint64_t seed = 0;   // of all that is drawn
  double seconds = 0;  // then no further batch is begun; 0: no limit
  ModelFactory model;  // for Source::kModel
  CancelToken cancel;  // Error(kInterrupted); what was measured before is in the records
  Progress* progress = nullptr;  // borrowed
  Log log;
};

struct CollectResult {
  int measured = 0;  // programs, in this collection
  int batches = 0;
  int items = 0;          // workloads and variants that something was measured of
  bool complete = false;  // nothing of the plan is left
  double seconds = 0, measuring_s = 0, choosing_s = 0;
};

// Every batch is in `records` before the next one begins. What is measured follows from plan, options and the records alone: a
// collection that was stopped goes on where it was. Programs that are there already are not measured again, but as company.
CollectResult collect(const std::vector<PlanItem>& plan, space::Measurer& measurer, space::RecordStore& records,
                      const CollectOptions& options);

}  // namespace tlm::collect
