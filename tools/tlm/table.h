// Text tables for people.
#pragma once

#include <string>
#include <vector>

namespace tlm::tools {

// The first column is left-aligned, the others right-aligned. The first row is the header.
std::string table_text(const std::vector<std::vector<std::string>>& rows);
std::string fixed(double value, int digits);  // "12.35"

}  // namespace tlm::tools
