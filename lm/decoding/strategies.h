// Decoding strategies by name.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "tlm/lm/decoding/strategy.h"

namespace tlm::lm {

// A value: an application copies the standard one and adds its own.
class StrategyTable {
 public:
  void add(const StrategyInfo& info) { infos_.push_back(info); }
  const std::vector<StrategyInfo>& infos() const { return infos_; }
  // "greedy", "sampling:temperature=0.8,top-p=0.95,n=10". `sentences`: how many are wanted where the text does not say it; 0: the
  // strategy's default. Throws Error(kUsage): lists the strategies, or the parameters.
  std::unique_ptr<Strategy> make(const std::string& text, int sentences = 0) const;
  std::unique_ptr<Strategy> make(const std::string& name, Parameters& parameters) const;

 private:
  std::vector<StrategyInfo> infos_;
};

// Those of this folder.
StrategyTable standard_strategies();

}  // namespace tlm::lm
