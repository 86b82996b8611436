#include "tlm/space/search/task_scheduler.h"

#include <algorithm>

namespace tlm::space {

TaskScheduler::TaskScheduler(const std::vector<int>& counts, int trials) {
  for (int count : counts) tasks_.push_back({static_cast<double>(count), trials, {}});
}

double TaskScheduler::expected_gain(int task) const {
  const Task& t = tasks_[static_cast<size_t>(task)];
  if (t.best_ms.empty()) return 0;
  // What the last batches brought, and what may still come: half of the time after the first batch, less with every batch more.
  constexpr size_t kWindow = 3;
  constexpr double kRecent = 0.5;
  const size_t batches = t.best_ms.size(), window = std::min(kWindow, batches - 1);
  const double now = t.best_ms.back();
  const double recent = window == 0 ? 0 : (t.best_ms[batches - 1 - window] - now) / static_cast<double>(window);
  const double hope = 0.5 * now / static_cast<double>(batches);
  return t.count * (window == 0 ? hope : kRecent * std::max(0.0, recent) + (1 - kRecent) * hope);
}

int TaskScheduler::next() const {
  int best = -1;
  double most = -1;
  for (size_t i = 0; i < tasks_.size(); ++i) {
    if (tasks_[i].left <= 0) continue;
    if (tasks_[i].best_ms.empty()) return static_cast<int>(i);
    const double gain = expected_gain(static_cast<int>(i));
    if (gain > most) most = gain, best = static_cast<int>(i);
  }
  return best;
}

int TaskScheduler::budget(int task) const { return tasks_[static_cast<size_t>(task)].left; }

void TaskScheduler::record(int task, int trials, double best_ms) {
  Task& t = tasks_[static_cast<size_t>(task)];
  t.left = std::max(0, t.left - trials);
  t.best_ms.push_back(best_ms);
}

void TaskScheduler::exhausted(int task) { tasks_[static_cast<size_t>(task)].left = 0; }

}  // namespace tlm::space
