#include "tlm/tools/eval/race/race_file.h"

#include <functional>

#include <nlohmann/json.hpp>

#include "tlm/core/error.h"
#include "tlm/core/file.h"
#include "tlm/core/hash.h"
#include "tlm/core/lines.h"

namespace tlm::eval {
namespace {

using Json = nlohmann::ordered_json;

void each_line(const std::string& text, const std::string& where, const std::function<void(const Json& j)>& read) {
  for_each_line(text, where, [&](const std::string& line, const std::string& at) {
    try {
      read(Json::parse(line));
    } catch (const std::exception& e) {  // of the parser, of a key, of a hash, of a schedule
      throw Error(ErrorCode::kBadModel, std::string("not a line of a race: ") + e.what(), at, "remove the file: it is made anew");
    }
  });
}

uint64_t hash_of(const Json& j, const char* key) { return std::stoull(j.at(key).get<std::string>(), nullptr, 16); }

Proposal proposal_of(const Json& j) {
  Proposal p;
  p.fingerprint = j.at("fingerprint").get<std::string>();
  p.contender.name = j.at("contender").get<std::string>();
  p.contender.kind = j.at("kind").get<std::string>();
  p.contender.k = j.at("k").get<int>();
  for (const Json& w : j.at("workloads")) {
    p.workloads.push_back(w.at("name").get<std::string>());
    p.contender.seconds.push_back(w.at("seconds").get<double>());
    std::vector<space::Schedule> schedules;
    for (const Json& s : w.at("schedules")) schedules.push_back(space::parse_schedule(s.get<std::string>()));
    p.contender.picks.push_back(std::move(schedules));
  }
  return p;
}

RaceEntry entry_of(const Json& j) {
  RaceEntry e;
  e.contender = j.at("contender").get<std::string>();
  e.status = j.at("status").get<std::string>();
  e.ms = j.at("ms").get<double>();
  e.ratio = j.at("ratio").get<double>();
  e.seconds = j.at("seconds").get<double>();
  e.distinct = j.at("distinct").get<int>();
  e.duplicates = j.at("duplicates").get<int>();
  e.program = hash_of(j, "program");
  e.schedule = j.at("schedule").get<std::string>();
  return e;
}

RaceRow row_of(const Json& j) {
  RaceRow r;
  r.name = j.at("name").get<std::string>();
  r.kind = j.at("kind").get<std::string>();
  r.set = j.at("set").get<std::string>();
  r.workload = hash_of(j, "workload");
  r.cores = j.at("cores").get<int>();
  r.plan = hash_of(j, "plan");
  r.reference_ms = j.at("reference_ms").get<double>();
  r.reference_best_ms = j.at("reference_best_ms").get<double>();
  r.constructive_ms = j.at("constructive_ms").get<double>();
  r.roof_ms = j.at("roof_ms").get<double>();
  r.unsteady = j.at("unsteady").get<bool>();
  r.programs = j.at("programs").get<int>();
  for (const Json& e : j.at("entries")) r.entries.push_back(entry_of(e));
  return r;
}

}  // namespace

std::string proposal_line(const Proposal& p) {
  const Contender& c = p.contender;
  TLM_CHECK(p.workloads.size() == c.picks.size() && c.picks.size() == c.seconds.size());
  Json j = {{"contender", c.name}, {"kind", c.kind}, {"k", c.k}, {"fingerprint", p.fingerprint}, {"workloads", Json::array()}};
  for (size_t i = 0; i < p.workloads.size(); ++i) {
    Json w = {{"name", p.workloads[i]}, {"seconds", c.seconds[i]}, {"schedules", Json::array()}};
    for (const space::Schedule& s : c.picks[i]) w["schedules"].push_back(print(s));
    j["workloads"].push_back(std::move(w));
  }
  return j.dump();
}

std::string row_line(const RaceRow& r) {
  Json j = {{"name", r.name},
            {"kind", r.kind},
            {"set", r.set},
            {"workload", to_hex(r.workload)},
            {"cores", r.cores},
            {"plan", to_hex(r.plan)},
            {"reference_ms", r.reference_ms},
            {"reference_best_ms", r.reference_best_ms},
            {"constructive_ms", r.constructive_ms},
            {"roof_ms", r.roof_ms},
            {"unsteady", r.unsteady},
            {"programs", r.programs},
            {"entries", Json::array()}};
  for (const RaceEntry& e : r.entries)
    j["entries"].push_back({{"contender", e.contender},
                            {"status", e.status},
                            {"ms", e.ms},
                            {"ratio", e.ratio},
                            {"seconds", e.seconds},
                            {"distinct", e.distinct},
                            {"duplicates", e.duplicates},
                            {"program", to_hex(e.program)},
                            {"schedule", e.schedule}});
  return j.dump();
}

std::vector<Proposal> parse_proposals(const std::string& text, const std::string& where) {
  std::vector<Proposal> all;
  each_line(text, where, [&](const Json& j) { all.push_back(proposal_of(j)); });
  return all;
}

std::vector<RaceRow> parse_rows(const std::string& text, const std::string& where) {
  std::vector<RaceRow> all;
  each_line(text, where, [&](const Json& j) { all.push_back(row_of(j)); });
  return all;
}

std::vector<RaceRow> read_rows(const std::filesystem::path& file) {
  if (!std::filesystem::exists(file)) return {};
  return parse_rows(read_file(file), file.string());
}

}  // namespace tlm::eval
