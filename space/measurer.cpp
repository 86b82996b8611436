#include "tlm/space/measurer.h"

#include <array>

namespace tlm::space {
namespace {

constexpr std::array<std::string_view, 6> kNames = {"ok", "slow", "crashed", "timed_out", "wrong", "failed"};

}  // namespace

std::string_view measure_status_name(MeasureStatus s) { return kNames[static_cast<size_t>(s)]; }

std::optional<MeasureStatus> parse_measure_status(std::string_view name) {
  for (size_t i = 0; i < kNames.size(); ++i)
    if (kNames[i] == name) return static_cast<MeasureStatus>(i);
  return std::nullopt;
}

}  // namespace tlm::space
