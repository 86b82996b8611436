// What `tlm decode` writes: schedules of workloads as JSON, CSV and a plot.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "tlm/lm/decoding/decoder.h"
#include "tlm/space/measurer.h"

namespace tlm::tools {

// One schedule, however often it was written.
struct DecodedSchedule {
  space::Schedule schedule;
  std::string sentence;  // the decisions
  double log_probability = 0;
  int defaults = 0;
  int times = 1;
  std::optional<space::Measurement> measurement;
};

struct DecodedWorkload {
  std::string name;
  uint64_t hash = 0;
  int cores = 1;
  std::string fallback;                    // why there is no sentence; empty: there are
  std::vector<DecodedSchedule> schedules;  // different ones, best first; of a fallback the constructive one
};

struct DecodedList {
  std::string model, decode;
  std::optional<int> quality;  // that was asked for; none: the model knows no qualities
  uint64_t seed = 0;
  bool measured = false;
  std::vector<DecodedWorkload> workloads;
};

// Equal schedules of an answer are one; the first `most` of them (0: all).
std::vector<DecodedSchedule> distinct_schedules(const lm::Answer& answer, int most);
// The best ratio among the first k measured schedules, geometric mean over the workloads, for k = 1, 2, …. Workloads without
// a measured one are left out.
std::vector<double> best_ratio_by_count(const DecodedList& list);

std::string decoded_json(const DecodedList& list);
std::string decoded_csv(const DecodedList& list);  // one line for each schedule
// Measured: best_ratio_by_count; else the mean log-probability of the k-th schedule.
std::string decoded_svg(const DecodedList& list);

}  // namespace tlm::tools
