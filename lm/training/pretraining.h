// Sentences about computations that nobody measured: they teach the language and sensible schedules.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include "tlm/core/cancel.h"
#include "tlm/core/executor.h"
#include "tlm/core/progress.h"
#include "tlm/lm/training/dataset.h"
#include "tlm/space/search/cost_model.h"

namespace tlm::lm {

// The i-th space; null: that one is left out. Called from several threads, depends on `i` alone.
using SpaceSource = std::function<std::shared_ptr<const space::Space>(int64_t i)>;

// One program for each of the first `count` spaces of the source whose sentence fits into `context` tokens and holds a choice.
// Their gaps are 0 and mean nothing (PackingOptions::any_quality). Throws Error(kInterrupted).
Dataset constructive_sentences(const SpaceSource& source, int64_t count, const PromptForm& form, int64_t context,
                               Executor& executor, const CancelToken& cancel, Progress& progress);

// Programs of the same spaces, with gaps as a cost model foretells them: for each space a short evolutionary search that measures
// nothing; of all that it looked at the `programs` that serve best: a third the fastest, the others spread over all. More of
// what measurements say, and only that: the cost model is fitted to nothing else.
Dataset estimated_sentences(const SpaceSource& source, int64_t count, int programs, const space::CostModel& cost_model,
                            const PromptForm& form, int64_t context, Executor& executor, const CancelToken& cancel,
                            Progress& progress);

}  // namespace tlm::lm
