#include "tlm/lm/training/pretraining.h"

#include <algorithm>
#include <optional>

#include "tlm/lm/parallel.h"
#include "tlm/lm/training/quality.h"
#include "tlm/space/records/split_key.h"

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

Programs constructive_program(const space::Space& space) { return {{space.constructive(), 0.0f}}; }

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

Dataset taught_sentences(const SpaceSource& source, int64_t count, size_t programs, const Teacher& teacher,
                         const PromptForm& form, int64_t context, Executor& executor, const CancelToken& cancel,
                         Progress& progress) {
  Dataset data = pieces_of(source, count, "taught sentences", form, context, executor, cancel, progress,
                           [&](const space::Space& space) { return teacher.programs(space, programs); });
  for (PromptGroup& g : data.groups) g.taught = true;
  return data;
}

}  // namespace tlm::lm
