#include "tlm/lm/training/quality.h"

#include <limits>

#include "tlm/core/error.h"

namespace tlm::lm {

double QualityScale::edge(int b) const {
  TLM_CHECK(b >= 0 && b < buckets) << b;
  if (b == buckets - 1) return std::numeric_limits<double>::infinity();
  double sum = 0, width = tie;
  for (int i = 0; i <= b; ++i, width *= growth) sum += width;
  return sum;
}

int QualityScale::bucket_of(double gap) const {
  int b = 0;
  while (gap > edge(b)) ++b;
  return b;
}

space::Token quality_word(int bucket) { return space::Vocabulary::standard().token(std::to_string(bucket)); }

std::string_view quality_mode_name(QualityMode m) {
  switch (m) {
    case QualityMode::kToken: return "token";
    case QualityMode::kBest: return "best";
    case QualityMode::kBoth: return "both";
  }
  TLM_CHECK(false) << "quality mode";
  return "";
}

QualityMode parse_quality_mode(const std::string& name) {
  for (const QualityMode m : {QualityMode::kToken, QualityMode::kBest, QualityMode::kBoth})
    if (name == quality_mode_name(m)) return m;
  throw Error(ErrorCode::kUsage, "no quality mode is called '" + name + "'", "", "token, best or both");
}

}  // namespace tlm::lm
