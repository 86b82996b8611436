// Lines over two axes as SVG: small, readable, the same bytes for the same data.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace tlm::tools {

struct PlotLine {
  std::string name;                               // in the legend; empty: not there
  std::vector<std::pair<double, double>> points;  // in the order in which they are joined
  bool markers = false;                           // a dot at each point
};

struct LinePlot {
  std::string title, x_label, y_label;
  bool log_x = false, log_y = false;
  int width = 640, height = 400;  // pixels
  std::vector<PlotLine> lines;
};

// Points that are not finite (or not positive on a logarithmic axis) interrupt their line. Without any point the axes go from
// 0 to 1 (logarithmic: 1 to 10). Colours repeat after eight lines.
std::string svg(const LinePlot& plot);

// About `count` round numbers (1, 2 or 5 times a power of ten) from `low` to `high`, ascending; logarithmic: powers of ten, with
// 2 and 5 times them where fewer than three fit.
std::vector<double> axis_ticks(double low, double high, int count, bool logarithmic);

}  // namespace tlm::tools
