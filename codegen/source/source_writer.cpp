#include "tlm/codegen/source/source_writer.h"

#include <cmath>
#include <cstdio>

namespace tlm::codegen {

void SourceText::line(const std::string& text) {
  text_.append(static_cast<size_t>(depth_) * 2, ' ');
  text_ += text;
  text_ += '\n';
}

void SourceText::open(const std::string& text) {
  line(text + " {");
  ++depth_;
}

void SourceText::close() {
  --depth_;
  line("}");
}

std::string int_literal(int64_t v, DType t) {
  if (t == DType::kU64) return std::to_string(static_cast<uint64_t>(v)) + "ull";
  if (v == INT64_MIN) return "(-9223372036854775807ll - 1)";
  if (t == DType::kI32 && v == INT32_MIN) return "(-2147483647 - 1)";
  std::string s = std::to_string(v);
  if (t == DType::kI64 && (v > INT32_MAX || v < INT32_MIN)) s += "ll";
  if (t == DType::kU32) s += "u";
  return v < 0 ? "(" + s + ")" : s;
}

std::string float_literal(double v, DType t) {
  if (t == DType::kF16) return std::to_string(f32_to_f16(static_cast<float>(v)));
  if (t == DType::kBF16) return std::to_string(f32_to_bf16(static_cast<float>(v)));
  const std::string suffix = t == DType::kF32 ? "f" : "";
  if (std::isnan(v)) return "__builtin_nan" + suffix + "(\"\")";
  if (std::isinf(v)) return (v < 0 ? "(-__builtin_inf" : "(__builtin_inf") + suffix + "())";
  char text[64];
  if (v == std::floor(v) && std::fabs(v) < 1e6 && !(v == 0 && std::signbit(v))) {
    std::snprintf(text, sizeof text, "%.1f", v);
  } else {
    std::snprintf(text, sizeof text, "%a", v);
  }
  const std::string s = text + suffix;
  return v < 0 || std::signbit(v) ? "(" + s + ")" : s;
}

}  // namespace tlm::codegen
