#include "tlm/core/progress.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>

namespace tlm {
namespace {

class NoProgress : public Progress {
 public:
  void start(std::string_view, int64_t) override {}
  void advance(int64_t, std::string_view) override {}
  void finish() override {}
};

int terminal_columns(std::FILE* out) {
  winsize size{};
  if (ioctl(fileno(out), TIOCGWINSZ, &size) == 0 && size.ws_col >= 20) return size.ws_col;
  return 80;
}

std::string two_digits(int64_t v) { return (v < 10 ? "0" : "") + std::to_string(v); }

}  // namespace

Progress& no_progress() {
  static NoProgress none;  // has no state
  return none;
}

std::string duration_text(double seconds) {
  if (!(seconds > 0)) seconds = 0;
  if (seconds < 9.95) {
    const int64_t tenths = std::llround(seconds * 10);
    return std::to_string(tenths / 10) + "." + std::to_string(tenths % 10) + " s";
  }
  const int64_t s = seconds < 1e9 ? std::llround(seconds) : 1000000000;
  if (s < 60) return std::to_string(s) + " s";
  if (s < 3600) return std::to_string(s / 60) + " min " + two_digits(s % 60) + " s";
  return std::to_string(s / 3600) + " h " + two_digits(s % 3600 / 60) + " min";
}

std::string progress_line(std::string_view task, int64_t done, int64_t total, double elapsed_seconds, std::string_view item,
                          int columns) {
  std::string line(task);
  if (total > 0) {
    const double part = std::clamp(static_cast<double>(done) / static_cast<double>(total), 0.0, 1.0);
    constexpr int kBar = 20;
    const int filled = static_cast<int>(part * kBar);
    const std::string percent = std::to_string(static_cast<int>(part * 100));
    line += " [" + std::string(filled, '#') + std::string(kBar - filled, '-') + "] " + std::string(3 - percent.size(), ' ') +
            percent + "% " + std::to_string(done) + "/" + std::to_string(total) + ", " + duration_text(elapsed_seconds);
    if (done > 0 && done < total) line += ", " + duration_text(elapsed_seconds / part - elapsed_seconds) + " left";
  } else {
    line += ' ' + std::to_string(done) + ", " + duration_text(elapsed_seconds);
  }
  if (!item.empty()) line.append(": ").append(item);
  if (line.size() > static_cast<size_t>(columns)) line.resize(static_cast<size_t>(columns));
  return line;
}

ConsoleProgress::ConsoleProgress(std::FILE* out) : ConsoleProgress(out, isatty(fileno(out)) == 1, terminal_columns(out) - 1) {}

ConsoleProgress::ConsoleProgress(std::FILE* out, bool terminal, int columns)
    : out_(out), terminal_(terminal), columns_(columns) {}

void ConsoleProgress::start(std::string_view task, int64_t total) {
  const std::lock_guard lock(mutex_);
  task_ = task;
  item_.clear();
  done_ = shown_tenth_ = 0;
  total_ = total;
  started_ = Clock::now();
  show(false);
}

void ConsoleProgress::advance(int64_t steps, std::string_view item) {
  const std::lock_guard lock(mutex_);
  done_ += steps;
  item_ = item;
  const auto pause = Clock::now() - shown_;
  if (terminal_) {
    if (pause >= std::chrono::milliseconds(100)) show(false);
    return;
  }
  const int64_t tenth = total_ > 0 ? done_ * 10 / total_ : 0;
  if (done_ < total_ && tenth > shown_tenth_ && pause >= std::chrono::seconds(1)) {
    shown_tenth_ = tenth;
    show(false);
  }
}

void ConsoleProgress::finish() {
  const std::lock_guard lock(mutex_);
  item_.clear();
  show(true);
}

void ConsoleProgress::show(bool last) {
  shown_ = Clock::now();
  const double elapsed = std::chrono::duration<double>(shown_ - started_).count();
  const std::string line = progress_line(task_, done_, total_, elapsed, item_, terminal_ ? columns_ : 1 << 12);
  if (terminal_) {
    std::fprintf(out_, "\r\033[K%s%s", line.c_str(), last ? "\n" : "");  // back to the first column, clear, redraw
  } else {
    std::fprintf(out_, "%s\n", line.c_str());
  }
  std::fflush(out_);
}

}  // namespace tlm
