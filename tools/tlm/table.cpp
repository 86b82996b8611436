#include "tlm/tools/tlm/table.h"

#include <algorithm>
#include <cstdio>

namespace tlm::tools {

std::string fixed(double value, int digits) {
  char text[64];
  std::snprintf(text, sizeof text, "%.*f", digits, value);
  return text;
}

std::string table_text(const std::vector<std::vector<std::string>>& rows) {
  std::vector<size_t> widths;
  for (const auto& row : rows) {
    widths.resize(std::max(widths.size(), row.size()));
    for (size_t c = 0; c < row.size(); ++c) widths[c] = std::max(widths[c], row[c].size());
  }
  std::string text;
  for (size_t r = 0; r < rows.size(); ++r) {
    std::string line;
    for (size_t c = 0; c < rows[r].size(); ++c) {
      const std::string pad(widths[c] - rows[r][c].size(), ' ');
      line += c == 0 ? rows[r][c] + pad : "  " + pad + rows[r][c];
    }
    text += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
    if (r > 0) continue;
    for (size_t c = 0; c < widths.size(); ++c) text += (c == 0 ? "" : "  ") + std::string(widths[c], '-');
    text += "\n";
  }
  return text;
}

}  // namespace tlm::tools
