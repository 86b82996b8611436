// Text tables for people.
#pragma once

#include <string>
#include <vector>

namespace tlm::tools {

// The first row is the header. `align`: 'l' or 'r' for each column, as far as it goes; the others are right-aligned.
// Cells hold any text: it is made printable.
std::string table_text(std::vector<std::vector<std::string>> rows, const std::string& align = "l");
std::string fixed(double value, int digits);  // "12.35"
std::string number(double value);             // about four digits: "1234.5", "12.35", "0.1234"
// Names come from files: control characters (terminal sequences among them) become \xNN. `lines`: line ends stay.
std::string printable(const std::string& text, bool lines = false);

}  // namespace tlm::tools
