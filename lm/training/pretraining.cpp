#include "tlm/lm/training/pretraining.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>

#include "tlm/core/hash.h"
#include "tlm/core/rng.h"
#include "tlm/lm/parallel.h"
#include "tlm/lm/training/quality.h"
#include "tlm/space/records/split_key.h"
#include "tlm/space/search/features.h"
#include "tlm/space/search/mutation.h"

namespace tlm::lm {
namespace {

using Programs = std::vector<std::pair<space::Walk, float>>;  // with their gaps, the fastest first

// null: no space, no choice, or the longest sentence exceeds the context.
std::optional<Dataset::Piece> piece_of(const space::Space& space, const Programs& programs, const PromptForm& form,
                                       int64_t context) {
  Dataset::Piece piece;
  piece.group.name = space.subgraph().name;
  piece.group.split_key = space::split_key(space.subgraph());
  piece.group.prompt = write_prompt(space, form);
  piece.group.blind_prompt = with_unknown_target(piece.group.prompt);
  std::vector<space::Walk> walks;
  for (const auto& [walk, gap] : programs) walks.push_back(walk);
  append_sentences(piece, walks);
  auto length = static_cast<int64_t>(piece.group.prompt.size()) + kQualityTokens;
  uint32_t longest = 0;
  for (size_t i = 0; i < programs.size(); ++i) {
    piece.group.programs[i].gap = programs[i].second;
    longest = std::max(longest, piece.group.programs[i].count);
  }
  length += longest;
  const bool choice = std::any_of(piece.legal.begin(), piece.legal.end(), [](int32_t id) { return id != Dataset::kForced; });
  if (length > context || !choice) return std::nullopt;
  return piece;
}

Programs constructive_program(const space::Space& space) {
  space::Walk walk = space.walk();
  walk.complete();
  return {{std::move(walk), 0.0f}};
}

// Schedules of a space by what the cost model foretells, each once.
class Estimates {
 public:
  Estimates(const space::Space& space, const space::CostModel& model) : model_(model) {
    space::Walk constructive = space.walk();
    constructive.complete();
    anchor_ = space::features(constructive);
    look(constructive);
  }
  void look(const space::Walk& w) {
    if (!known_.insert(hash(w.schedule())).second) return;
    all_.emplace_back(w, static_cast<float>(model_.predict(space::feature_row(space::features(w), anchor_)) * std::log(2)));
  }
  Programs& sorted() {
    std::stable_sort(all_.begin(), all_.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
    return all_;
  }

 private:
  const space::CostModel& model_;
  space::Features anchor_;
  std::set<uint64_t> known_;
  Programs all_;  // with ln(time / constructive time)
};

Programs estimated_programs(const space::Space& space, const space::CostModel& model, int count) {
  constexpr int kStart = 60, kRounds = 2, kParents = 12, kChildren = 36;
  Rng rng(Hasher().text("estimates").number(static_cast<int64_t>(ir::workload_hash(space.subgraph()))).value());
  Estimates estimates(space, model);
  const space::Walk constructive = constructive_program(space)[0].first;
  for (int i = 0; i < kStart; ++i)
    estimates.look(i % 3 == 0 ? space::mutate(constructive, rng) : space::random_walk(space, rng, i % 3 == 1 ? 1 : 0.3));
  for (int round = 0; round < kRounds; ++round) {
    Programs parents = estimates.sorted();
    if (parents.size() > kParents) parents.erase(parents.begin() + kParents, parents.end());
    const auto any = [&]() -> const space::Walk& { return parents[rng.below(parents.size())].first; };
    for (int i = 0; i < kChildren; ++i)
      estimates.look(i % 3 == 0 ? space::crossover(any(), any(), rng) : space::mutate(any(), rng));
  }
  const Programs& all = estimates.sorted();
  const size_t top = std::min(all.size(), static_cast<size_t>(count) / 3), rest = static_cast<size_t>(count) - top;
  Programs out(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(top));
  for (size_t i = 0; i < rest && top + i < all.size(); ++i)
    out.push_back(all[all.size() - top <= rest ? top + i : top + i * (all.size() - top) / rest]);
  for (auto& [walk, gap] : out) gap -= all[0].second;
  return out;
}

template <typename Write>
Dataset pieces_of(const SpaceSource& source, int64_t count, const char* what, const PromptForm& form, int64_t context,
                  Executor& executor, const CancelToken& cancel, Progress& progress, const Write& write) {
  ProgressTask task(progress, what, count);
  std::vector<std::optional<Dataset::Piece>> pieces(static_cast<size_t>(count));
  guarded_parallel_for(executor, count, [&](int64_t i) {
    cancel.check();
    if (const auto space = source(i)) pieces[static_cast<size_t>(i)] = piece_of(*space, write(*space), form, context);
    task.advance();
  });
  Dataset data;
  for (auto& piece : pieces)
    if (piece) data.add(std::move(*piece));
  return data;
}

}  // namespace

Dataset constructive_sentences(const SpaceSource& source, int64_t count, const PromptForm& form, int64_t context,
                               Executor& executor, const CancelToken& cancel, Progress& progress) {
  return pieces_of(source, count, "constructive sentences", form, context, executor, cancel, progress, constructive_program);
}

Dataset estimated_sentences(const SpaceSource& source, int64_t count, int programs, const space::CostModel& cost_model,
                            const PromptForm& form, int64_t context, Executor& executor, const CancelToken& cancel,
                            Progress& progress) {
  return pieces_of(source, count, "estimated sentences", form, context, executor, cancel, progress,
                   [&](const space::Space& space) { return estimated_programs(space, cost_model, programs); });
}

}  // namespace tlm::lm
