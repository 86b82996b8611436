// Measures schedules on this machine: compiles a batch, then runs it in worker processes that may crash or hang.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "tlm/codegen/build/binary_cache.h"
#include "tlm/core/log.h"
#include "tlm/space/measurer.h"

namespace tlm::codegen {

struct MeasureOptions {
  int jobs = 1;                        // compiler processes at once
  std::string c_compiler;              // program; empty: the system's
  const BinaryCache* cache = nullptr;  // compiled batches; usually none: programs are rarely measured twice
  int rounds = 7;
  double round_ms = 0.2;   // a round repeats a short program for so long
  double slow_factor = 3;  // slower than this many times the best after one round: not repeated
  double deadline_s = 10;  // of one program's verification or of one round
  double drift = 0.15;     // probes that move by more make the batch be measured again
  int max_repeats = 2;
  uint64_t max_weight_bytes = uint64_t{256} << 20;  // of the memory from which cold weights are read
  uint64_t seed = 1;                                // of inputs and constants
  Log log;
  // For tests.
  std::function<space::Probe()> probe;                                                    // in place of the real one
  std::function<std::string(const space::Schedule& s, const std::string& source)> plant;  // changes emitted code
};

// Why programs for `target` cannot be measured on this machine; empty: they can.
std::string measure_obstacle(const Target& target);

// For targets whose code runs on this machine; others are Error(kUnsupported).
std::unique_ptr<space::Measurer> make_measurer(MeasureOptions options);

}  // namespace tlm::codegen
