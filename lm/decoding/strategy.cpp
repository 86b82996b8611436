#include "tlm/lm/decoding/strategy.h"

#include <algorithm>

#include "tlm/core/hash.h"

namespace tlm::lm {

double Turn::uniform(uint64_t stream, uint64_t index) const {
  const uint64_t bits = Hasher()
                            .number(static_cast<int64_t>(seed))
                            .number(static_cast<int64_t>(workload))
                            .number(step)
                            .number(static_cast<int64_t>(stream))
                            .number(static_cast<int64_t>(index))
                            .value();
  return (static_cast<double>(bits >> 12) + 0.5) * 0x1p-52;
}

void Strategy::rank(std::vector<Sentence>& sentences, const RankContext&) const {
  std::stable_sort(sentences.begin(), sentences.end(),
                   [](const Sentence& a, const Sentence& b) { return a.log_probability > b.log_probability; });
}

}  // namespace tlm::lm
