#include "tlm/lm/training/labels.h"

#include <algorithm>
#include <cmath>
#include <tuple>

#include "tlm/core/error.h"
#include "tlm/core/median.h"

namespace tlm::lm {
namespace {

using space::MeasureStatus;

constexpr float kDisturbed = 1.25f;  // times the anchor's least latency

template <typename T>
void append(std::vector<T>& to, const std::vector<T>& what) {
  to.insert(to.end(), what.begin(), what.end());
}

// The name with which a workload's text begins, for messages.
std::string name_in(const std::string& workload) { return workload.substr(0, std::min<size_t>(workload.find('\n'), 100)); }

}  // namespace

void refuse_test_workload(const std::string& name) {
  throw Error(ErrorCode::kUsage, "a record of a test workload: a model that learns from it cannot be judged by it", name,
              "leave test workloads out of the records for training");
}

void Labels::add(const space::Record& r) {
  if (space::split_of(r.split_key) == space::Split::kTest) refuse_test_workload(name_in(r.workload));
  ++counts_.records;
  Workload& w = workloads_[{r.workload_hash, r.target_hash}];
  if (r.space_version < w.space_version) {
    ++counts_.older;
    return;
  }
  if (r.space_version > w.space_version) {
    counts_.older += w.records;
    w = {r.workload, r.target, r.split_key, r.space_version, {}, 0};
  }
  ++w.records;
  Program& p = w.programs[r.schedule];
  if (r.emitter_version < p.emitter_version) {
    ++counts_.older;
    return;
  }
  if (r.emitter_version > p.emitter_version) {
    counts_.older += static_cast<int64_t>(p.steady.size() + p.unsteady.size() + p.cut_off.size());
    p = {.emitter_version = r.emitter_version};
  }
  if (p.source_hash == 0) p.source_hash = r.source_hash;
  if (r.status != MeasureStatus::kOk && r.status != MeasureStatus::kSlow) {
    p.broken = true;
    return;
  }
  if (r.ratio <= 0) {
    ++counts_.without_ratio;
    return;
  }
  const Sample sample{static_cast<float>(std::log(r.ratio)), static_cast<float>(r.ratio * r.median_ms)};
  (r.status == MeasureStatus::kSlow ? p.cut_off : r.unsteady ? p.unsteady : p.steady).push_back(sample);
}

double Labels::median_of(const std::vector<Sample>& samples) {
  std::vector<double> values;
  for (const Sample& s : samples) values.push_back(s.log_ratio);
  return median(values);
}

void Labels::drop_disturbed(Workload& w) {
  float least = INFINITY;
  const auto each = [&](const auto& f) {
    for (auto& [text, p] : w.programs)
      for (std::vector<Sample>* samples : {&p.steady, &p.unsteady, &p.cut_off}) f(*samples);
  };
  each([&](const std::vector<Sample>& samples) {
    for (const Sample& s : samples) least = std::min(least, s.anchor_ms);
  });
  each([&](std::vector<Sample>& samples) {
    counts_.disturbed +=
        static_cast<int64_t>(std::erase_if(samples, [&](const Sample& s) { return s.anchor_ms > kDisturbed * least; }));
  });
}

LabelledWorkload Labels::label(std::pair<uint64_t, uint64_t> key, Workload& w) {
  drop_disturbed(w);
  // Schedules that give the same program are one, written as the first of them in the order of their texts.
  std::map<std::string, Program> by_text(std::make_move_iterator(w.programs.begin()), std::make_move_iterator(w.programs.end()));
  std::map<uint64_t, Program*> by_source;
  for (auto& [text, p] : by_text) {
    if (p.source_hash == 0) continue;
    Program*& first = by_source[p.source_hash];
    if (!first) {
      first = &p;
      continue;
    }
    first->broken |= p.broken;
    append(first->steady, p.steady), append(first->unsteady, p.unsteady), append(first->cut_off, p.cut_off);
    p = {.emitter_version = -2};
  }
  LabelledWorkload out{std::move(w.workload), std::move(w.target), key.first, key.second, w.split_key, w.space_version, {}};
  for (auto& [text, p] : by_text) {
    if (p.emitter_version == -2) {
      ++counts_.same;
    } else if (p.broken) {
      ++counts_.broken;
    } else if (!p.steady.empty() || !p.unsteady.empty()) {
      out.programs.push_back({text, median_of(p.steady.empty() ? p.unsteady : p.steady), false});
    } else if (!p.cut_off.empty()) {
      out.programs.push_back({text, median_of(p.cut_off), true});
    }
  }
  std::sort(out.programs.begin(), out.programs.end(), [](const LabelledProgram& a, const LabelledProgram& b) {
    return std::tuple(a.slow, -a.log_ratio, std::string_view(a.schedule)) <
           std::tuple(b.slow, -b.log_ratio, std::string_view(b.schedule));
  });
  counts_.programs += static_cast<int64_t>(out.programs.size());
  return out;
}

std::vector<LabelledWorkload> Labels::take() {
  std::vector<LabelledWorkload> out;
  for (auto& [key, w] : workloads_) {
    out.push_back(label(key, w));
    w = {};
    if (out.back().programs.empty()) out.pop_back();
  }
  workloads_.clear();
  return out;
}

}  // namespace tlm::lm
