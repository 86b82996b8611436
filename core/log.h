// Messages about the course of work. Each engine has its own Log; libraries print nothing themselves.
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>
#include <utility>

namespace tlm {

enum class LogLevel : uint8_t { kDebug, kInfo, kWarning, kError, kOff };

std::string_view log_level_name(LogLevel level);  // "debug", "info", "warning", "error", "off"

// Receives one message without a line end. May be called from several threads at once.
using LogSink = std::function<void(LogLevel level, std::string_view message)>;

// Writes "tlm: warning: message" lines to stderr, each by one write.
const LogSink& stderr_log_sink();

// A sink and the lowest level that it gets. A value; copies share the sink's state.
class Log {
 public:
  Log() : Log(stderr_log_sink(), LogLevel::kWarning) {}
  explicit Log(LogSink sink, LogLevel level = LogLevel::kInfo) : sink_(std::move(sink)), level_(level) {}
  bool enabled(LogLevel level) const { return level >= level_ && level_ != LogLevel::kOff && sink_ != nullptr; }
  void write(LogLevel level, std::string_view message) const {
    if (enabled(level)) sink_(level, message);
  }
  void debug(std::string_view message) const { write(LogLevel::kDebug, message); }
  void info(std::string_view message) const { write(LogLevel::kInfo, message); }
  void warning(std::string_view message) const { write(LogLevel::kWarning, message); }
  void error(std::string_view message) const { write(LogLevel::kError, message); }

 private:
  LogSink sink_;
  LogLevel level_;
};

}  // namespace tlm
