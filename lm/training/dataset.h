// Measured programs as sentences: for each workload and target a prompt, for each program its decisions and what was legal.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "tlm/core/cancel.h"
#include "tlm/core/executor.h"
#include "tlm/core/progress.h"
#include "tlm/lm/prompt_form.h"
#include "tlm/lm/training/labels.h"
#include "tlm/space/language/vocabulary.h"
#include "tlm/space/space.h"

namespace tlm::lm {

// The decisions of one program, as a range of the dataset's tokens.
struct TrainingSentence {
  uint32_t first = 0, count = 0;
  float gap = 0;  // ln(latency / best latency of the workload and target)
  bool slow = false;
};

// A workload on a target.
struct PromptGroup {
  std::string name, kind, variant;  // of subgraph, workload, target: for people and counts
  uint64_t workload_hash = 0, target_hash = 0, split_key = 0;
  std::vector<space::Token> prompt, blind_prompt;  // blind: the target withheld
  std::vector<TrainingSentence> programs;          // fastest first
  bool taught = false;                             // not measured: by a teacher, whose best is known however few there are
};

class Dataset {
 public:
  // Of a legal set that holds the token itself alone: a token that is no choice.
  static constexpr int32_t kForced = -1;

  std::vector<PromptGroup> groups;
  std::vector<std::vector<space::Token>> legal_sets;  // distinct, ascending, two tokens at least

  std::span<const uint16_t> tokens(const TrainingSentence& s) const { return {tokens_.data() + s.first, s.count}; }
  std::span<const int32_t> legal(const TrainingSentence& s) const { return {legal_.data() + s.first, s.count}; }
  int64_t programs() const;
  // Of everything that training sees: equal data, equal fingerprint.
  uint64_t fingerprint() const;

  // Sentences of one group, made by themselves and added in any thread's turn.
  struct Piece {
    PromptGroup group;
    std::vector<uint16_t> tokens;
    std::vector<int32_t> legal;  // into legal_sets of the piece
    std::vector<std::vector<space::Token>> legal_sets;
  };
  void add(Piece piece);
  void add(Dataset other);  // all its groups

 private:
  std::vector<int32_t> ids_of(std::vector<std::vector<space::Token>> sets);
  // Groups with sentences in `tokens`; `ids`: of the legal sets that `legal` numbers.
  void append(std::span<const uint16_t> tokens, std::span<const int32_t> legal, const std::vector<int32_t>& ids,
              std::vector<PromptGroup> added);

  std::vector<uint16_t> tokens_;
  std::vector<int32_t> legal_;  // [tokens] index into legal_sets, or kForced
  std::map<std::vector<space::Token>, int32_t> set_ids_;
};

// Appends the decisions of complete walks of one space to `piece`, with what was legal at each token. Walks in any order; those
// of one beginning are quicker side by side.
void append_sentences(Dataset::Piece& piece, const std::vector<space::Walk>& walks);

struct DatasetOptions {
  PromptForm form;
  int64_t context = 512;  // tokens of the longest sentence, quality and all
  // Of what is learned from; dev stays whole, so that different trainings are judged alike.
  double fraction = 1;  // of the workloads, by their keys: a smaller fraction is part of a larger one
  std::vector<std::string> leave_out_kinds, leave_out_variants;
  // Whether a workload is of the test for another reason than its key: its records are refused.
  std::function<bool(const ir::Subgraph& g)> is_test;
  // Why nothing may be learned from a workload on a target (that its split is not train needs no saying); empty: it may be.
  std::function<std::string(const ir::Subgraph& g, const Target& t)> obstacle;
  std::function<std::string(const Target& t)> variant;  // a name for hardware; none: ISA and cores
};

struct DatasetCounts {
  int64_t workloads = 0, programs = 0;  // kept: workloads on targets
  // Left out, programs:
  int64_t held_out = 0;                    // by `obstacle`
  int64_t left_out = 0;                    // by kind or variant
  int64_t beyond_fraction = 0;             // of other workloads than the fraction's
  int64_t too_long = 0;                    // sentences longer than the context
  int64_t refused = 0;                     // schedules that the space of today does not have
  int64_t no_choice = 0;                   // of spaces with one schedule alone
  int64_t longest = 0;                     // tokens of the longest sentence, kept or not
  std::map<std::string, int64_t> reasons;  // held_out by reason
};

struct Datasets {
  Dataset train, dev;  // by the split of the key that follows from the subgraph
  DatasetCounts train_counts, dev_counts;
};

// Whether a training with these options may learn of a workload: nothing of it is left out, beyond the fraction, of dev or test,
// or met by the obstacle.
bool may_learn(const ir::Subgraph& g, const Target& t, const DatasetOptions& options);

// Builds spaces, replays schedules and writes sentences on all threads of `executor`. The result depends on the labels and
// options alone. A workload's split follows from its subgraph, whatever key the record says. Throws Error: kInterrupted, kUsage
// (a test workload, by name).
Datasets make_datasets(std::vector<LabelledWorkload> workloads, const DatasetOptions& options, Executor& executor,
                       const CancelToken& cancel, Progress& progress);

// "avx512f, 2 cores"
std::string plain_variant(const Target& t);

}  // namespace tlm::lm
