#include "tlm/tools/tlm/table.h"

#include <algorithm>
#include <cstdio>

namespace tlm::tools {

namespace {

// Characters of a UTF-8 text.
size_t columns(const std::string& text) {
  return static_cast<size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; }));
}

}  // namespace

std::string fixed(double value, int digits) {
  char text[64];
  std::snprintf(text, sizeof text, "%.*f", digits, value);
  return text;
}

std::string number(double value) { return fixed(value, value >= 100 ? 1 : value >= 1 ? 2 : 4); }

std::string printable(const std::string& text, bool lines) {
  std::string out;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if ((byte >= 0x20 && byte != 0x7f) || (lines && c == '\n')) {
      out += c;
      continue;
    }
    char escape[8];
    std::snprintf(escape, sizeof escape, "\\x%02x", byte);
    out += escape;
  }
  return out;
}

std::string table_text(std::vector<std::vector<std::string>> rows, const std::string& align) {
  std::vector<size_t> widths;
  for (auto& row : rows) {
    widths.resize(std::max(widths.size(), row.size()));
    for (size_t c = 0; c < row.size(); ++c) {
      row[c] = printable(row[c]);
      widths[c] = std::max(widths[c], columns(row[c]));
    }
  }
  std::string text;
  for (size_t r = 0; r < rows.size(); ++r) {
    std::string line;
    for (size_t c = 0; c < rows[r].size(); ++c) {
      const std::string pad(widths[c] - columns(rows[r][c]), ' ');
      const bool left = c < align.size() && align[c] == 'l';
      line += (c == 0 ? "" : "  ") + (left ? rows[r][c] + pad : pad + rows[r][c]);
    }
    text += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
    if (r > 0) continue;
    for (size_t c = 0; c < widths.size(); ++c) text += (c == 0 ? "" : "  ") + std::string(widths[c], '-');
    text += "\n";
  }
  return text;
}

}  // namespace tlm::tools
