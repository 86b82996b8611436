#include "tlm/tools/plot/line_plot.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace tlm::tools {
namespace {

// Told apart by people with any colour vision (Okabe and Ito), on white.
const char* const kColours[] = {"#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000", "#999999"};

constexpr double kLeft = 64, kRight = 16, kBottom = 48, kLineHeight = 16;

std::string text_of(double v, const char* format = "%.6g") {
  char buffer[64];
  std::snprintf(buffer, sizeof buffer, format, v == 0 ? 0.0 : v);
  return buffer;
}

std::string pixel(double v) { return text_of(v, "%.1f"); }

std::string escaped(const std::string& text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '<': out += "&lt;"; break;
      case '>': out += "&gt;"; break;
      case '&': out += "&amp;"; break;
      case '"': out += "&quot;"; break;
      default: out += static_cast<unsigned char>(c) < ' ' ? ' ' : c;
    }
  }
  return out;
}

// The range of one axis, and where a value lies on it.
struct Axis {
  bool logarithmic;
  double low = 0, high = 0;  // of the values
  double from = 0, to = 0;   // pixels
  bool any = false;

  bool shows(double v) const { return std::isfinite(v) && (!logarithmic || v > 0); }
  void include(double v) {
    low = any ? std::min(low, v) : v;
    high = any ? std::max(high, v) : v;
    any = true;
  }
  // A little air around the values; never an empty range.
  void close() {
    if (!any) low = logarithmic ? 1 : 0, high = logarithmic ? 10 : 1;
    if (logarithmic) {
      if (low == high) low /= 2, high *= 2;
      return;
    }
    if (low == high) {
      const double air = low == 0 ? 1 : std::fabs(low) * 0.1;
      low -= air, high += air;
    }
  }
  double at(double v) const {
    const double part = logarithmic ? std::log(v / low) / std::log(high / low) : (v - low) / (high - low);
    return from + part * (to - from);
  }
};

std::string label(double x, double y, const std::string& text, const char* anchor, const std::string& more = "") {
  return "<text x=\"" + pixel(x) + "\" y=\"" + pixel(y) + "\" text-anchor=\"" + anchor + "\"" + more + ">" + escaped(text) +
         "</text>\n";
}

std::string segment(double x1, double y1, double x2, double y2, const char* colour) {
  return "<path d=\"M" + pixel(x1) + " " + pixel(y1) + "L" + pixel(x2) + " " + pixel(y2) + "\" stroke=\"" + colour + "\"/>\n";
}

// The line's visible pieces, then its markers.
std::string line_svg(const PlotLine& line, const Axis& x, const Axis& y, const std::string& colour) {
  std::string path, dots;
  bool joined = false;
  for (const auto& [vx, vy] : line.points) {
    if (!x.shows(vx) || !y.shows(vy)) {
      joined = false;
      continue;
    }
    const std::string px = pixel(x.at(vx)), py = pixel(y.at(vy));
    path += (joined ? "L" : "M") + px + " " + py;
    joined = true;
    if (line.markers) dots += "<circle cx=\"" + px + "\" cy=\"" + py + "\" r=\"2.5\" fill=\"" + colour + "\"/>\n";
  }
  if (path.empty()) return "";
  return "<path d=\"" + path + "\" fill=\"none\" stroke=\"" + colour + "\" stroke-width=\"1.5\"/>\n" + dots;
}

}  // namespace

std::vector<double> axis_ticks(double low, double high, int count, bool logarithmic) {
  std::vector<double> ticks;
  if (logarithmic) {
    const auto powers = [&](std::initializer_list<double> factors) {
      ticks.clear();
      for (int p = static_cast<int>(std::floor(std::log10(low))); std::pow(10, p) <= high * (1 + 1e-9); ++p)
        for (const double f : factors)
          if (const double v = f * std::pow(10, p); v >= low * (1 - 1e-9) && v <= high * (1 + 1e-9)) ticks.push_back(v);
    };
    powers({1});
    if (ticks.size() < 3) powers({1, 2, 5});
    if (ticks.size() >= 2) return ticks;
    ticks.clear();
  }
  const double rough = (high - low) / std::max(count, 1), power = std::pow(10, std::floor(std::log10(rough)));
  double step = 10 * power;
  for (const double f : {5.0, 2.0, 1.0})
    if (f * power >= rough * (1 - 1e-9)) step = f * power;
  for (double k = std::ceil(low / step - 1e-9); k * step <= high + step * 1e-9; ++k) ticks.push_back(k * step);
  return ticks;
}

std::string svg(const LinePlot& plot) {
  const double top = plot.title.empty() ? 16 : 36;
  Axis x{plot.log_x}, y{plot.log_y};
  for (const PlotLine& line : plot.lines)
    for (const auto& [vx, vy] : line.points)
      if (x.shows(vx) && y.shows(vy)) x.include(vx), y.include(vy);
  x.close(), y.close();
  x.from = kLeft, x.to = plot.width - kRight;
  y.from = plot.height - kBottom, y.to = top;

  const std::string w = std::to_string(plot.width), h = std::to_string(plot.height);
  std::string out = "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"" + w + "\" height=\"" + h + "\" viewBox=\"0 0 " + w +
                    " " + h + "\" font-family=\"sans-serif\" font-size=\"12\">\n<rect width=\"" + w + "\" height=\"" + h +
                    "\" fill=\"#ffffff\"/>\n";
  for (const double v : axis_ticks(x.low, x.high, (plot.width - 80) / 80, plot.log_x)) {
    out += segment(x.at(v), y.from, x.at(v), y.to, "#e5e5e5");
    out += label(x.at(v), y.from + 16, text_of(v), "middle");
  }
  for (const double v : axis_ticks(y.low, y.high, (plot.height - 80) / 50, plot.log_y)) {
    out += segment(x.from, y.at(v), x.to, y.at(v), "#e5e5e5");
    out += label(x.from - 6, y.at(v) + 4, text_of(v), "end");
  }
  out += segment(x.from, y.from, x.to, y.from, "#000000") + segment(x.from, y.from, x.from, y.to, "#000000");
  out += label((x.from + x.to) / 2, plot.height - 10, plot.x_label, "middle");
  const std::string middle = pixel((y.from + y.to) / 2);
  out += label(14, (y.from + y.to) / 2, plot.y_label, "middle", " transform=\"rotate(-90 14 " + middle + ")\"");
  if (!plot.title.empty()) out += label((x.from + x.to) / 2, 20, plot.title, "middle", " font-weight=\"bold\"");

  for (size_t i = 0; i < plot.lines.size(); ++i) out += line_svg(plot.lines[i], x, y, kColours[i % std::size(kColours)]);
  double row = top + 14;
  for (size_t i = 0; i < plot.lines.size(); ++i) {
    if (plot.lines[i].name.empty()) continue;
    const std::string colour = kColours[i % std::size(kColours)];
    out +=
        "<rect x=\"" + pixel(x.to - 16) + "\" y=\"" + pixel(row - 6) + "\" width=\"12\" height=\"3\" fill=\"" + colour + "\"/>\n";
    out += label(x.to - 20, row, plot.lines[i].name, "end");
    row += kLineHeight;
  }
  return out + "</svg>\n";
}

}  // namespace tlm::tools
