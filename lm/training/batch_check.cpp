#include "tlm/lm/training/batch_check.h"

#include <algorithm>
#include <string>

#include "tlm/core/error.h"

namespace tlm::lm {
namespace {

[[noreturn]] void fail(const std::string& what) { throw Error(ErrorCode::kUsage, what, "training batch"); }

std::string range(int64_t begin, int64_t end) { return "[" + std::to_string(begin) + ", " + std::to_string(end) + ")"; }

void check_segments(const TrainingBatch& batch, int64_t context) {
  int64_t next = 0;
  std::vector<int64_t> end_of_root(batch.tokens.size());  // by begin; 0: no segment without a prefix begins there
  for (const Segment& s : batch.segments) {
    const std::string name = "segment " + range(s.begin, s.end);
    if (s.begin != next || s.end <= s.begin || s.end > static_cast<int64_t>(batch.tokens.size()))
      fail(name + " after " + std::to_string(next) + " of " + std::to_string(batch.tokens.size()) + " tokens");
    next = s.end;
    const int64_t prefix = s.prefix_end - s.prefix_begin;
    if (prefix == 0) {
      end_of_root[static_cast<size_t>(s.begin)] = s.end;
    } else if (s.prefix_begin < 0 || s.prefix_begin >= s.begin ||
               end_of_root[static_cast<size_t>(s.prefix_begin)] != s.prefix_end) {
      fail(name + ": its prefix " + range(s.prefix_begin, s.prefix_end) + " is no earlier segment without a prefix");
    }
    if (prefix + s.end - s.begin > context)
      fail(name + ": " + std::to_string(prefix + s.end - s.begin) + " tokens with its prefix in a context of " +
           std::to_string(context));
  }
  if (next != static_cast<int64_t>(batch.tokens.size()))
    fail("segments cover " + std::to_string(next) + " of " + std::to_string(batch.tokens.size()) + " tokens");
}

void check_token(const char* what, int32_t token, int64_t vocabulary) {
  if (token < 0 || token >= vocabulary)
    fail(std::string(what) + " " + std::to_string(token) + " in a vocabulary of " + std::to_string(vocabulary));
}

}  // namespace

int64_t check(const TrainingBatch& batch, const Config& config) {
  if (batch.targets.size() != batch.tokens.size() || batch.legal.size() != batch.tokens.size())
    fail("tokens, targets and legal must be of one length");
  check_segments(batch, config.context);
  for (const auto& set : batch.legal_sets) {
    for (const int32_t token : set) check_token("legal token", token, config.vocabulary);
    if (std::adjacent_find(set.begin(), set.end(), std::greater_equal<>()) != set.end()) fail("a legal set does not ascend");
  }
  for (const int32_t token : batch.tokens) check_token("token", token, config.vocabulary);
  int64_t targets = 0;
  for (size_t i = 0; i < batch.targets.size(); ++i) {
    const int32_t target = batch.targets[i], legal = batch.legal[i];
    if (legal < TrainingBatch::kAllLegal || legal >= static_cast<int64_t>(batch.legal_sets.size()))
      fail("legal set " + std::to_string(legal) + " of " + std::to_string(batch.legal_sets.size()));
    if (target == TrainingBatch::kNoTarget) continue;
    check_token("target", target, config.vocabulary);
    ++targets;
    if (legal == TrainingBatch::kAllLegal) continue;
    const auto& set = batch.legal_sets[static_cast<size_t>(legal)];
    if (!std::binary_search(set.begin(), set.end(), target)) fail("target " + std::to_string(target) + " is not legal");
  }
  if (targets == 0) fail("no targets");
  return targets;
}

}  // namespace tlm::lm
