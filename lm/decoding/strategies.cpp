#include "tlm/lm/decoding/strategies.h"

#include "tlm/core/error.h"

namespace tlm::lm {

// One line for each strategy: the function NAME_strategy() that describes it, in a file of its own.
#define TLM_STRATEGIES(X) \
  X(greedy)               \
  X(sampling)             \
  X(beam)                 \
  X(gumbel)               \
  X(best_of)

#define X(name) StrategyInfo name##_strategy();
TLM_STRATEGIES(X)
#undef X

StrategyTable standard_strategies() {
  StrategyTable table;
#define X(name) table.add(name##_strategy());
  TLM_STRATEGIES(X)
#undef X
  return table;
}

std::unique_ptr<Strategy> StrategyTable::make(const std::string& name, Parameters& parameters) const {
  std::string names;
  for (const StrategyInfo& info : infos_) {
    if (info.name == name) return info.make(parameters, *this);
    names += (names.empty() ? "" : ", ") + std::string(info.name);
  }
  throw Error(ErrorCode::kUsage, "no decoding strategy is called '" + name + "'", "", "choose one of: " + names);
}

std::unique_ptr<Strategy> StrategyTable::make(const std::string& text, int sentences) const {
  const size_t colon = text.find(':');
  Parameters parameters(colon == std::string::npos ? "" : text.substr(colon + 1), sentences);
  std::unique_ptr<Strategy> strategy = make(text.substr(0, colon), parameters);
  parameters.check_all_known();
  return strategy;
}

}  // namespace tlm::lm
