#include "tlm/core/error.h"

#include <utility>

namespace tlm {
namespace {

std::string full_text(const std::string& what, const std::string& where, const std::string& hint) {
  std::string text = what;
  if (!where.empty()) text += "\n  at: " + where;
  if (!hint.empty()) text += "\n  try: " + hint;
  return text;
}

}  // namespace

Error::Error(ErrorCode code, std::string what, std::string where, std::string hint)
    : std::runtime_error(full_text(what, where, hint)),
      code_(code),
      message_(std::move(what)),
      where_(std::move(where)),
      hint_(std::move(hint)) {}

namespace detail {

CheckFailure::CheckFailure(const char* condition, const char* file, int line) : file_(file), line_(line) {
  stream_ << "check failed: " << condition << ": ";
}

CheckFailure::~CheckFailure() noexcept(false) {
  std::string text = stream_.str();
  if (text.ends_with(": ")) text.resize(text.size() - 2);  // nothing was streamed
  throw InternalError(ErrorCode::kInternal, std::move(text), std::string(file_) + ":" + std::to_string(line_),
                      "this is a bug in tlm: please report it with the input that shows it");
}

}  // namespace detail
}  // namespace tlm
