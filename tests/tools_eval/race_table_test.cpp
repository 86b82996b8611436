#include "tlm/tools/eval/race/race_table.h"

#include <gtest/gtest.h>

#include <cmath>

#include <nlohmann/json.hpp>

#include "tlm/tools/eval/race/race_summary.h"

namespace tlm::eval::test {
namespace {

RaceRow row(const std::string& name, const std::string& kind, const std::string& set, double lm, double rival) {
  RaceRow r;
  r.name = name;
  r.kind = kind;
  r.set = set;
  r.reference_ms = 2;
  r.reference_best_ms = 1.8;
  r.roof_ms = 1;
  const auto entry = [&](const std::string& contender, double ratio) {
    RaceEntry e;
    e.contender = contender;
    e.ratio = ratio;
    e.ms = ratio > 0 ? 2 / ratio : 0;
    e.status = ratio > 0 ? "ok" : "wrong";
    e.seconds = 0.02;
    e.distinct = 1;
    return e;
  };
  r.entries = {entry("lm", lm), entry("nearest", rival), entry("search-1000", 1)};
  return r;
}

std::vector<RaceRow> rows() {
  return {row("a", "product", "network:x", 0.8, 0.4), row("b", "product", "network:x", 0.8, 0.8),
          row("c", "window", "interpolated", 1.25, 1), row("d", "window", "extrapolated", 1.25, 0)};
}

TEST(RaceTable, Standings) {
  const Standing s = standing(rows(), "lm");
  EXPECT_EQ(s.workloads, 4);
  EXPECT_NEAR(s.ratio.mean, 1, 1e-12);
  EXPECT_LT(s.ratio.low, 0.85);  // one network is one cluster: it may be drawn alone
  EXPECT_EQ(s.least, 0.8);
  EXPECT_EQ(s.least_name, "a");
  EXPECT_NEAR(s.roofline, 0.5, 1e-12);
  EXPECT_DOUBLE_EQ(s.seconds, 0.02);
  const Standing windows = standing(rows(), "lm", [](const RaceRow& r) { return r.kind == "window"; });
  EXPECT_EQ(windows.workloads, 2);
  EXPECT_NEAR(windows.ratio.mean, 1.25, 1e-12);
  EXPECT_EQ(standing(rows(), "nobody").workloads, 0);
}

TEST(RaceTable, FailuresAreCountedNotAveraged) {
  const Standing s = standing(rows(), "nearest");
  EXPECT_EQ(s.failures, 1);
  EXPECT_NEAR(s.ratio.mean, std::cbrt(0.4 * 0.8), 1e-12);
}

// Only workloads that both have finished.
TEST(RaceTable, PairedRatios) {
  EXPECT_NEAR(paired(rows(), "lm", "nearest").mean, std::cbrt(2 * 1 * 1.25), 1e-12);
  EXPECT_NEAR(paired(rows(), "lm", "lm").low, 1, 1e-12);
}

TEST(RaceTable, Markdown) {
  TableOptions o;
  o.reference = "search-1000";
  o.contenders = {"lm", "nearest", "search-1000"};
  o.models = {"lm"};
  o.model_k = {1};
  o.rivals = {{"nearest", 1}, {"other", 10}};
  const std::string text = race_tables(rows(), o);
  for (const char* part : {"4 workloads; reference: search-1000", "| unseen networks (2) | interpolated (1) | extrapolated (1) |",
                           "| nearest (1 failed) |", "| product | 2 | 0.800 | 0.80 |", "| lm | nearest | 1.357 [",
                           "| a | product | network:x | 1 | 2 | 50 | 0.80 | 40 |", "would be 0.900 times"})
    EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
  EXPECT_EQ(text.find("other"), std::string::npos);
  EXPECT_EQ(race_tables({}, o), "");
}

TEST(RaceTable, SummaryForPrograms) {
  TableOptions o;
  o.reference = "search-1000";
  o.contenders = {"lm", "nearest"};
  o.models = {"lm"};
  o.model_k = {1};
  o.rivals = {{"nearest", 1}};
  const nlohmann::json j = nlohmann::json::parse(race_summary(rows(), o));
  EXPECT_EQ(j["contenders"][0]["name"], "lm");
  EXPECT_NEAR(j["contenders"][0]["ratio"]["mean"].get<double>(), 1, 1e-12);
  EXPECT_NEAR(j["contenders"][0]["kinds"]["product"].get<double>(), 0.8, 1e-12);
  EXPECT_NEAR(j["contenders"][0]["sets"]["network:x"]["mean"].get<double>(), 0.8, 1e-12);
  EXPECT_EQ(j["contenders"][1]["failures"], 1);
  EXPECT_EQ(j["paired"][0]["low"].get<double>(), paired(rows(), "lm", "nearest").low);
}

// Three models of two groups; the one that failed on a workload is left out of its mean there.
TEST(RaceTable, Groups) {
  std::vector<RaceRow> all = rows();
  const std::vector<std::string> models = {"a/1", "a/2", "b/1"};
  for (RaceRow& r : all) {
    for (const std::string& m : models) {
      RaceEntry e;
      e.contender = m;
      e.ratio = m == "a/1" ? 0.5 : m == "a/2" ? 2 : 0.5;
      if (m == "a/2" && r.name == "d") e.ratio = 0;
      r.entries.push_back(e);
    }
  }
  EXPECT_EQ(group_of("a/1"), "a");
  EXPECT_EQ(group_of("a/1 k=10"), "a k=10");
  EXPECT_EQ(group_of("a/2 target unknown"), "a target unknown");
  EXPECT_EQ(group_of("lm"), "");
  const GroupStanding a = group_standing(all, models, "a");
  EXPECT_EQ(a.models, 2);
  EXPECT_NEAR(a.ratio.mean, std::pow(0.5, 0.25), 1e-12);
  EXPECT_NEAR(a.deviation, std::log(4) / std::sqrt(2), 1e-12);
  EXPECT_NEAR(paired_groups(all, models, "a", "b").mean, std::pow(2, 0.75), 1e-12);
  TableOptions o;
  o.contenders = o.models = models;
  o.model_k = {1, 1, 1};
  const std::string text = race_tables(all, o);
  EXPECT_NE(text.find("| a | 2 | 0.841"), std::string::npos) << text;
  EXPECT_NE(text.find("times as fast as a |"), std::string::npos);
}

}  // namespace
}  // namespace tlm::eval::test
