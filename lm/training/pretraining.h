// Sentences about computations that nobody measured: they teach the language and sensible schedules.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include "tlm/core/cancel.h"
#include "tlm/core/executor.h"
#include "tlm/core/progress.h"
#include "tlm/lm/training/dataset.h"
#include "tlm/lm/training/teacher.h"

namespace tlm::lm {

// The i-th space; null: that one is left out. Called from several threads, depends on `i` alone.
using SpaceSource = std::function<std::shared_ptr<const space::Space>(int64_t i)>;

// One program for each of the first `count` spaces of the source whose sentence fits into `context` tokens and holds a choice.
// Their gaps are 0 and mean nothing (PackingOptions::any_quality). Throws Error(kInterrupted).
Dataset constructive_sentences(const SpaceSource& source, int64_t count, const PromptForm& form, int64_t context,
                               Executor& executor, const CancelToken& cancel, Progress& progress);

// The same spaces with up to `programs` schedules of each by the teacher, with gaps as it foretells them: groups that are
// `taught`.
Dataset taught_sentences(const SpaceSource& source, int64_t count, size_t programs, const Teacher& teacher,
                         const PromptForm& form, int64_t context, Executor& executor, const CancelToken& cancel,
                         Progress& progress);

}  // namespace tlm::lm
