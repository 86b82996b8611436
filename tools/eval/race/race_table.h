// Rows of a race as tables for people (Markdown).
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "tlm/tools/eval/race/race.h"
#include "tlm/tools/eval/statistics.h"

namespace tlm::eval {

// One contender over all rows, or some of them. Rows in which it has no ratio are counted and left out.
struct Standing {
  int workloads = 0, failures = 0;
  Interval ratio;    // reference ÷ contender: 1 is as fast, above 1 is faster
  double least = 0;  // and of which workload
  std::string least_name;
  double seconds = 0;                // wall-clock for each workload, mean
  double roofline = 0;               // share of it, geometric mean
  int distinct = 0, duplicates = 0;  // programs and schedules passed over, in all
};

// What intervals take as one: a network's workloads depend on one another, others stand for themselves.
std::string cluster_of(const RaceRow& r);

using RowFilter = std::function<bool(const RaceRow& r)>;
Standing standing(const std::vector<RaceRow>& rows, const std::string& contender, const RowFilter& filter = {});
// How many times as fast as `rival` the contender is, over the rows in which both have a ratio.
Interval paired(const std::vector<RaceRow>& rows, const std::string& contender, const std::string& rival);

// Models that differ in their seed alone: "base/1" and "base/2" are the group "base"; "base/1 k=10" is of the group "base k=10".
struct GroupStanding {
  int models = 0;
  Interval ratio;        // of the means over models, workload by workload
  double deviation = 0;  // of the models' own means, as logarithms: how much the seed matters
};
std::string group_of(const std::string& model);  // "" : none
GroupStanding group_standing(const std::vector<RaceRow>& rows, const std::vector<std::string>& models, const std::string& group,
                             const RowFilter& filter = {});
// How many times as fast as the models of another group, over the workloads that both have.
Interval paired_groups(const std::vector<RaceRow>& rows, const std::vector<std::string>& models, const std::string& group,
                       const std::string& other);

struct TableOptions {
  std::string reference;                            // name
  std::vector<std::string> contenders;              // in the order of the tables; all others are left out
  std::vector<std::string> models;                  // of them: told by kind, and beside each rival
  std::vector<std::pair<std::string, int>> rivals;  // with their k
  std::vector<int> model_k;                         // parallel to models
};
std::string race_tables(const std::vector<RaceRow>& rows, const TableOptions& options);

}  // namespace tlm::eval
