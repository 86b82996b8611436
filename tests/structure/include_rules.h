// Which file may include which: the table of the architecture.
#pragma once

#include <string>
#include <vector>

#include "source_text.h"

namespace tlm::structure {

// "file:line: reason" for each include that breaks a rule.
std::vector<std::string> include_violations(const SourceFile& file);
// Each circle of includes between headers, as "a.h -> b.h -> a.h".
std::vector<std::string> include_circles(const std::vector<SourceFile>& files);

}  // namespace tlm::structure
