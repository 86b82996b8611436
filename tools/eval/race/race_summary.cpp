#include "tlm/tools/eval/race/race_summary.h"

#include <algorithm>
#include <set>

#include <nlohmann/json.hpp>

namespace tlm::eval {
namespace {

using Json = nlohmann::ordered_json;

Json interval_json(const Interval& i) { return {{"mean", i.mean}, {"low", i.low}, {"high", i.high}}; }

Json contender_json(const std::vector<RaceRow>& rows, const std::string& name, int k, bool model) {
  const Standing s = standing(rows, name);
  Json j = {{"name", name},           {"k", k},
            {"model", model},         {"workloads", s.workloads},
            {"failures", s.failures}, {"ratio", interval_json(s.ratio)},
            {"least", s.least},       {"least_name", s.least_name},
            {"seconds", s.seconds},   {"roofline", s.roofline},
            {"distinct", s.distinct}, {"duplicates", s.duplicates},
            {"sets", Json::object()}, {"kinds", Json::object()}};
  std::set<std::string> sets, kinds;
  for (const RaceRow& r : rows) {
    sets.insert(r.set);
    kinds.insert(r.kind);
  }
  for (const std::string& set : sets)
    j["sets"][set] = interval_json(standing(rows, name, [&](const RaceRow& r) { return r.set == set; }).ratio);
  for (const std::string& kind : kinds)
    j["kinds"][kind] = standing(rows, name, [&](const RaceRow& r) { return r.kind == kind; }).ratio.mean;
  return j;
}

}  // namespace

std::string race_summary(const std::vector<RaceRow>& rows, const TableOptions& o) {
  Json j = {{"workloads", rows.size()}, {"reference", o.reference}, {"contenders", Json::array()}, {"paired", Json::array()}};
  for (const std::string& c : o.contenders) {
    const auto model = std::find(o.models.begin(), o.models.end(), c);
    const auto rival = std::find_if(o.rivals.begin(), o.rivals.end(), [&](const auto& r) { return r.first == c; });
    const int k = model != o.models.end()   ? o.model_k[static_cast<size_t>(model - o.models.begin())]
                  : rival != o.rivals.end() ? rival->second
                                            : 1;
    j["contenders"].push_back(contender_json(rows, c, k, model != o.models.end()));
  }
  for (size_t m = 0; m < o.models.size(); ++m)
    for (const auto& [rival, k] : o.rivals) {
      if (k != o.model_k[m]) continue;
      Json pair = {{"model", o.models[m]}, {"rival", rival}};
      pair.update(interval_json(paired(rows, o.models[m], rival)));
      j["paired"].push_back(std::move(pair));
    }
  return j.dump(1) + "\n";
}

}  // namespace tlm::eval
