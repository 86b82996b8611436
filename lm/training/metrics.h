// What a training tells of its steps: a file of JSON lines, one for each step.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "tlm/lm/training/validation.h"

namespace tlm::lm {

struct StepMetrics {
  int64_t step = 0;  // from 1
  std::string phase;
  int64_t tokens = 0;   // of all steps so far, prompts and all
  int64_t targets = 0;  // of the step
  double loss = 0;      // nats for each target, before the step
  double norm = 0;      // of the gradient, before it is clipped
  double rate = 0;
  double seconds = 0;  // of the whole training so far
  double tokens_per_second = 0;
  std::optional<Validation> dev;  // after the step
};

std::string metrics_line(const StepMetrics& m);  // without its end
// Throws Error(kBadModel).
StepMetrics parse_metrics_line(const std::string& line, const std::string& where);

// Lines that a kill cut short, and all from them on, are left out. No file: none.
std::vector<StepMetrics> read_metrics(const std::filesystem::path& file);
// Keeps those up to and with `step`: a training that goes on writes the others again.
void keep_metrics(const std::filesystem::path& file, int64_t step);

}  // namespace tlm::lm
