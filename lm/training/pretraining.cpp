#include "tlm/lm/training/pretraining.h"

#include <algorithm>
#include <optional>

#include "tlm/lm/parallel.h"
#include "tlm/lm/training/quality.h"
#include "tlm/space/records/split_key.h"

namespace tlm::lm {
namespace {

std::optional<Dataset::Piece> sentence(const std::shared_ptr<const space::Space>& space, const PromptForm& form,
                                       int64_t context) {
  if (!space) return std::nullopt;
  Dataset::Piece piece;
  piece.group.name = space->subgraph().name;
  piece.group.split_key = space::split_key(space->subgraph());
  piece.group.prompt = write_prompt(*space, form);
  piece.group.blind_prompt = with_unknown_target(piece.group.prompt);
  space::Walk walk = space->walk();
  walk.complete();
  append_sentences(piece, {walk});
  const auto length = static_cast<int64_t>(piece.group.prompt.size()) + kQualityTokens + piece.group.programs[0].count;
  const bool choice = std::any_of(piece.legal.begin(), piece.legal.end(), [](int32_t id) { return id != Dataset::kForced; });
  if (length > context || !choice) return std::nullopt;
  return piece;
}

}  // namespace

Dataset constructive_sentences(const SpaceSource& source, int64_t count, const PromptForm& form, int64_t context,
                               Executor& executor, const CancelToken& cancel, Progress& progress) {
  ProgressTask task(progress, "constructive sentences", count);
  std::vector<std::optional<Dataset::Piece>> pieces(static_cast<size_t>(count));
  guarded_parallel_for(executor, count, [&](int64_t i) {
    cancel.check();
    pieces[static_cast<size_t>(i)] = sentence(source(i), form, context);
    task.advance();
  });
  Dataset data;
  for (auto& piece : pieces)
    if (piece) data.add(std::move(*piece));
  return data;
}

}  // namespace tlm::lm
