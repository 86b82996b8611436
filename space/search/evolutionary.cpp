#include "tlm/space/search/evolutionary.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <string>

#include "tlm/core/hash.h"
#include "tlm/space/search/mutation.h"

namespace tlm::space {
namespace {

constexpr int kElite = 24;        // measured schedules that become parents
constexpr float kWorstLabel = 3;  // beyond eight times the anchor it does not matter how slow it is
// Measurements of a workload after which the learned model alone counts; before, the machine model has a part. So many of other
// workloads are worth one of its own, up to a limit.
constexpr double kOwnRows = 32, kOthersRows = 8, kMostOfOthers = 24;

// Structure and register tiles: what makes programs of one kind.
uint64_t kind_of(const Walk& w) {
  Hasher h;
  for (size_t i = 0; i < w.decisions().size(); ++i) {
    const Decision& d = w.decisions()[i];
    if (d.kind != DecisionKind::kMicro && shapes_nest(d.kind)) continue;
    h.text(d.name);
    for (int64_t x : d.candidates[static_cast<size_t>(w.chosen()[i])]) h.number(x);
  }
  return h.value();
}

}  // namespace

double EvolutionarySearch::Observed::ratio() const {
  std::vector<double> sorted = ratios;
  std::sort(sorted.begin(), sorted.end());
  const size_t n = sorted.size();
  return n == 0 ? 0 : n % 2 ? sorted[n / 2] : (sorted[n / 2 - 1] + sorted[n / 2]) / 2;
}

EvolutionarySearch::EvolutionarySearch(std::shared_ptr<const Space> space, const EvolutionOptions& options)
    : space_(std::move(space)), options_(options) {
  const Walk w = space_->constructive();
  anchor_ = w.schedule();
  anchor_features_ = features(w);
}

void EvolutionarySearch::observe(const Schedule& s, double ratio, MeasureStatus status) {
  // A schedule of an older space lacks decisions; what it says in today's is what counts.
  const Result<Walk> walk = space_->replay(s);
  const Schedule now = walk.ok() ? walk->schedule() : s;
  const auto [at, fresh] = observed_.try_emplace(hash(now));
  Observed& o = at->second;
  if (fresh) {
    o.schedule = now;
    if (walk.ok()) o.row = feature_row(features(*walk), anchor_features_);
  }
  if (ratio > 0) o.ratios.push_back(ratio);
  const bool ok = status == MeasureStatus::kOk, slow = status == MeasureStatus::kSlow;
  o.trusted = o.trusted || (ratio > 0 && ok);
  o.broken = o.broken || !(ok || slow);
}

std::vector<const EvolutionarySearch::Observed*> EvolutionarySearch::ranked() const {
  std::vector<std::pair<double, const Observed*>> order;
  for (const auto& [hash, o] : observed_) {
    if (o.trusted && !o.broken && !o.row.empty()) order.push_back({-o.ratio(), &o});
  }
  std::stable_sort(order.begin(), order.end(), [](const auto& x, const auto& y) { return x.first < y.first; });
  std::vector<const Observed*> out;
  for (const auto& [ratio, o] : order) out.push_back(o);
  return out;
}

int EvolutionarySearch::trials() const {
  int held = 0;
  for (const auto& [hash, o] : observed_) held += !o.row.empty();
  return held - static_cast<int>(observed_.contains(hash(anchor_)));
}

const Schedule& EvolutionarySearch::best() const {
  const auto order = ranked();
  return order.empty() ? anchor_ : order[0]->schedule;
}

double EvolutionarySearch::best_ratio() const {
  const auto order = ranked();
  return order.empty() ? 1 : order[0]->ratio();
}

std::vector<Schedule> EvolutionarySearch::top(int count) const {
  std::vector<Schedule> out;
  for (const Observed* o : ranked()) {
    if (static_cast<int>(out.size()) < count) out.push_back(o->schedule);
  }
  return out;
}

void EvolutionarySearch::add_rows(std::vector<std::vector<float>>& rows, std::vector<float>& labels) const {
  for (const auto& [hash, o] : observed_) {
    if (o.row.empty() || o.ratios.empty()) continue;
    rows.push_back(o.row);
    labels.push_back(std::min(kWorstLabel, static_cast<float>(-std::log2(o.ratio()))));
  }
}

// The making of one batch.
class EvolutionarySearch::Generation {
 public:
  Generation(const EvolutionarySearch& search, const CostModel& model)
      : search_(search),
        model_(model),
        rng_(Hasher()
                 .number(static_cast<int64_t>(search.options_.seed))
                 .number(static_cast<int64_t>(ir::workload_hash(search.space().subgraph())))
                 .number(search.trials())
                 .value()) {
    double rows = 0;
    for (const auto& [hash, o] : search.observed_) rows += o.row.empty() || o.ratios.empty() ? 0 : 1;
    const double others = std::min(kMostOfOthers, (static_cast<double>(model.rows()) - rows) / kOthersRows);
    const double worth = rows + std::max(0.0, others);
    trust_ = model.fitted() ? std::min(1.0, worth / kOwnRows) : 0;
  }

