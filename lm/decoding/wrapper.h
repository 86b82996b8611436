// A strategy that only orders what another one writes: what it does not override is the other's.
#pragma once

#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "tlm/lm/decoding/strategy.h"

namespace tlm::lm {

class Wrapper : public Strategy {
 public:
  explicit Wrapper(std::unique_ptr<Strategy> inner) : inner_(std::move(inner)) {}

  int width() const override { return inner_->width(); }
  bool measures() const override { return inner_->measures(); }
  bool judges() const override { return inner_->judges(); }
  std::vector<Continuation> next(const Turn& turn, std::span<const Hypothesis> hypotheses) const override {
    return inner_->next(turn, hypotheses);
  }
  void rank(std::vector<Sentence>& sentences, const RankContext& context) const override { inner_->rank(sentences, context); }

 private:
  std::unique_ptr<Strategy> inner_;
};

}  // namespace tlm::lm
