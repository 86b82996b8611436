#include "tlm/tools/eval/race/race_table.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace tlm::eval {
namespace {

constexpr const char* kNetwork = "network:";

const RaceEntry* entry_of(const RaceRow& r, const std::string& contender) {
  for (const RaceEntry& e : r.entries)
    if (e.contender == contender) return &e;
  return nullptr;
}

std::string text(const char* format, auto... values) {
  char out[128];
  std::snprintf(out, sizeof out, format, values...);
  return out;
}

std::string cell(const Interval& i) {
  if (i.mean == 0) return "–";
  return i.low == i.high ? text("%.3f", i.mean) : text("%.3f [%.3f, %.3f]", i.mean, i.low, i.high);
}

std::string seconds_text(double s) {
  return s >= 10 ? text("%.0f s", s) : s >= 0.1 ? text("%.2f s", s) : text("%.1f ms", s * 1e3);
}

std::string line(const std::vector<std::string>& cells) {
  std::string out = "|";
  for (const std::string& c : cells) out += " " + c + " |";
  return out + "\n";
}

std::string header(const std::vector<std::string>& cells, size_t left) {
  std::string rule = "|";
  for (size_t i = 0; i < cells.size(); ++i) rule += i < left ? " --- |" : " ---: |";
  return line(cells) + rule + "\n";
}

bool of_network(const RaceRow& r) { return r.set.starts_with(kNetwork); }

std::string overview(const std::vector<RaceRow>& rows, const TableOptions& o) {
  std::vector<std::string> titles = {"contender",  "reference ÷ contender", "least",    "of",
                                     "wall-clock", "% of roofline",         "programs", "duplicates"};
  std::vector<std::pair<std::string, RowFilter>> parts;
  const std::pair<std::string, RowFilter> all_parts[] = {
      {"unseen networks", of_network},
      {"interpolated", [](const RaceRow& r) { return r.set == "interpolated"; }},
      {"extrapolated", [](const RaceRow& r) { return r.set == "extrapolated"; }}};
  for (const auto& part : all_parts)
    if (const auto n = std::count_if(rows.begin(), rows.end(), part.second); n > 0 && n < static_cast<long>(rows.size()))
      parts.emplace_back(part.first + " (" + std::to_string(n) + ")", part.second);
  for (size_t i = 0; i < parts.size(); ++i) titles.insert(titles.begin() + 2 + static_cast<long>(i), parts[i].first);
  std::string out = header(titles, 1);
  for (const std::string& c : o.contenders) {
    const Standing s = standing(rows, c);
    std::vector<std::string> cells = {c + (s.failures ? text(" (%d failed)", s.failures) : ""), cell(s.ratio)};
    for (const auto& part : parts) cells.push_back(cell(standing(rows, c, part.second).ratio));
    cells.insert(cells.end(), {text("%.2f", s.least), s.least_name, seconds_text(s.seconds), text("%.0f", 100 * s.roofline),
                               std::to_string(s.distinct), std::to_string(s.duplicates)});
    out += line(cells);
  }
  return out;
}

// More models than fit side by side are told by their groups alone.
constexpr size_t kMostColumns = 6;

std::vector<std::string> groups_of(const std::vector<std::string>& models) {
  std::vector<std::string> groups;
  for (const std::string& m : models)
    if (const std::string g = group_of(m); !g.empty() && std::find(groups.begin(), groups.end(), g) == groups.end())
      groups.push_back(g);
  return groups;
}

std::string by_group(const std::vector<RaceRow>& rows, const TableOptions& o) {
  const std::vector<std::string> groups = groups_of(o.models);
  std::string out =
      header({"group", "models", "reference ÷ group", "deviation of its models", "times as fast as " + groups[0]}, 1);
  for (const std::string& g : groups) {
    const GroupStanding s = group_standing(rows, o.models, g);
    out += line({g, std::to_string(s.models), cell(s.ratio), text("%.4f", s.deviation),
                 cell(paired_groups(rows, o.models, g, groups[0]))});
  }
  return out;
}

std::string by_kind(const std::vector<RaceRow>& rows, const TableOptions& o) {
  std::vector<std::string> kinds;
  for (const RaceRow& r : rows)
    if (std::find(kinds.begin(), kinds.end(), r.kind) == kinds.end()) kinds.push_back(r.kind);
  const bool grouped = o.models.size() > kMostColumns;
  std::vector<std::string> titles = {"kind", "workloads"};
  if (grouped)
    for (const std::string& g : groups_of(o.models)) titles.push_back(g);
  else
    for (const std::string& m : o.models) titles.insert(titles.end(), {m, "least"});
  std::string out = header(titles, 1);
  for (const std::string& kind : kinds) {
    const RowFilter filter = [&](const RaceRow& r) { return r.kind == kind; };
    std::vector<std::string> cells = {kind, std::to_string(std::count_if(rows.begin(), rows.end(), filter))};
    if (grouped) {
      for (const std::string& g : groups_of(o.models))
        cells.push_back(text("%.3f", group_standing(rows, o.models, g, filter).ratio.mean));
    } else {
      for (const std::string& m : o.models) {
        const Standing s = standing(rows, m, filter);
        cells.insert(cells.end(), {text("%.3f", s.ratio.mean), text("%.2f", s.least)});
      }
    }
    out += line(cells);
  }
  return out;
}

// The mean over the models of a group that have a ratio, as a logarithm; none: false.
bool group_log_ratio(const RaceRow& r, const std::vector<std::string>& models, const std::string& group, double& mean) {
  double sum = 0;
  int count = 0;
  for (const std::string& m : models) {
    const RaceEntry* e = group_of(m) == group ? entry_of(r, m) : nullptr;
    if (!e || e->ratio <= 0) continue;
    sum += std::log(e->ratio);
    ++count;
  }
  mean = count ? sum / count : 0;
  return count > 0;
}

std::string against_rivals(const std::vector<RaceRow>& rows, const TableOptions& o) {
  std::string out = header({"model", "rival", "times as fast as the rival"}, 2);
  for (size_t m = 0; m < o.models.size(); ++m)
    for (const auto& [rival, k] : o.rivals)
      if (k == o.model_k[m]) out += line({o.models[m], rival, cell(paired(rows, o.models[m], rival))});
  return out;
}

std::string by_workload(const std::vector<RaceRow>& rows, const TableOptions& o) {
  std::vector<std::string> titles = {"workload", "kind", "set", "cores", "reference, ms", "% of roofline"};
  for (const std::string& m : o.models) titles.insert(titles.end(), {m, "% of roofline"});
  std::string out = header(titles, 3);
  for (const RaceRow& r : rows) {
    const auto share = [&](double ms) { return r.roof_ms > 0 && ms > 0 ? text("%.0f", 100 * r.roof_ms / ms) : "–"; };
    std::vector<std::string> cells = {
        r.name, r.kind, r.set, std::to_string(r.cores), text("%.4g", r.reference_ms), share(r.reference_ms)};
    for (const std::string& m : o.models) {
      const RaceEntry* e = entry_of(r, m);
      cells.push_back(!e ? "–" : e->ratio > 0 ? text("%.2f", e->ratio) : e->status);
      cells.push_back(e ? share(e->ms) : "–");
    }
    out += line(cells);
  }
  return out;
}

}  // namespace

