// Which measured workloads are most like another one.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "tlm/lm/training/cost_model_fit.h"
#include "tlm/space/records/workload_kind.h"

namespace tlm::lm {

class Neighbours {
 public:
  explicit Neighbours(const std::vector<MeasuredWorkload>& measured);
  // Numbers of the nearest, at most `count`, the nearest first: structure before sizes, doubling an axis counts as one.
  std::vector<size_t> nearest(const ir::Subgraph& g, const Target& t, size_t count) const;

 private:
  // What distance is measured by.
  struct Signature {
    Signature(const ir::Subgraph& g, const Target& t);
    std::string structure;
    std::vector<int64_t> extents;
    space::WorkloadKind kind;
    int stages;
    Target target;
  };
  static double distance(const Signature& a, const Signature& b);

  std::vector<Signature> signatures_;
};

}  // namespace tlm::lm
