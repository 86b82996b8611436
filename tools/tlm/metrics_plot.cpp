#include "tlm/tools/tlm/metrics_plot.h"

#include "tlm/tools/plot/line_plot.h"

namespace tlm::tools {

std::string metrics_svg(const std::vector<lm::StepMetrics>& metrics) {
  LinePlot plot{.title = "training", .x_label = "step", .y_label = "nats for each choice"};
  PlotLine train{.name = "train"}, dev{.name = "dev", .markers = true}, best{.name = "dev, best programs", .markers = true};
  const size_t together = metrics.size() / 200 + 1;
  double sum = 0;
  size_t count = 0;
  for (const lm::StepMetrics& m : metrics) {
    sum += m.loss;
    if (++count == together) {
      train.points.emplace_back(static_cast<double>(m.step), sum / static_cast<double>(count));
      sum = 0, count = 0;
    }
    if (!m.dev) continue;
    dev.points.emplace_back(static_cast<double>(m.step), m.dev->loss);
    best.points.emplace_back(static_cast<double>(m.step), m.dev->best_loss);
  }
  plot.lines = {train, dev, best};
  return svg(plot);
}

}  // namespace tlm::tools
