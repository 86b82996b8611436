#include "tlm/lm/training/packing.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "tlm/core/error.h"
#include "tlm/core/rng.h"
#include "tlm/lm/prompt_form.h"

namespace tlm::lm {
namespace {

using space::Token;

template <typename T>
void shuffle(std::vector<T>& values, Rng& rng) {
  for (size_t i = values.size(); i > 1; --i) std::swap(values[i - 1], values[rng.below(i)]);
}

// Programs below `count` without end, in random order, each once before any comes again.
class Drawer {
 public:
  Drawer(size_t count, Rng rng) : rng_(rng), order_(count), at_(count) {
    for (size_t i = 0; i < count; ++i) order_[i] = static_cast<uint32_t>(i);
  }
  uint32_t draw() {
    if (at_ == order_.size()) shuffle(order_, rng_), at_ = 0;
    return order_[at_++];
  }

 private:
  Rng rng_;
  std::vector<uint32_t> order_;
  size_t at_;
};

bool knows_best(const PromptGroup& g, const PackingOptions& options) {
  return g.taught || g.programs.size() >= static_cast<size_t>(options.enough);
}

// How likely each program is drawn, as a multiple of the fastest; none if the group has too few of them to know.
std::vector<double> soft_weights(const PromptGroup& g, const PackingOptions& options) {
  std::vector<double> out;
  if (!knows_best(g, options)) return out;
  for (const TrainingSentence& s : g.programs)
    if (!s.slow) out.push_back(std::exp(-s.gap / options.soft));
  return out;
}

// Programs that a group gives in an epoch, `balance` being between their number (0) and the mean of all groups (1).
std::vector<int64_t> shares(const Dataset& data, const PackingOptions& options) {
  std::vector<double> raw;
  double sum = 0, total = 0;
  for (const PromptGroup& g : data.groups) {
    double n = static_cast<double>(options.quality == QualityMode::kBest ? best_of(g, options) : g.programs.size());
    if (options.quality == QualityMode::kBest && options.soft > 0) {
      const std::vector<double> weights = soft_weights(g, options);
      n = std::accumulate(weights.begin(), weights.end(), 0.0);
    }
    raw.push_back(n == 0 ? 0 : std::pow(n, 1 - options.balance));
    sum += raw.back();
    total += n;
  }
  std::vector<int64_t> out;
  for (const double r : raw) out.push_back(r == 0 ? 0 : std::max<int64_t>(1, std::llround(r / sum * total)));
  return out;
}

int64_t tokens_of(const Dataset& data, const Item& item) {
  const PromptGroup& g = data.groups[item.group];
  int64_t n = static_cast<int64_t>(g.prompt.size());
  for (const uint32_t p : item.programs) n += g.programs[p].count + kQualityTokens;
  return n;
}

void add_items(std::vector<Item>& items, const Dataset& data, uint32_t group, int64_t share, const PackingOptions& options,
               Rng rng) {
  const PromptGroup& g = data.groups[group];
  const size_t best = best_of(g, options);
  const bool best_alone = options.quality == QualityMode::kBest;
  std::vector<double> weights = best_alone && options.soft > 0 ? soft_weights(g, options) : std::vector<double>();
  std::partial_sum(weights.begin(), weights.end(), weights.begin());
  const auto by_weight = [&] {
    const auto at = std::upper_bound(weights.begin(), weights.end(), rng.uniform() * weights.back());
    return static_cast<uint32_t>(std::min<size_t>(static_cast<size_t>(at - weights.begin()), weights.size() - 1));
  };
  Drawer all(best_alone ? best : g.programs.size(), rng.split(1)), top(best, rng.split(2));
  // Items of nearly equal size, none above the limit.
  const int64_t count = (share + options.branches - 1) / options.branches;
  for (int64_t i = 0; i < count; ++i) {
    Item item{.group = group, .unknown_target = rng.uniform() < options.unknown_target};
    if (options.withheld > 0) item.withheld = rng.next();
    const int64_t size = share * (i + 1) / count - share * i / count;
    for (int64_t k = 0; k < size; ++k) {
      const bool from_top = options.quality == QualityMode::kBoth && best > 0 && k % 2 == 0;
      item.programs.push_back(!weights.empty() ? by_weight() : from_top ? top.draw() : all.draw());
      if (best_alone) continue;
      const TrainingSentence& s = g.programs[item.programs.back()];
      const auto any = static_cast<int>(rng.below(static_cast<uint64_t>(options.scale.buckets)));
      item.qualities.push_back(static_cast<uint8_t>(options.any_quality ? any : quality_of(g, s, options)));
    }
    items.push_back(std::move(item));
  }
}

// Segments and tokens of a batch; legal sets by their numbers in the dataset.
class Packer {
 public:
  Packer(const Dataset& data, const PackingOptions& options) : data_(data), options_(options) {}