  std::vector<Schedule> run(int count) {
    seed_population();
    for (int g = 0; g < search_.options_.generations; ++g) breed();
    return batch(count);
  }

 private:
  struct Individual {
    double score = 0;  // expected log2 time against the anchor
    uint64_t hash = 0;
    Walk walk;
  };

  void seed_population() {
    const Walk constructive = search_.space().constructive();
    for (const Observed* o : search_.ranked()) {
      if (parents_.size() >= kElite) break;
      parents_.push_back({-std::log2(o->ratio()), hash(o->schedule), search_.space().replay(o->schedule).value()});
    }
    const int population = search_.options_.population;
    for (int i = 0; i < population / 4; ++i) add(mutate(constructive, rng_));
    for (int i = 0; i < population / 4; ++i) add(random_walk(search_.space(), rng_, wild()));
    for (size_t i = 0; i < parents_.size(); ++i) add(mutate(parents_[i].walk, rng_));
    if (parents_.empty()) parents_.push_back({0, hash_of(constructive), constructive});
  }

  static uint64_t hash_of(const Walk& w) { return hash(w.schedule()); }

  double wild() { return rng_.below(2) == 0 ? 1 : 0.3; }

  // Scored, unless it is known.
  bool add(Walk w) {
    const uint64_t h = hash_of(w);
    if (search_.observed_.contains(h) || h == hash(search_.anchor_) || !seen_.insert(h).second) return false;
    const Features f = features(w);
    double score = std::log2(f.model_cycles / search_.anchor_features_.model_cycles);
    if (!std::isfinite(score)) score = 0;
    if (trust_ > 0) score += trust_ * (model_.predict(feature_row(f, search_.anchor_features_)) - score);
    pool_.push_back({score, h, std::move(w)});
    return true;
  }

  // The better of two that are drawn.
  const Walk& parent() {
    const auto draw = [&]() -> const Individual& {
      const size_t i = rng_.below(parents_.size() + pool_.size());
      return i < parents_.size() ? parents_[i] : pool_[i - parents_.size()];
    };
    const Individual& a = draw();
    const Individual& b = draw();
    return a.score <= b.score ? a.walk : b.walk;
  }

  void breed() {
    constexpr uint64_t kCrossed = 30, kDrawn = 8;  // of 100 children
    std::vector<Walk> children;
    for (int i = 0; i < search_.options_.population; ++i) {
      const uint64_t how = rng_.below(100);
      if (how < kDrawn) {
        children.push_back(random_walk(search_.space(), rng_, wild()));
      } else if (how < kDrawn + kCrossed) {
        const Walk& a = parent();
        children.push_back(crossover(a, parent(), rng_));
      } else {
        children.push_back(mutate(parent(), rng_));
      }
    }
    for (Walk& child : children) add(std::move(child));
    sort_pool();
    const auto most = static_cast<size_t>(search_.options_.population);
    if (pool_.size() > most) pool_.erase(pool_.begin() + static_cast<std::ptrdiff_t>(most), pool_.end());
  }

  void sort_pool() {
    std::sort(pool_.begin(), pool_.end(),
              [](const Individual& a, const Individual& b) { return a.score != b.score ? a.score < b.score : a.hash < b.hash; });
  }

  // The best of the pool, not too many of one kind, and some that are only drawn.
  std::vector<Schedule> batch(int count) {
    const double curious = search_.trials() == 0 ? 1 - trust_ : 0;  // nothing is known: look around
    const double share = search_.options_.random_share;
    const int drawn = static_cast<int>(std::lround(count * (share + curious * std::max(0.0, 0.5 - share))));
    const int of_a_kind = std::max(2, curious > 0.5 ? count / 8 : count / 3);
    std::vector<Schedule> out;
    std::set<uint64_t> taken;
    const auto take = [&](const Individual& i) {
      if (static_cast<int>(out.size()) < count && taken.insert(i.hash).second) out.push_back(i.walk.schedule());
    };
    std::map<uint64_t, int> kinds;
    for (const Individual& i : pool_) {
      if (static_cast<int>(out.size()) >= count - drawn) break;
      if (++kinds[kind_of(i.walk)] <= of_a_kind) take(i);
    }
    std::vector<Individual> rest;
    std::swap(rest, pool_);
    for (int attempt = 0; attempt < 8 * count && static_cast<int>(out.size()) < count; ++attempt) {
      pool_.clear();
      if (add(random_walk(search_.space(), rng_, wild()))) take(pool_[0]);
    }
    for (const Individual& i : rest) take(i);  // small spaces: whatever there is
    return out;
  }

  const EvolutionarySearch& search_;
  const CostModel& model_;
  Rng rng_;
  double trust_ = 0;                 // in the learned model
  std::vector<Individual> parents_;  // measured
  std::vector<Individual> pool_;     // not measured
  std::set<uint64_t> seen_;
};

std::vector<Schedule> EvolutionarySearch::propose(int count, const CostModel& model) const {
  return count <= 0 ? std::vector<Schedule>() : Generation(*this, model).run(count);
}

}  // namespace tlm::space
