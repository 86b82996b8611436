#include <algorithm>
#include <optional>

#include "tlm/core/error.h"
#include "tlm/core/hash.h"
#include "tlm/lm/parallel.h"
#include "tlm/lm/training/dataset.h"
#include "tlm/lm/training/quality.h"
#include "tlm/space/records/workload_kind.h"

namespace tlm::lm {
namespace {

struct Made {
  bool dev = false;
  std::optional<Dataset::Piece> piece;
  DatasetCounts counts;
};

// A number in [0, 1) that follows from the key alone.
double place_of(uint64_t key) {
  return static_cast<double>(Hasher().text("fraction").number(static_cast<int64_t>(key)).value() >> 11) * 0x1p-53;
}

bool contains(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

// Programs as walks of the space, in an order in which neighbours begin alike; `programs` in the same order.
std::vector<space::Walk> replay_all(const space::Space& space, std::vector<LabelledProgram>& programs, DatasetCounts& counts) {
  std::sort(programs.begin(), programs.end(), [](const auto& a, const auto& b) { return a.schedule < b.schedule; });
  std::vector<space::Walk> walks;
  std::vector<LabelledProgram> legal;
  for (LabelledProgram& p : programs) {
    bool is_legal = false;
    try {
      if (Result<space::Walk> walk = space.replay(space::parse_schedule(p.schedule)); walk.ok()) {
        walks.push_back(std::move(*walk));
        is_legal = true;
      }
    } catch (const Error&) {
      // the text is no schedule
    }
    if (is_legal) {
      legal.push_back(std::move(p));
    } else {
      ++counts.refused;
    }
  }
  programs = std::move(legal);
  return walks;
}

std::string variant_of(const Target& t, const DatasetOptions& options) {
  return options.variant ? options.variant(t) : plain_variant(t);
}

enum class Exclusion { kNone, kBeyondFraction, kLeftOut, kHeldOut };

// Why nothing is learned of a workload that is none of dev; `why`: the obstacle in words, if that is it.
Exclusion exclusion(const ir::Subgraph& g, const Target& t, uint64_t split_key, const DatasetOptions& options, std::string* why) {
  if (place_of(split_key) >= options.fraction) return Exclusion::kBeyondFraction;
  if (contains(options.leave_out_kinds, std::string(space::workload_kind_name(space::workload_kind(g)))) ||
      contains(options.leave_out_variants, variant_of(t, options)))
    return Exclusion::kLeftOut;
  *why = options.obstacle ? options.obstacle(g, t) : "";
  return why->empty() ? Exclusion::kNone : Exclusion::kHeldOut;
}

Made make(LabelledWorkload w, const DatasetOptions& options) {
  Made out;
  ir::Subgraph g = ir::parse_subgraph(w.workload);
  const Target target = parse_target_json(w.target, "record");
  w.split_key = space::split_key(g);  // not what the record says
  const space::Split split = space::split_of(w.split_key);
  if (split == space::Split::kTest || (options.is_test && options.is_test(g))) refuse_test_workload("\"" + g.name + "\"");
  out.dev = split == space::Split::kDev;
  if (!out.dev) {
    const auto all = static_cast<int64_t>(w.programs.size());
    std::string why;
    switch (exclusion(g, target, w.split_key, options, &why)) {
      case Exclusion::kNone: break;
      case Exclusion::kBeyondFraction: out.counts.beyond_fraction = all; return out;
      case Exclusion::kLeftOut: out.counts.left_out = all; return out;
      case Exclusion::kHeldOut: out.counts.held_out = out.counts.reasons[why] = all; return out;
    }
  }
  Dataset::Piece piece;
  piece.group = {.name = g.name,
                 .kind = std::string(space::workload_kind_name(space::workload_kind(g))),
                 .variant = variant_of(target, options),
                 .workload_hash = w.workload_hash,
                 .target_hash = w.target_hash,
                 .split_key = w.split_key};
  const auto space = space::Space::build(std::move(g), target);
  piece.group.prompt = write_prompt(*space, options.form);
  piece.group.blind_prompt = with_unknown_target(piece.group.prompt);
  const std::vector<space::Walk> walks = replay_all(*space, w.programs, out.counts);
  append_sentences(piece, walks);
  if (std::all_of(piece.legal.begin(), piece.legal.end(), [](int32_t id) { return id == Dataset::kForced; })) {
    out.counts.no_choice = static_cast<int64_t>(walks.size());
    return out;
  }

  // Gaps to the best, sentences that fit, the fastest first.
  double best = -1e300;
  for (const LabelledProgram& p : w.programs)
    if (!p.slow) best = std::max(best, p.log_ratio);
  std::vector<TrainingSentence> fitting;
  const auto prompt = static_cast<int64_t>(piece.group.prompt.size());
  for (size_t i = 0; i < w.programs.size(); ++i) {
    TrainingSentence s = piece.group.programs[i];
    s.slow = w.programs[i].slow;
    s.gap = static_cast<float>(std::max(best - w.programs[i].log_ratio, 0.0));
    const int64_t length = prompt + kQualityTokens + s.count;
    out.counts.longest = std::max(out.counts.longest, length);
    if (length > options.context) {
      ++out.counts.too_long;
    } else {
      fitting.push_back(s);
    }
  }
  std::stable_sort(fitting.begin(), fitting.end(), [](const TrainingSentence& a, const TrainingSentence& b) {
    return std::pair(a.slow, a.gap) < std::pair(b.slow, b.gap);
  });
  if (fitting.empty() || fitting.front().slow) return out;  // nothing to compare with
  out.counts.workloads = 1;
  out.counts.programs = static_cast<int64_t>(fitting.size());
  piece.group.programs = std::move(fitting);
  out.piece = std::move(piece);
  return out;
}

void add(DatasetCounts& to, const DatasetCounts& c) {
  to.workloads += c.workloads, to.programs += c.programs;
  to.held_out += c.held_out, to.left_out += c.left_out, to.beyond_fraction += c.beyond_fraction;
  to.too_long += c.too_long, to.refused += c.refused, to.no_choice += c.no_choice;
  to.longest = std::max(to.longest, c.longest);
  for (const auto& [why, n] : c.reasons) to.reasons[why] += n;
}

}  // namespace

bool may_learn(const ir::Subgraph& g, const Target& t, const DatasetOptions& options) {
  const uint64_t key = space::split_key(g);
  std::string why;
  return space::split_of(key) == space::Split::kTrain && exclusion(g, t, key, options, &why) == Exclusion::kNone;
}

Datasets make_datasets(std::vector<LabelledWorkload> workloads, const DatasetOptions& options, Executor& executor,
                       const CancelToken& cancel, Progress& progress) {
  ProgressTask task(progress, "sentences", static_cast<int64_t>(workloads.size()));
  std::vector<Made> made(workloads.size());
  guarded_parallel_for(executor, static_cast<int64_t>(workloads.size()), [&](int64_t i) {
    cancel.check();
    made[static_cast<size_t>(i)] = make(std::move(workloads[static_cast<size_t>(i)]), options);
    task.advance();
  });
  Datasets out;
  for (size_t i = 0; i < made.size(); ++i) {
    add(made[i].dev ? out.dev_counts : out.train_counts, made[i].counts);
    if (made[i].piece) (made[i].dev ? out.dev : out.train).add(std::move(*made[i].piece));
    made[i].piece.reset();
  }
  return out;
}

}  // namespace tlm::lm
