// What rounding could decide, a rule decides: results of instruction sets differ in the last bits, and equally probable tokens
// are common where candidates mean the same.
#pragma once

namespace tlm::lm {

inline constexpr double kNearTie = 1e-3;  // of log-probability: nearer ones are a tie, which goes to the lower token id

}  // namespace tlm::lm
