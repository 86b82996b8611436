// Which workload of a network is measured next: the one by which the whole network is expected to gain most.
#pragma once

#include <vector>

namespace tlm::space {

class TaskScheduler {
 public:
  // `counts`: how often each workload occurs; each gets at most `trials`.
  TaskScheduler(const std::vector<int>& counts, int trials);

  // The next workload, -1: all budgets are spent. First each once, then by expected gain.
  int next() const;
  int budget(int task) const;  // trials left
  // A batch of `trials` is done (0: its space is exhausted, or all that is known from before), the best latency so far is
  // `best_ms`.
  void record(int task, int trials, double best_ms);
  void exhausted(int task);
  double expected_gain(int task) const;  // ms of the whole network, by one more batch

 private:
  struct Task {
    double count = 1;
    int left = 0;
    std::vector<double> best_ms;  // after each batch
  };
  std::vector<Task> tasks_;
};

}  // namespace tlm::space
