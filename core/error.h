// Errors that reach a user, and checks for bugs.
#pragma once

#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>

namespace tlm {

// What kind of fault; the value is the exit code of the command line.
enum class ErrorCode : int {
  kMismatch = 1,       // a comparison failed
  kUsage = 2,          // wrong option or argument
  kBadModel = 3,       // malformed model, package or data
  kUnsupported = 4,    // well-formed, but outside what tlm does
  kEnvironment = 5,    // files, disk, compiler, CPU features, memory
  kInternal = 70,      // a bug in tlm
  kInterrupted = 130,  // cancelled by the user
};

// A user's or environment's fault: what happened, where, and what to do about it.
// Text form: "what\n  at: where\n  try: hint" (empty parts left out).
class Error : public std::runtime_error {
 public:
  Error(ErrorCode code, std::string what, std::string where = {}, std::string hint = {});
  ErrorCode code() const { return code_; }
  const std::string& message() const { return message_; }
  const std::string& where() const { return where_; }
  const std::string& hint() const { return hint_; }

 private:
  ErrorCode code_;
  std::string message_, where_, hint_;
};

// A bug in tlm: a failed TLM_CHECK, with source file and line.
class InternalError : public Error {
 public:
  using Error::Error;
};

namespace detail {
class CheckFailure {
 public:
  CheckFailure(const char* condition, const char* file, int line);
  [[noreturn]] ~CheckFailure() noexcept(false);
  template <typename T>
  CheckFailure& operator<<(const T& value) {
    stream_ << value;
    return *this;
  }

 private:
  std::ostringstream stream_;
  const char* file_;
  int line_;
};
}  // namespace detail

}  // namespace tlm

// Throws InternalError unless `cond` holds; streams values into the message:
//   TLM_CHECK(i < n) << "i=" << i;
#define TLM_CHECK(cond) \
  if (cond) [[likely]] {  \
  } else                \
    ::tlm::detail::CheckFailure(#cond, __FILE__, __LINE__)
