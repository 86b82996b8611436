#include "tlm/core/log.h"

#include <unistd.h>

#include <string>

namespace tlm {

std::string_view log_level_name(LogLevel level) {
  switch (level) {
    case LogLevel::kDebug: return "debug";
    case LogLevel::kInfo: return "info";
    case LogLevel::kWarning: return "warning";
    case LogLevel::kError: return "error";
    case LogLevel::kOff: return "off";
  }
  return "?";
}

const LogSink& stderr_log_sink() {
  static const LogSink sink = [](LogLevel level, std::string_view message) {
    std::string line = "tlm: ";
    line += log_level_name(level);
    line += ": ";
    line += message;
    line += '\n';
    // A log line that cannot be written has nowhere to be reported.
    [[maybe_unused]] const ssize_t written = ::write(STDERR_FILENO, line.data(), line.size());
  };
  return sink;
}

}  // namespace tlm
