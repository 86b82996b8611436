#include "tlm/tools/eval/workload_list.h"

#include <set>
#include <sstream>

#include <nlohmann/json.hpp>

#include "tlm/core/error.h"
#include "tlm/core/file.h"

namespace tlm::eval {
namespace {

EvalWorkload parse_line(const std::string& line, const std::string& where) {
  const auto bad = [&](const std::string& what) { return Error(ErrorCode::kBadModel, what, where, "see docs/evaluation.md"); };
  const nlohmann::json j = nlohmann::json::parse(line, nullptr, false);
  if (!j.is_object()) throw bad("no JSON object");
  const auto text = [&](const char* key) {
    if (!j.contains(key) || !j[key].is_string()) throw bad(std::string("'") + key + "' is missing, or no text");
    return j[key].get<std::string>();
  };
  EvalWorkload w;
  w.name = text("name");
  w.kind = text("kind");
  w.set = text("set");
  if (!j.contains("cores") || !j["cores"].is_number_integer()) throw bad("'cores' is missing, or no whole number");
  w.cores = j["cores"].get<int>();
  if (w.cores < 1) throw bad("'cores' is " + std::to_string(w.cores));
  try {
    w.subgraph = ir::parse_subgraph(text("subgraph"));
  } catch (const Error& e) {
    throw bad("'subgraph': " + e.message());
  }
  w.hash = ir::workload_hash(w.subgraph);
  return w;
}

}  // namespace

std::vector<EvalWorkload> parse_workload_list(const std::string& text, const std::string& where) {
  std::vector<EvalWorkload> list;
  std::set<std::string> names;
  std::istringstream in(text);
  std::string line;
  for (int number = 1; std::getline(in, line); ++number) {
    if (line.find_first_not_of(" \t\r") == std::string::npos) continue;
    const std::string at = where + ":" + std::to_string(number);
    list.push_back(parse_line(line, at));
    if (!names.insert(list.back().name).second)
      throw Error(ErrorCode::kBadModel, "the name '" + list.back().name + "' occurs twice", at);
  }
  return list;
}

std::vector<EvalWorkload> read_workload_list(const std::filesystem::path& file) {
  return parse_workload_list(read_file(file), file.string());
}

std::string workload_line(const EvalWorkload& w) {
  nlohmann::ordered_json j;
  j["name"] = w.name;
  j["kind"] = w.kind;
  j["set"] = w.set;
  j["cores"] = w.cores;
  j["subgraph"] = ir::print(w.subgraph);
  return j.dump();
}

Target target_of(const EvalWorkload& w, Target machine) {
  machine.cores = w.cores;
  return machine;
}

std::shared_ptr<const space::Space> space_of(const EvalWorkload& w, const Target& machine) {
  return space::Space::build(w.subgraph, target_of(w, machine));
}

}  // namespace tlm::eval
