#include "tlm/space/space.h"

#include <cmath>

#include "tlm/core/error.h"
#include "tlm/core/rng.h"

namespace tlm::space {
namespace {

constexpr size_t kShownCandidates = 24;  // of a decision, in a reason

std::string legal_candidates(const Decision& d, const std::vector<std::string>& axes) {
  std::string out;
  for (size_t i = 0; i < d.candidates.size() && i < kShownCandidates; ++i) {
    out += (i ? " | " : "") + choice_text(d, d.candidates[i], axes);
  }
  if (d.candidates.size() > kShownCandidates) out += " | … (" + std::to_string(d.candidates.size()) + " in all)";
  return out;
}

// Complete walks below `w`; stops counting beyond `budget`.
int64_t count(const Walk& w, int64_t budget) {
  if (w.done()) return 1;
  int64_t total = 0;
  for (size_t i = 0; i < w.decision().candidates.size() && total <= budget; ++i) {
    Walk next = w;
    next.choose(static_cast<int>(i));
    total += count(next, budget - total);
  }
  return total;
}

// log10 of the number of walks that one random walk stands for: the product of its candidate counts (Knuth 1975).
double probe(Walk w, Rng& rng) {
  double log_size = 0;
  while (!w.done()) {
    const size_t n = w.decision().candidates.size();
    log_size += std::log10(static_cast<double>(n));
    w.choose(static_cast<int>(rng.below(n)));
  }
  return log_size;
}

}  // namespace

std::shared_ptr<const Space> Space::build(ir::Subgraph g, Target target) {
  TLM_CHECK(!g.stages.empty()) << "subgraph " << g.name << " has no stages";
  std::shared_ptr<Space> s(new Space());
  s->subgraph_ = std::make_shared<const ir::Subgraph>(std::move(g));
  s->target_ = std::move(target);
  return s;
}

int Space::remembered(const std::vector<int>& prefix, const std::function<int()>& choose) const {
  {
    const std::lock_guard lock(mutex_);
    if (const auto known = choices_.find(prefix); known != choices_.end()) return known->second;
  }
  const int choice = choose();
  const std::lock_guard lock(mutex_);
  return choices_.emplace(prefix, choice).first->second;
}

Walk Space::constructive() const {
  Walk w = walk();
  w.complete();
  return w;
}

Result<Walk> Space::replay(const Schedule& s) const {
  Walk w = walk();
  size_t used = 0;
  while (!w.done()) {
    const Decision& d = w.decision();
    const std::string* text = s.find(d.name);
    if (!text) {
      w.choose(d.neutral);
      continue;
    }
    const std::vector<std::string> axes = axis_names(d, w.subgraph());
    const int candidate = parse_choice(d, *text, axes);
    if (candidate < 0) {
      return Reason{"decision " + d.name + ": '" + *text + "' is not legal here; legal: " + legal_candidates(d, axes)};
    }
    w.choose(candidate);
    ++used;
  }
  if (used != s.choices.size()) {
    for (const auto& [name, text] : s.choices) {
      bool known = false;
      std::string names;
      for (const Decision& d : w.decisions()) {
        known = known || d.name == name;
        names += (names.empty() ? "" : ", ") + d.name;
      }
      if (!known) {
        return Reason{"decision " + name + ": not open in this space after the other choices of the schedule (open: " +
                      (names.empty() ? "none" : names) + ")"};
      }
    }
    return Reason{"a decision is given twice"};
  }
  return w;
}

double Space::log10_size(int budget) const {
  // Estimate first: to enumerate a huge space up to the budget would tell nothing.
  constexpr int kProbes = 128;
  Rng rng(0x51a9e);
  double largest = 0;
  std::vector<double> logs;
  for (int i = 0; i < kProbes; ++i) {
    logs.push_back(probe(walk(), rng));
    largest = std::max(largest, logs.back());
  }
  double sum = 0;
  for (double l : logs) sum += std::pow(10.0, l - largest);
  const double estimate = largest + std::log10(sum / kProbes);
  if (estimate > std::log10(4.0 * budget + 1)) return estimate;
  const int64_t exact = count(walk(), budget);
  return exact <= budget ? std::log10(static_cast<double>(exact)) : estimate;
}

}  // namespace tlm::space
