// Schedules of workloads as a text file: one line each, "<workload hash> <schedule>"; # begins a comment.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>

#include "tlm/codegen/compiler.h"

namespace tlm {

std::string schedule_file_text(const codegen::CompileReport& report);
// Throws Error(kUsage) with the line, Error(kEnvironment).
std::map<uint64_t, space::Schedule> read_schedule_file(const std::filesystem::path& file);

}  // namespace tlm
