// Text line by line.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>

namespace tlm {

// Calls visit(line, where) for each line of `text` that is not blank; `where` names it: "file:3".
template <typename Visit>
void for_each_line(std::string_view text, const std::string& file, Visit&& visit) {
  size_t number = 1;
  for (size_t begin = 0; begin < text.size(); ++number) {
    const size_t end = std::min(text.find('\n', begin), text.size());
    const std::string_view line = text.substr(begin, end - begin);
    begin = end + 1;
    if (line.find_first_not_of(" \t\r") != std::string_view::npos) visit(std::string(line), file + ":" + std::to_string(number));
  }
}

}  // namespace tlm
