#include "tlm/lm/training/validation.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "tlm/core/error.h"
#include "tlm/core/hash.h"
#include "tlm/lm/forward.h"
#include "tlm/lm/language_model.h"

namespace tlm::lm {
namespace {

using space::Token;

constexpr size_t kLeastPrograms = 8;

// The first in an order that has nothing to do with what they are, of those that hold enough programs to choose from.
std::vector<const PromptGroup*> chosen_groups(const Dataset& dev, int count) {
  std::vector<std::pair<uint64_t, const PromptGroup*>> all;
  for (const PromptGroup& g : dev.groups)
    if (g.programs.size() >= kLeastPrograms)
      all.emplace_back(Hasher().number(static_cast<int64_t>(g.workload_hash)).number(static_cast<int64_t>(g.target_hash)).value(),
                       &g);
  std::sort(all.begin(), all.end());
  std::vector<const PromptGroup*> out;
  for (const auto& [order, g] : all)
    if (static_cast<int>(out.size()) < count) out.push_back(g);
  return out;
}

// From the fastest to the slowest, evenly by rank.
std::vector<const TrainingSentence*> chosen_programs(const PromptGroup& g, int count) {
  std::vector<const TrainingSentence*> out;
  const size_t n = g.programs.size(), k = std::min(n, static_cast<size_t>(std::max(count, 2)));
  for (size_t i = 0; i < k; ++i) out.push_back(&g.programs[k == 1 ? 0 : i * (n - 1) / (k - 1)]);
  return out;
}

// What one sentence costs.
struct Cost {
  double legal = 0, full = 0;  // nats: over choices among legal tokens, over all decision tokens among all
  int64_t choices = 0, right = 0, tokens = 0;
};

Cost cost_of(const float* logits, int64_t vocabulary, std::span<const uint16_t> tokens, std::span<const int32_t> legal,
             const Dataset& data) {
  Cost c;
  for (size_t i = 0; i < tokens.size(); ++i, logits += vocabulary) {
    double largest = logits[0], sum = 0;
    for (int64_t v = 1; v < vocabulary; ++v) largest = std::max<double>(largest, logits[v]);
    for (int64_t v = 0; v < vocabulary; ++v) sum += std::exp(logits[v] - largest);
    c.full += std::log(sum) + largest - logits[tokens[i]];
    ++c.tokens;
    if (legal[i] == Dataset::kForced) continue;
    const std::vector<Token>& set = data.legal_sets[static_cast<size_t>(legal[i])];
    Token likeliest = set.front();
    sum = 0;
    for (const Token t : set) {
      sum += std::exp(logits[t] - largest);
      if (logits[t] > logits[likeliest]) likeliest = t;
    }
    c.legal += std::log(sum) + largest - logits[tokens[i]];
    ++c.choices;
    c.right += likeliest == tokens[i];
  }
  return c;
}

// A branch of `group`: its quality, and its cost.
struct Branch {
  const TrainingSentence* program;
  int quality;  // -1: no word of it
  Cost cost;
};

void read(const Model& model, const Dataset& data, const PromptGroup& g, std::vector<Branch>& branches, Executor& executor) {
  static const Token kQuality = space::Vocabulary::standard().token("<quality>");
  const std::vector<int32_t> prompt(g.prompt.begin(), g.prompt.end());
  KvCache cache(model.config());
  const Chunk whole{{prompt.data(), prompt.size() - 1}, &cache};
  if (prompt.size() > 1) model.forward({&whole, 1}, LogitsOf::kLastToken, executor);
  // The prompt's last token opens each branch, so that its logits tell of the branch's first token.
  std::vector<KvCache> caches(branches.size(), cache);
  std::vector<std::vector<int32_t>> tokens(branches.size());
  std::vector<Chunk> chunks;
  for (size_t i = 0; i < branches.size(); ++i) {
    tokens[i].push_back(prompt.back());
    if (branches[i].quality >= 0) {
      tokens[i].push_back(kQuality);
      tokens[i].push_back(quality_word(branches[i].quality));
    }
    for (const uint16_t t : data.tokens(*branches[i].program)) tokens[i].push_back(t);
    chunks.push_back({tokens[i], &caches[i]});
  }
  const std::vector<float> logits = model.forward(chunks, LogitsOf::kEveryToken, executor);
  const int64_t V = model.config().vocabulary;
  const float* at = logits.data();
  for (size_t i = 0; i < branches.size(); ++i) {
    const TrainingSentence& s = *branches[i].program;
    // Rows before the one that tells of the first decision; the last one tells of what follows <end>.
    const auto opening = static_cast<int64_t>(tokens[i].size()) - s.count - 1;
    branches[i].cost = cost_of(at + opening * V, V, data.tokens(s), data.legal(s), data);
    at += static_cast<int64_t>(tokens[i].size()) * V;
  }
}

}  // namespace

Validation validate(const Weights& weights, const Dataset& dev, const PackingOptions& packing, const ValidationOptions& options,
                    Executor& executor) {
  const Model model(weights);
  const bool said = packing.quality != QualityMode::kBest;
  Validation out;
  Cost own, best;
  double gaps = 0, random_gaps = 0;
  std::map<std::string, std::pair<double, int>> kinds;
  for (const PromptGroup* g : chosen_groups(dev, options.groups)) {
    const std::vector<const TrainingSentence*> programs = chosen_programs(*g, options.programs);
    std::vector<Branch> asked, named;
    for (const TrainingSentence* s : programs) {
      asked.push_back({s, said ? 0 : -1});
      if (said) named.push_back({s, quality_of(*g, *s, packing)});
    }
    for (std::vector<Branch>* branches : {&asked, &named})
      if (!branches->empty()) read(model, dev, *g, *branches, executor);
    const auto add = [](Cost& to, const Cost& c) {
      to.legal += c.legal, to.full += c.full, to.choices += c.choices, to.right += c.right, to.tokens += c.tokens;
    };
    const Branch* likeliest = &asked.front();
    double mean_gap = 0;
    for (const Branch& b : asked) {
      if (b.cost.legal < likeliest->cost.legal) likeliest = &b;
      mean_gap += b.program->gap / static_cast<double>(asked.size());
      if (b.program->slow || b.program->gap > packing.scale.tie) continue;
      add(best, b.cost);
      if (!said) add(own, b.cost);
    }
    for (const Branch& b : named) add(own, b.cost);
    const double gap = likeliest->program->gap;
    gaps += gap, random_gaps += mean_gap;
    kinds[g->kind].first += gap, ++kinds[g->kind].second;
    ++out.groups;
    out.programs += static_cast<int>(programs.size());
  }
  if (out.groups == 0) return out;
  const auto mean = [](double sum, int64_t n) { return n > 0 ? sum / static_cast<double>(n) : 0; };
  out.loss = mean(own.legal, own.choices);
  out.full_loss = mean(own.full, own.tokens);
  out.accuracy = mean(static_cast<double>(own.right), own.choices);
  out.best_loss = mean(best.legal, best.choices);
  out.pick = std::exp(-gaps / out.groups);
  out.random_pick = std::exp(-random_gaps / out.groups);
  for (const auto& [kind, sum] : kinds) out.pick_of_kind[kind] = std::exp(-sum.first / sum.second);
  return out;
}

}  // namespace tlm::lm
