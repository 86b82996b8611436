// A latency that is known in advance: each choice of a nest has its price, in part together with another one's.
#pragma once

#include "tlm/space/space.h"

namespace tlm::space::test {

class SyntheticLatency {
 public:
  explicit SyntheticLatency(const Space& space);
  double ms(const Schedule& s) const;
  double ratio(const Schedule& s) const { return anchor_ms_ / ms(s); }
  double optimum() const { return anchor_ms_ / kFloor; }

 private:
  static constexpr double kFloor = 1;  // ms
  const Space& space_;
  double anchor_ms_ = 1;
};

}  // namespace tlm::space::test
