// A value, or the reason why there is none. For outcomes that are expected (a candidate that fails).
#pragma once

#include <string>
#include <utility>
#include <variant>

#include "tlm/core/error.h"

namespace tlm {

// Why an operation did not produce a value.
struct Reason {
  std::string text;
};

template <typename T>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::move(value)) {}          // NOLINT: implicit by intent
  Result(Reason reason) : state_(std::move(reason)) {}   // NOLINT: implicit by intent
  bool ok() const { return state_.index() == 0; }
  explicit operator bool() const { return ok(); }
  T& value() {
    TLM_CHECK(ok()) << reason();
    return std::get<0>(state_);
  }
  const T& value() const {
    TLM_CHECK(ok()) << reason();
    return std::get<0>(state_);
  }
  T& operator*() { return value(); }
  const T& operator*() const { return value(); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }
  const std::string& reason() const { return std::get<1>(state_).text; }

 private:
  std::variant<T, Reason> state_;
};

}  // namespace tlm
