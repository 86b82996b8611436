// Families of layers: each draws shapes and builds a small graph in which they occur as in a network.
#pragma once

#include <span>

#include "tlm/space/records/workload_kind.h"
#include "tlm/tools/collect/layer_builder.h"
#include "tlm/tools/collect/sizes.h"

namespace tlm::collect {

struct Family {
  const char* name;
  int weight;                              // how often it is asked for a workload of one of its kinds
  std::vector<space::WorkloadKind> kinds;  // that it may yield
  void (*build)(LayerBuilder& b, Sizes& z);
};

std::span<const Family> image_families();        // image_families.cpp: residual networks, inverted residuals, …
std::span<const Family> transformer_families();  // transformer_families.cpp: projections, attention, normalisation, …
std::span<const Family> random_families();       // random_families.cpp: whatever fits together

}  // namespace tlm::collect
