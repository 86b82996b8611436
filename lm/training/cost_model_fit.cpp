#include "tlm/lm/training/cost_model_fit.h"

#include <algorithm>
#include <cmath>

#include "tlm/lm/parallel.h"
#include "tlm/space/search/features.h"

namespace tlm::lm {
namespace {

struct Rows {
  std::vector<std::vector<float>> rows;
  std::vector<float> labels;  // log2 of the time as a multiple of the constructive schedule's
};

// Every `step`-th program.
Rows rows_of(const MeasuredWorkload& w, size_t step) {
  constexpr float kWorst = 3;  // beyond eight times the anchor it does not matter how slow it is
  Rows out;
  const auto space = space::Space::build(w.subgraph, w.target);
  const space::Walk constructive = space->constructive();
  const space::Features anchor = space::features(constructive);
  for (size_t i = 0; i < w.programs.size(); i += step) {
    const Result<space::Walk> walk = space->replay(space::parse_schedule(w.programs[i].schedule));
    if (!walk) continue;
    out.rows.push_back(space::feature_row(space::features(*walk), anchor));
    out.labels.push_back(std::min(kWorst, static_cast<float>(-w.programs[i].log_ratio / std::log(2))));
  }
  return out;
}

}  // namespace

std::vector<MeasuredWorkload> measured_workloads(std::vector<LabelledWorkload> labelled, const Obstacle& obstacle) {
  std::vector<MeasuredWorkload> all;
  for (LabelledWorkload& w : labelled) {
    ir::Subgraph g = ir::parse_subgraph(w.workload);
    Target t = parse_target_json(w.target, "record");
    if (obstacle(g, t).empty()) all.push_back({std::move(g), std::move(t), std::move(w.programs)});
  }
  return all;
}

std::shared_ptr<const space::CostModel> fit_cost_model(const std::vector<MeasuredWorkload>& measured, size_t most_rows,
                                                       Executor& executor) {
  size_t programs = 0;
  for (const MeasuredWorkload& w : measured) programs += w.programs.size();
  const size_t step = std::max<size_t>(1, (programs + most_rows - 1) / std::max<size_t>(1, most_rows));
  std::vector<Rows> pieces(measured.size());
  guarded_parallel_for(executor, static_cast<int64_t>(measured.size()),
                       [&](int64_t i) { pieces[static_cast<size_t>(i)] = rows_of(measured[static_cast<size_t>(i)], step); });
  Rows all;
  for (Rows& piece : pieces) {
    std::move(piece.rows.begin(), piece.rows.end(), std::back_inserter(all.rows));
    all.labels.insert(all.labels.end(), piece.labels.begin(), piece.labels.end());
  }
  space::CostModel::Options options;  // larger than the search's, which is fitted anew for each batch
  options.trees = 200;
  options.depth = 6;
  options.rate = 0.1;
  auto model = std::make_shared<space::CostModel>(options);
  model->fit(all.rows, all.labels);
  return model;
}

}  // namespace tlm::lm
