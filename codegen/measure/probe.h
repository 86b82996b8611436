// What the machine does at the moment, by two fixed pieces of work.
#pragma once

#include <cstddef>
#include <span>

#include "tlm/space/measurer.h"

namespace tlm::codegen {

// Multiply-adds in registers on `threads` threads, and one pass through `stream` (larger than the caches) on one; the best of a
// few tries each, about 20 ms together.
space::Probe probe_machine(int threads, std::span<const std::byte> stream);
// How far the figures moved: 0.15 where the larger of two is 1.15 times the smaller. Figures that are 0 do not count.
double drift(const space::Probe& a, const space::Probe& b);

}  // namespace tlm::codegen
