// Measures nothing: latencies are known in advance, schedules of one kind may be made to fail.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "tlm/space/measurer.h"
#include "tlm/tools/eval/eval_workload.h"

namespace tlm::eval::test {

class FakeMeasurer : public space::Measurer {
 public:
  space::Batch measure(const space::Space& space, const std::vector<space::Schedule>& schedules,
                       const CancelToken& cancel) override;

  int batches = 0;
  std::vector<std::vector<space::Schedule>> asked;                          // by batch
  std::function<double(const space::Schedule& s, double ms)> change;        // of a latency; 0: the program is wrong
  std::function<uint64_t(const space::Schedule& s, uint64_t own)> program;  // hash of the source
};

std::vector<EvalWorkload> small_list();  // a convolution, a product and a row-wise stage, of three sets
Target machine();

}  // namespace tlm::eval::test
