// Batches of a small workload in which some programs are made to misbehave.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "tlm/codegen/measure/measurer.h"

namespace tlm::codegen::test {

std::shared_ptr<const space::Space> small_space(int cores = 1);
// `count` distinct schedules, none of them the constructive one.
std::vector<space::Schedule> some_schedules(const space::Space& space, int count);

// Statements at the beginning of each phase of the programs of these schedules.
using Planted = std::map<std::string, std::string>;  // by text of the schedule
inline constexpr char kTrap[] = "__builtin_trap();";
inline constexpr char kWildStore[] = "*(volatile int*)8 = 1;";
inline constexpr char kHang[] = "for (volatile int stay = 1; stay;) {}";
inline constexpr char kNothing[] = "return;";
inline constexpr char kDelay[] = "for (volatile int i = 0; i < 30000000; i = i + 1) {}";
inline constexpr char kNoC[] = "this is no C;";

// Fast and quiet: short rounds, constant probes, errors of the log collected in `log` where given.
MeasureOptions quick_options(Planted planted = {}, std::string* log = nullptr);

bool has_children();  // of this process, dead or alive

}  // namespace tlm::codegen::test
