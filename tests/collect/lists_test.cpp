#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "tlm/core/error.h"
#include "tlm/core/file.h"
#include "tlm/space/records/split_key.h"
#include "tlm/tools/collect/make_lists.h"
#include "tlm/tools/collect/workload_list.h"

namespace tlm::collect {
namespace {

using Kind = space::WorkloadKind;

std::string folder() { return std::string(TLM_SOURCE_DIR) + "/lm/data"; }
std::vector<ListedWorkload> shipped(const char* list) { return read_workload_list(folder() + "/" + list); }

TEST(TestList, IsWhatItPromises) {
  const std::vector<ListedWorkload> list = shipped(kTestList);
  EXPECT_GE(list.size(), 60u);
  std::map<Kind, int> kinds;
  std::map<std::string, int> sets;
  std::set<uint64_t> distinct;
  size_t compute_bound = 0;
  int one_core = 0;
  for (const ListedWorkload& w : list) {
    ++kinds[w.kind];
    ++sets[w.set];
    distinct.insert(ir::workload_hash(w.subgraph));
    one_core += w.cores == 1;
    // Arithmetic units do some ten operations while one byte comes from memory.
    compute_bound += ir::flops(w.subgraph) > 10 * ir::port_bytes(w.subgraph);
    EXPECT_TRUE(w.cores == 1 || w.cores == 2) << w.name;
    if (w.set == "network:resnet50") {
      EXPECT_EQ(w.cores, 2);
    }
    if (w.set == "interpolated") {
      EXPECT_EQ(space::split_of(space::split_key(w.subgraph)), space::Split::kTest) << w.name;
    }
  }
  EXPECT_EQ(distinct.size(), list.size());
  for (const Kind kind : space::workload_kinds()) EXPECT_GE(kinds[kind], 5) << space::workload_kind_name(kind);
  EXPECT_GE(2 * compute_bound, list.size());
  EXPECT_GE(one_core, 20);
  for (const char* set :
       {"network:resnet50", "network:mobilenet_v2", "network:squeezenet", "network:bert_layer", "interpolated", "extrapolated"})
    EXPECT_GE(sets[set], 5) << set;
}

TEST(DevList, IsOfTheDevSplitAndFarFromTheTest) {
  space::Exclusion test;
  for (const char* list : {kTestList, kNetworkList})
    for (const ListedWorkload& w : shipped(list)) test.add(w.name, w.subgraph);
  const std::vector<ListedWorkload> dev = shipped(kDevList);
  EXPECT_EQ(dev.size(), 72u);
  EXPECT_EQ(std::count_if(dev.begin(), dev.end(), [](const ListedWorkload& w) { return w.set == "large"; }), 24);
  for (const ListedWorkload& w : dev) {
    EXPECT_EQ(space::split_of(space::split_key(w.subgraph)), space::Split::kDev) << w.name;
    EXPECT_EQ(test.nearest(w.subgraph), "") << w.name;
  }
}

// The zoo's part of the lists follows from the sources. (The handed models are not in the repository.)
TEST(Lists, AreTheOnesThatTheProgramMakes) {
  const WorkloadLists made = make_workload_lists({});
  std::set<std::string> lines;
  for (const ListedWorkload& w : shipped(kNetworkList)) lines.insert(workload_list_line(w));
  for (const ListedWorkload& w : made.networks) EXPECT_TRUE(lines.contains(workload_list_line(w))) << w.set << " " << w.name;
  lines.clear();
  for (const ListedWorkload& w : shipped(kTestList)) lines.insert(workload_list_line(w));
  for (const ListedWorkload& w : made.test)
    if (w.set.starts_with("network:")) {
      EXPECT_TRUE(lines.contains(workload_list_line(w))) << w.set << " " << w.name;
    }
}

TEST(Exclusion, HoldsOutAllLists) {
  const space::Exclusion e = read_exclusion(folder());
  for (const char* list : {kTestList, kDevList, kNetworkList})
    for (const ListedWorkload& w : shipped(list)) EXPECT_NE(e.obstacle(w.subgraph), "") << list << " " << w.name;
}

TEST(WorkloadList, ReadsBackAndNamesWhatIsWrong) {
  const std::vector<ListedWorkload> list = shipped(kTestList);
  const std::string file = testing::TempDir() + "/list.jsonl";
  const std::string line = workload_list_line(list[0]);
  write_file_atomic(file, "\n" + line + "\n");
  const std::vector<ListedWorkload> back = read_workload_list(file);
  ASSERT_EQ(back.size(), 1u);
  EXPECT_EQ(workload_list_line(back[0]), line);
  const auto with = [&](const std::string& from, const std::string& to) {
    std::string text = line;
    const size_t at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    return text.replace(at, from.size(), to);
  };
  const struct {
    std::string line, message;
  } rows[] = {
      {"{", "not a JSON object"},
      {with("\"cores\":2", "\"cores\":0"), "cores must be a whole number"},
      {with("\"name\":", "\"nam\":"), "name must be a string"},
      {with("\"window-other\"", "\"window\""), "the subgraph is of the kind window-other"},
      {with("\"window-other\"", "\"round\""), "no kind is called 'round'"},
      {with("subgraph \\\"", "subgraf \\\""), "bad list of workloads"},
  };
  for (const auto& row : rows) {
    write_file_atomic(file, line + "\n" + row.line + "\n");
    try {
      read_workload_list(file);
      ADD_FAILURE() << row.message;
    } catch (const Error& e) {
      EXPECT_EQ(e.code(), ErrorCode::kBadModel);
      EXPECT_NE(e.message().find(row.message), std::string::npos) << e.message();
      EXPECT_NE(e.where().find("list.jsonl:2"), std::string::npos) << e.where();
    }
  }
}

}  // namespace
}  // namespace tlm::collect
