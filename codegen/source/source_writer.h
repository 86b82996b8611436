// Text with indentation; what the C and CUDA printers share.
#pragma once

#include <string>

#include "tlm/core/dtype.h"

namespace tlm::codegen {

class SourceText {
 public:
  void line(const std::string& text);  // at the current indentation
  void open(const std::string& text);  // "text {" and one level deeper
  void close();                        // "}"
  std::string take() { return std::move(text_); }

 private:
  std::string text_;
  int depth_ = 0;
};

std::string int_literal(int64_t v, DType t);   // of a value of type t, no suffix needed by the caller
std::string float_literal(double v, DType t);  // exact (hexadecimal), inf and nan by builtins; f16 and bf16 as their bits

}  // namespace tlm::codegen
