// The version of the space that a record of a measurement names.
#pragma once

namespace tlm::space {

// Bumped by hand when a schedule's text comes to mean another program, or the constructive scheduler (the anchor of every batch)
// chooses differently: ratios of records with other numbers are not comparable to the letter.
inline constexpr int kSpaceVersion = 3;

}  // namespace tlm::space
