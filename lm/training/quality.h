// How good a program is among those of its workload, as a small number: what a sentence's `<quality>` says.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "tlm/space/language/vocabulary.h"

namespace tlm::lm {

inline constexpr int64_t kQualityTokens = 2;  // `<quality>` and the bucket's number word, before the decisions

// Buckets of the gap ln(latency / best latency) of the workload and target. Bucket 0 is the tie set: programs that noise does not
// tell from the best one (two deviations of a label in the median are 0.044, docs/measuring.md). Each further bucket is `growth`
// times as wide as the one before; the last one is open.
struct QualityScale {
  int buckets = 8;  // at most 16: one number word each
  double tie = 0.06;
  double growth = 1.5;

  // gap >= 0
  int bucket_of(double gap) const;
  // The largest gap of bucket `b`; infinite for the last.
  double edge(int b) const;
};

// The word that says a quality: the bucket's number.
space::Token quality_word(int bucket);

// What is learned from the programs of a workload.
enum class QualityMode {
  kToken,  // all of them, each opened by its quality
  kBest,   // the best few alone, without the word
  kBoth,   // all, each opened by its quality; every other one is drawn from the best
};
std::string_view quality_mode_name(QualityMode m);        // "token", "best", "both"
QualityMode parse_quality_mode(const std::string& name);  // throws Error(kUsage) that lists the names

}  // namespace tlm::lm
