#include <gtest/gtest.h>

#include <filesystem>
#include <set>

#include "tlm/core/hash.h"
#include "tlm/space/records/packed_records.h"
#include "tlm/space/records/split_key.h"
#include "tlm/tools/collect/obstacle.h"
#include "tlm/tools/collect/workload_list.h"

namespace tlm::collect {
namespace {

// Every file of measured programs that the repository carries.
TEST(ShippedRecords, NothingInThemIsHeldOutOrOfTheTest) {
  const std::filesystem::path folder = std::filesystem::path(TLM_SOURCE_DIR) / "lm/data";
  const space::Exclusion lists = read_exclusion(folder);
  int files = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    if (entry.path().extension() != ".xz") continue;
    ++files;
    const bool dev = entry.path().filename() == "dev.records.xz";
    std::set<std::pair<uint64_t, uint64_t>> seen;
    space::read_record_file(entry.path(), [&](const space::Record& r) {
      ASSERT_NE(r.status, space::MeasureStatus::kWrong) << r.schedule;
      if (!seen.emplace(r.workload_hash, r.target_hash).second) return;
      const ir::Subgraph g = ir::parse_subgraph(r.workload);
      EXPECT_EQ(ir::workload_hash(g), r.workload_hash);
      EXPECT_EQ(space::split_key(g), r.split_key) << g.name;
      if (dev)
        EXPECT_EQ(space::split_of(r.split_key), space::Split::kDev) << g.name;
      else
        EXPECT_EQ(obstacle(&lists, g, parse_target_json(r.target, "record")), "") << g.name << " " << to_hex(r.workload_hash);
    });
    EXPECT_FALSE(seen.empty()) << entry.path();
  }
  EXPECT_GE(files, 2);
}

}  // namespace
}  // namespace tlm::collect
