#include "tlm/lm/training/batch_plan.h"

namespace tlm::lm {
namespace {

SegmentRows append(BatchChunk& chunk, const TrainingBatch& batch, const Segment& segment) {
  const int64_t first = chunk.rows(), prefix = segment.prefix_end - segment.prefix_begin;
  for (int64_t i = segment.begin; i < segment.end; ++i) {
    const size_t at = static_cast<size_t>(i);
    if (batch.targets[at] != TrainingBatch::kNoTarget)
      chunk.targets.push_back({chunk.rows(), batch.targets[at], batch.legal[at]});
    chunk.tokens.push_back(batch.tokens[at]);
    chunk.positions.push_back(static_cast<int32_t>(prefix + i - segment.begin));
  }
  return {first, chunk.rows()};
}

}  // namespace

std::vector<BatchChunk> plan_batch(const TrainingBatch& batch, int64_t rows) {
  std::vector<std::vector<const Segment*>> branches(batch.tokens.size());  // by the begin of their prefix
  for (const Segment& s : batch.segments)
    if (s.prefix_end > s.prefix_begin) branches[static_cast<size_t>(s.prefix_begin)].push_back(&s);
  std::vector<BatchChunk> chunks;
  BatchChunk chunk;
  const auto close = [&] {
    if (!chunk.targets.empty()) chunks.push_back(std::move(chunk));
    chunk = {};
  };
  for (const Segment& s : batch.segments) {
    if (s.prefix_end > s.prefix_begin) continue;
    SegmentGroup group{append(chunk, batch, s), {}};
    for (const Segment* branch : branches[static_cast<size_t>(s.begin)]) group.branches.push_back(append(chunk, batch, *branch));
    chunk.groups.push_back(std::move(group));
    if (chunk.rows() >= rows) close();
  }
  close();
  return chunks;
}

}  // namespace tlm::lm
