#include "tlm/tools/tlm/dump.h"

#include <cstdio>
#include <memory>
#include <set>

#include "tlm/core/error.h"
#include "tlm/core/file.h"
#include "tlm/tools/tlm/output_files.h"

namespace tlm::tools {

std::function<void(const std::string& name, const std::string& text)> dump_to_files(const std::string& names) {
  const std::set<std::string> known = {"graph", "space", "sentence", "loops", "source"};
  std::set<std::string> wanted;
  for (size_t begin = 0; begin <= names.size();) {
    const size_t end = std::min(names.find(',', begin), names.size());
    const std::string name = names.substr(begin, end - begin);
    if (!known.contains(name))
      throw Error(ErrorCode::kUsage, "TLM_DUMP knows no '" + name + "'", "", "any of graph,space,sentence,loops,source");
    wanted.insert(name);
    begin = end + 1;
  }
  const std::filesystem::path folder = "tlm-dump";
  prepare_output_folder(folder);
  return [wanted, folder, number = std::make_shared<int>(0)](const std::string& name, const std::string& text) {
    if (!wanted.contains(name)) return;
    char file[64];
    std::snprintf(file, sizeof file, "%04d-%s.txt", ++*number, name.c_str());
    write_file_atomic(folder / file, text);
  };
}

}  // namespace tlm::tools
