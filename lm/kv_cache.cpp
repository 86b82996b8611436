#include "tlm/lm/kv_cache.h"

#include <algorithm>

namespace tlm::lm {

KvBlock::KvBlock(const Config& config)
    : floats_(kPositions * config.width), memory_(new float[static_cast<size_t>(2 * config.layers * floats_)]) {}

void KvBlock::copy(const KvBlock& from, int64_t layers) { std::copy_n(from.memory_.get(), 2 * layers * floats_, memory_.get()); }

void KvCache::grow(int64_t tokens) {
  const auto needed = static_cast<size_t>((length_ + tokens + KvBlock::kPositions - 1) / KvBlock::kPositions);
  if (length_ % KvBlock::kPositions != 0 && blocks_.back().use_count() > 1) {
    auto own = std::make_shared<KvBlock>(config_);
    own->copy(*blocks_.back(), config_.layers);
    blocks_.back() = std::move(own);
  }
  while (blocks_.size() < needed) blocks_.push_back(std::make_shared<KvBlock>(config_));
}

}  // namespace tlm::lm
