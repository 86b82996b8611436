#include "tlm/tools/collect/obstacle.h"

#include "tlm/tools/collect/variants.h"

namespace tlm::collect {

std::string obstacle(const space::Exclusion* lists, const ir::Subgraph& g, const Target& t) {
  const auto variant = variant_of(t);
  if (variant && variant->held_out) return "the hardware " + variant->name + " is held out";
  return lists ? lists->obstacle(g) : "";
}

}  // namespace tlm::collect