std::string cluster_of(const RaceRow& r) { return of_network(r) ? r.set : r.name; }

Standing standing(const std::vector<RaceRow>& rows, const std::string& contender, const RowFilter& filter) {
  Standing s;
  std::vector<double> ratios, roofline;
  std::vector<std::string> clusters;
  for (const RaceRow& r : rows) {
    if (filter && !filter(r)) continue;
    const RaceEntry* e = entry_of(r, contender);
    if (!e) continue;
    ++s.workloads;
    s.seconds += e->seconds;
    s.distinct += e->distinct;
    s.duplicates += e->duplicates;
    if (e->ratio <= 0) {
      ++s.failures;
      continue;
    }
    ratios.push_back(e->ratio);
    clusters.push_back(cluster_of(r));
    if (r.roof_ms > 0) roofline.push_back(r.roof_ms / e->ms);
    if (s.least == 0 || e->ratio < s.least) s.least = e->ratio, s.least_name = r.name;
  }
  s.ratio = bootstrap_mean(ratios, clusters);
  s.roofline = geometric_mean(roofline);
  if (s.workloads > 0) s.seconds /= s.workloads;
  return s;
}

Interval paired(const std::vector<RaceRow>& rows, const std::string& contender, const std::string& rival) {
  std::vector<double> own, others;
  std::vector<std::string> clusters;
  for (const RaceRow& r : rows) {
    const RaceEntry *a = entry_of(r, contender), *b = entry_of(r, rival);
    if (!a || !b || a->ratio <= 0 || b->ratio <= 0) continue;
    own.push_back(a->ratio);
    others.push_back(b->ratio);
    clusters.push_back(cluster_of(r));
  }
  return bootstrap_mean(paired_ratios(own, others), clusters);
}

