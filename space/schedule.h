// A schedule as a value: chosen candidates by decision name. Outlives the space that it came from.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace tlm::space {

struct Schedule {
  std::vector<std::pair<std::string, std::string>> choices;  // decision name → text of the candidate, in the order of the space

  const std::string* find(const std::string& decision) const;
  bool operator==(const Schedule&) const = default;
};

// One line: "attach.s1=epilogue; micro.s0=co:2x8 ow:6; …". parse throws Error(kUsage).
std::string print(const Schedule& s);
Schedule parse_schedule(const std::string& text);
uint64_t hash(const Schedule& s);

}  // namespace tlm::space
