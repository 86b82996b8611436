#include "tlm/tools/collect/workload_list.h"

#include <nlohmann/json.hpp>

#include "tlm/core/error.h"
#include "tlm/core/file.h"
#include "tlm/core/lines.h"

namespace tlm::collect {
namespace {

using Json = nlohmann::ordered_json;

constexpr size_t kMostBytes = size_t{64} << 20;

ListedWorkload parse_line(const std::string& line, const std::string& where) {
  const auto fail = [&](const std::string& reason) {
    return Error(ErrorCode::kBadModel, "bad list of workloads: " + reason, where, "`tlm workloads lists` writes them");
  };
  const Json json = Json::parse(line, nullptr, false);
  if (json.is_discarded() || !json.is_object()) throw fail("not a JSON object");
  const auto text = [&](const char* key) {
    if (!json.contains(key) || !json[key].is_string()) throw fail(std::string(key) + " must be a string");
    return json[key].get<std::string>();
  };
  ListedWorkload w;
  w.name = text("name");
  w.set = text("set");
  const auto kind = space::parse_workload_kind(text("kind"));
  if (!kind) throw fail("no kind is called '" + text("kind") + "'");
  w.kind = *kind;
  if (!json.contains("cores") || !json["cores"].is_number_integer() || json["cores"] < 1 || json["cores"] > 4096)
    throw fail("cores must be a whole number, at least 1");
  w.cores = json["cores"].get<int>();
  try {
    w.subgraph = ir::parse_subgraph(text("subgraph"));
  } catch (const Error& e) {
    throw fail(e.message());
  }
  if (space::workload_kind(w.subgraph) != w.kind)
    throw fail("the subgraph is of the kind " + std::string(space::workload_kind_name(space::workload_kind(w.subgraph))));
  return w;
}

}  // namespace

std::vector<ListedWorkload> read_workload_list(const std::filesystem::path& file) {
  std::vector<ListedWorkload> out;
  for_each_line(read_file(file, kMostBytes), file.string(),
                [&](const std::string& line, const std::string& where) { out.push_back(parse_line(line, where)); });
  return out;
}

std::string workload_list_line(const ListedWorkload& w) {
  Json json;
  json["name"] = w.name;
  json["kind"] = space::workload_kind_name(w.kind);
  json["set"] = w.set;
  json["cores"] = w.cores;
  json["subgraph"] = ir::print(w.subgraph);
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

void check_lists(const std::filesystem::path& folder) {
  for (const char* list : {kTestList, kDevList, kNetworkList})
    if (!std::filesystem::exists(folder / list))
      throw Error(ErrorCode::kUsage, "the lists of workloads are not there", (folder / list).string(),
                  "run in the folder of tlm's sources, or name theirs with --data FOLDER");
}

space::Exclusion read_exclusion(const std::filesystem::path& folder) {
  space::Exclusion out;
  for (const char* list : {kTestList, kDevList, kNetworkList})
    for (const ListedWorkload& w : read_workload_list(folder / list)) out.add(w.set + ": " + w.name, w.subgraph);
  return out;
}

}  // namespace tlm::collect
