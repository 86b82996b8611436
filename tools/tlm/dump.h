// TLM_DUMP: what a model becomes on its way, in numbered files.
#pragma once

#include <functional>
#include <string>

namespace tlm::tools {

// `names`: "graph,space,sentence,loops,source", any of them. Texts go to tlm-dump/0001-graph.txt and so on, in the current folder.
// Throws Error(kUsage) that lists the names.
std::function<void(const std::string& name, const std::string& text)> dump_to_files(const std::string& names);

}  // namespace tlm::tools
