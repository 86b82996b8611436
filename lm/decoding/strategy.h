// What a decoding strategy is: it sees the sentences under construction for one prompt, with the probabilities of what may come
// next, and says which go on, and how. Everything else (prompts, grammar, caches, batching) is the decoder's (decoder.h).
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "tlm/core/cancel.h"
#include "tlm/lm/decoding/parameters.h"
#include "tlm/lm/decoding/sentence.h"
#include "tlm/space/language/vocabulary.h"
#include "tlm/space/measurer.h"

namespace tlm::lm {

// A sentence up to its next choice, as a strategy sees it. Only legal tokens are offered, and always more than one: tokens
// without an alternative are taken by the decoder.
struct Hypothesis {
  std::span<const space::Token> allowed;      // ascending; empty: the sentence is finished
  std::span<const double> log_probabilities;  // of each allowed token; their probabilities sum to 1
  double log_probability = 0;                 // of all choices so far
  uint64_t path = 0;                          // names the choices so far: the same for the same choices, in every run
  // As the strategy left them in the Continuation; 0 at first.
  double score = 0, log_weight = 0;
  int branch = 0;

  bool done() const { return allowed.empty(); }
};

// A hypothesis goes on. The same one may go on in several ways; one that no continuation names is dropped.
struct Continuation {
  int parent = 0;  // index of the hypothesis
  int choice = 0;  // index into its allowed tokens; of a finished one ignored: it stays as it is
  // The strategy's own, carried along.
  double score = 0, log_weight = 0;
  int branch = 0;
};

// Which prompt, which step. Randomness is a function of what it is drawn for alone: results repeat exactly, whatever else is
// decoded beside it and on however many threads.
struct Turn {
  uint64_t seed = 0;
  uint64_t workload = 0;  // hash of the subgraph
  int step = 0;           // choices before this one, of every hypothesis that is not finished

  // A number in (0, 1), independent for each (seed, workload, step, stream, index).
  double uniform(uint64_t stream, uint64_t index = 0) const;
};

// What ranking may use beside the sentences.
struct RankContext {
  const space::Space& space;
  space::Measurer* measurer = nullptr;  // not null if the strategy measures()
  CancelToken cancel;
};

// Values without a state: one strategy serves many prompts, from several threads at a time.
class Strategy {
 public:
  virtual ~Strategy() = default;
  // Sentences kept for one prompt at a time, at most.
  virtual int width() const = 0;
  // At step 0 there is one hypothesis, of no choice. Never empty.
  virtual std::vector<Continuation> next(const Turn& turn, std::span<const Hypothesis> hypotheses) const = 0;
  // Whether rank() wants a measurer.
  virtual bool measures() const { return false; }
  // Puts the finished sentences in order, best first. Unless overridden: the most probable first.
  virtual void rank(std::vector<Sentence>& sentences, const RankContext& context) const;
};

class StrategyTable;

// How a strategy is made from its parameters.
struct StrategyInfo {
  const char* name;
  const char* parameters;  // for people: "temperature=1, n=10"
  const char* summary;     // one line
  std::unique_ptr<Strategy> (*make)(Parameters& parameters, const StrategyTable& table);
};

}  // namespace tlm::lm
