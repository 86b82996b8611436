// The version of generated code that a record of a measurement names.
#pragma once

namespace tlm::codegen {

// Bumped by hand when lowering, source or compiler flags change the speed of the same schedule. `tlm records refresh` then
// measures the best schedules of every workload again.
inline constexpr int kEmitterVersion = 3;

}  // namespace tlm::codegen
