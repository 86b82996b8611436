#include "tlm/tools/plot/line_plot.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace tlm::tools {
namespace {

size_t count(const std::string& text, const std::string& what) {
  size_t n = 0;
  for (size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) ++n;
  return n;
}

TEST(AxisTicks, RoundNumbers) {
  struct Case {
    double low, high;
    int count;
    bool logarithmic;
    std::vector<double> ticks;
  };
  const Case cases[] = {
      {0, 10, 5, false, {0, 2, 4, 6, 8, 10}}, {0.13, 0.42, 3, false, {0.2, 0.3, 0.4}}, {-1, 1, 4, false, {-1, -0.5, 0, 0.5, 1}},
      {1, 1000, 5, true, {1, 10, 100, 1000}}, {3, 60, 5, true, {5, 10, 20, 50}},       {3, 4, 2, true, {3, 3.5, 4}},
  };
  for (const Case& c : cases) {
    const auto ticks = axis_ticks(c.low, c.high, c.count, c.logarithmic);
    ASSERT_EQ(ticks.size(), c.ticks.size()) << c.low << " to " << c.high;
    for (size_t i = 0; i < ticks.size(); ++i) EXPECT_NEAR(ticks[i], c.ticks[i], 1e-9) << c.low << " to " << c.high;
  }
}

TEST(LinePlot, SpansTheAreaAndNamesItsLines) {
  LinePlot plot{.title = "a < b", .x_label = "step", .y_label = "loss"};
  plot.lines.push_back({"one & two", {{0, 1}, {10, 3}}, true});
  plot.lines.push_back({"", {{0, 2}, {10, 2}}});
  const std::string text = svg(plot);
  EXPECT_NE(text.find("M64.0 352.0L624.0 36.0"), std::string::npos) << text;  // from corner to corner
  EXPECT_NE(text.find("M64.0 194.0L624.0 194.0"), std::string::npos);         // half way up
  EXPECT_NE(text.find(">a &lt; b<"), std::string::npos);
  EXPECT_NE(text.find(">one &amp; two<"), std::string::npos);
  EXPECT_EQ(count(text, "<circle"), 2u);
  EXPECT_EQ(text, svg(plot));
}

TEST(LinePlot, WhatCannotBeShownInterruptsTheLine) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  LinePlot plot;
  plot.lines.push_back({"", {{0, 1}, {1, 2}, {2, nan}, {3, 2}, {4, 1}}});
  EXPECT_EQ(count(svg(plot), "<path d=\"M64.0 384.0L"), 0u);
  EXPECT_EQ(count(svg(plot), " fill=\"none\""), 1u);
  const std::string text = svg(plot);
  const std::string line = text.substr(text.find("fill=\"none\"") - 120, 120);
  EXPECT_EQ(count(line, "M"), 2u) << line;
  plot.log_y = true;
  plot.lines = {{"", {{0, -1}, {1, 0}}}};
  EXPECT_EQ(count(svg(plot), "fill=\"none\""), 0u);  // nothing positive
  EXPECT_EQ(count(svg(LinePlot{}), "<svg"), 1u);     // no lines at all
}

}  // namespace
}  // namespace tlm::tools