std::string group_of(const std::string& model) {
  const size_t slash = model.find('/');
  if (slash == std::string::npos) return "";
  const size_t how = model.find(' ', slash);
  return model.substr(0, slash) + (how == std::string::npos ? "" : model.substr(how));
}

GroupStanding group_standing(const std::vector<RaceRow>& rows, const std::vector<std::string>& models, const std::string& group,
                             const RowFilter& filter) {
  GroupStanding s;
  std::vector<double> ratios, means;
  std::vector<std::string> clusters;
  for (const RaceRow& r : rows) {
    double mean = 0;
    if ((filter && !filter(r)) || !group_log_ratio(r, models, group, mean)) continue;
    ratios.push_back(std::exp(mean));
    clusters.push_back(cluster_of(r));
  }
  for (const std::string& m : models)
    if (group_of(m) == group)
      if (const Standing own = standing(rows, m, filter); own.ratio.mean > 0) means.push_back(std::log(own.ratio.mean));
  s.models = static_cast<int>(means.size());
  s.ratio = bootstrap_mean(ratios, clusters);
  double sum = 0, squares = 0;
  for (const double m : means) sum += m;
  for (const double m : means) squares += (m - sum / s.models) * (m - sum / s.models);
  if (s.models > 1) s.deviation = std::sqrt(squares / (s.models - 1));
  return s;
}

Interval paired_groups(const std::vector<RaceRow>& rows, const std::vector<std::string>& models, const std::string& group,
                       const std::string& other) {
  std::vector<double> ratios;
  std::vector<std::string> clusters;
  for (const RaceRow& r : rows) {
    double a = 0, b = 0;
    if (!group_log_ratio(r, models, group, a) || !group_log_ratio(r, models, other, b)) continue;
    ratios.push_back(std::exp(a - b));
    clusters.push_back(cluster_of(r));
  }
  return bootstrap_mean(ratios, clusters);
}

std::string race_tables(const std::vector<RaceRow>& rows, const TableOptions& options) {
  std::string out;
  if (rows.empty()) return out;
  int unsteady = 0;
  std::vector<double> flattered;
  for (const RaceRow& r : rows) {
    unsteady += r.unsteady;
    if (r.reference_best_ms > 0) flattered.push_back(r.reference_best_ms / r.reference_ms);
  }
  out += std::to_string(rows.size()) +
         " workloads; reference: " + (options.reference.empty() ? "the fastest of the race" : options.reference) +
         ". Geometric means with 95 % intervals.";
  if (!flattered.empty())
    out +=
        " Beside the fastest of all programs of the reference in the race, which is more than it could know, all figures would "
        "be " +
        text("%.3f", geometric_mean(flattered)) + " times as large.";
  if (unsteady) out += " " + std::to_string(unsteady) + " batches were unsteady.";
  out += "\n\n" + overview(rows, options);
  if (!options.models.empty()) {
    if (!groups_of(options.models).empty()) out += "\n" + by_group(rows, options);
    out += "\n" + by_kind(rows, options);
    if (!options.rivals.empty()) out += "\n" + against_rivals(rows, options);
    if (options.models.size() <= kMostColumns) out += "\n" + by_workload(rows, options);
  }
  return out;
}

}  // namespace tlm::eval