  void add(const Item& item) {
    const PromptGroup& g = data_.groups[item.group];
    const int64_t begin = size();
    const std::vector<Token>& prompt = item.unknown_target ? g.blind_prompt : g.prompt;
    if (options_.withheld > 0) {
      Rng rng(item.withheld);
      for (const Token t : with_unknown_numbers(prompt, options_.withheld, rng)) token(t);
    } else {
      for (const Token t : prompt) token(t);
    }
    const int64_t end = size();
    batch_.segments.push_back({begin, end, 0, 0});
    for (size_t i = 0; i < item.programs.size(); ++i) {
      branch(g.programs[item.programs[i]], item.qualities.empty() ? -1 : item.qualities[i]);
      batch_.segments.push_back({branch_, size(), begin, end});
    }
  }
  TrainingBatch take() { return std::move(batch_); }

 private:
  int64_t size() const { return static_cast<int64_t>(batch_.tokens.size()); }
  void token(Token t) {
    batch_.tokens.push_back(t);
    batch_.targets.push_back(TrainingBatch::kNoTarget);
    batch_.legal.push_back(TrainingBatch::kAllLegal);
  }
  void branch(const TrainingSentence& s, int quality) {
    static const Token kQuality = space::Vocabulary::standard().token("<quality>");
    branch_ = size();
    if (quality >= 0) {
      token(kQuality);
      token(quality_word(quality));
    }
    const auto tokens = data_.tokens(s);
    const auto legal = data_.legal(s);
    for (size_t i = 0; i < tokens.size(); ++i) {
      // The token before predicts this one. A branch's first token, of which there is no choice, has none before it.
      if (size() > branch_ && (legal[i] != Dataset::kForced || !options_.legal_loss)) {
        batch_.targets.back() = tokens[i];
        batch_.legal.back() = options_.legal_loss ? legal_set(legal[i]) : TrainingBatch::kAllLegal;
      }
      token(tokens[i]);
    }
  }
  int32_t legal_set(int32_t id) {
    const auto [at, fresh] = set_ids_.try_emplace(id, static_cast<int32_t>(batch_.legal_sets.size()));
    if (fresh) batch_.legal_sets.push_back(data_.legal_sets[static_cast<size_t>(id)]);
    return at->second;
  }

  const Dataset& data_;
  const PackingOptions& options_;
  TrainingBatch batch_;
  int64_t branch_ = 0;
  std::map<int32_t, int32_t> set_ids_;  // of the dataset → of the batch
};

}  // namespace

int quality_of(const PromptGroup& g, const TrainingSentence& s, const PackingOptions& options) {
  if (s.slow) return options.scale.buckets - 1;
  const int bucket = options.scale.bucket_of(s.gap);
  return knows_best(g, options) ? bucket : std::max(bucket, 1);
}

size_t best_of(const PromptGroup& g, const PackingOptions& options) {
  if (!knows_best(g, options)) return 0;
  size_t n = 0;
  while (n < g.programs.size() && !g.programs[n].slow &&
         (g.programs[n].gap <= options.scale.tie || n < static_cast<size_t>(options.best)))
    ++n;
  return n;
}

double taught_share(const Dataset& data, const PackingOptions& options) {
  const std::vector<int64_t> share = shares(data, options);
  int64_t taught = 0, all = 0;
  for (size_t g = 0; g < share.size(); ++g) {
    all += share[g];
    if (data.groups[g].taught) taught += share[g];
  }
  return all > 0 ? static_cast<double>(taught) / static_cast<double>(all) : 0;
}

std::vector<std::vector<Item>> plan_epoch(const Dataset& data, const PackingOptions& options, uint64_t seed, int64_t epoch) {
  const Rng rng = Rng(seed).split(static_cast<uint64_t>(epoch));
  const std::vector<int64_t> share = shares(data, options);
  std::vector<Item> items;
  for (size_t g = 0; g < data.groups.size(); ++g)
    if (share[g] > 0) add_items(items, data, static_cast<uint32_t>(g), share[g], options, rng.split(g));
  Rng order = rng.split(data.groups.size());
  shuffle(items, order);
  std::vector<std::vector<Item>> batches;
  int64_t tokens = 0;
  for (Item& item : items) {
    const int64_t n = tokens_of(data, item);
    if (batches.empty() || tokens + n > options.tokens) batches.emplace_back(), tokens = 0;
    batches.back().push_back(std::move(item));
    tokens += n;
  }
  return batches;
}

TrainingBatch pack(const Dataset& data, std::span<const Item> items, const PackingOptions& options) {
  Packer packer(data, options);
  for (const Item& item : items) packer.add(item);
  return packer.take();
}

}  // namespace tlm::lm
