// How far long work has come. Libraries report to a Progress; programs decide how it is shown.
#pragma once

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <mutex>
#include <string>
#include <string_view>

namespace tlm {

// Tasks follow one another: start, then advance any number of times (from any thread), then finish.
class Progress {
 public:
  virtual ~Progress() = default;
  // `total` steps; 0: unknown.
  virtual void start(std::string_view task, int64_t total) = 0;
  // `steps` more are done; `item` says what was last done ("" : nothing to say).
  virtual void advance(int64_t steps = 1, std::string_view item = {}) = 0;
  virtual void finish() = 0;
};

// Shows nothing.
Progress& no_progress();

// Finishes the task when the scope is left, by an exception too.
class ProgressTask {
 public:
  ProgressTask(Progress& progress, std::string_view task, int64_t total) : progress_(progress) { progress.start(task, total); }
  ~ProgressTask() { progress_.finish(); }
  ProgressTask(const ProgressTask&) = delete;
  ProgressTask& operator=(const ProgressTask&) = delete;
  void advance(int64_t steps = 1, std::string_view item = {}) { progress_.advance(steps, item); }

 private:
  Progress& progress_;
};

// On a terminal one line that is redrawn (at most ten times a second); elsewhere a plain line at the start, at every tenth
// of the way (at most one a second) and at the end.
class ConsoleProgress : public Progress {
 public:
  explicit ConsoleProgress(std::FILE* out = stderr);
  ConsoleProgress(std::FILE* out, bool terminal, int columns);
  void start(std::string_view task, int64_t total) override;
  void advance(int64_t steps, std::string_view item) override;
  void finish() override;

 private:
  using Clock = std::chrono::steady_clock;
  void show(bool last);

  std::FILE* out_;
  bool terminal_;
  int columns_;
  std::mutex mutex_;
  std::string task_, item_;
  int64_t done_ = 0, total_ = 0, shown_tenth_ = 0;
  Clock::time_point started_, shown_;
};

// "compile [#####-----]  50% 10/20, 3 s, 3 s left: item" in at most `columns` characters. total 0: without bar and percentage.
std::string progress_line(std::string_view task, int64_t done, int64_t total, double elapsed_seconds, std::string_view item,
                          int columns);
// "0.4 s", "12 s", "3 min 05 s", "2 h 07 min"
std::string duration_text(double seconds);

}  // namespace tlm
