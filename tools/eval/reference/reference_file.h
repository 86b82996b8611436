// What the reference search found for each test workload, as JSON lines: kept in the repository, raced by `tlm eval --race`.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "tlm/space/schedule.h"

namespace tlm::eval {

struct ReferenceSchedule {
  space::Schedule schedule;
  double ratio = 0;  // times as fast as the constructive schedule, when it was confirmed
};

// The search as it stood after so many trials.
struct ReferencePrefix {
  int trials = 0;  // asked for; a space that holds fewer schedules has ended before
  double seconds = 0;
  ReferenceSchedule best;
};

struct CurvePoint {
  int trials = 0;
  double seconds = 0;
  double ms = 0;  // of the best so far, by all that was ever measured of it
};

struct Reference {
  std::string name;
  uint64_t workload = 0, target = 0;  // ir::workload_hash, space::target_hash
  int cores = 1;
  int trials = 0;  // measured
  uint64_t seed = 0;
  double seconds = 0;                  // wall-clock of the search
  double constructive_ms = 0;          // median over all batches
  std::vector<ReferenceSchedule> top;  // confirmed together, fastest first; distinct programs
  std::vector<ReferencePrefix> after;  // ascending
  std::vector<CurvePoint> curve;       // where the best changed, and the end
  int space_version = 0, emitter_version = 0;
  std::string engine, compiler;
};

std::string reference_line(const Reference& r);  // without its end
// Throws Error(kBadModel) that names file and line.
std::vector<Reference> parse_references(const std::string& text, const std::string& where);
std::vector<Reference> read_references(const std::filesystem::path& file);

}  // namespace tlm::eval
