// A compiled model as a package file, or as its bytes.
#pragma once

#include <cstddef>
#include <filesystem>
#include <vector>

#include "tlm/codegen/compiler.h"

namespace tlm::codegen {

// The same model gives the same bytes. The file appears whole or not at all. Throws Error(kEnvironment).
void write_package(const CompiledModel& model, const std::filesystem::path& file);
std::vector<std::byte> package_bytes(const CompiledModel& model);

}  // namespace tlm::codegen
