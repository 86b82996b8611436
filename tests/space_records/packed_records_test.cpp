#include "tlm/space/records/packed_records.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "samples.h"
#include "tlm/core/error.h"
#include "tlm/core/file.h"
#include "tlm/space/records/record_json.h"
#include "tlm/space/records/record_store.h"

namespace tlm::space::test {
namespace {

std::string temp_file(const std::string& name) {
  const std::string file = testing::TempDir() + "/packed_" + name;
  for (const char* end : {"", "-wal", "-shm"}) std::filesystem::remove(file + end);
  return file;
}

std::vector<Record> several_batches() {
  std::vector<Record> all;
  for (int b = 0; b < 6; ++b)
    for (Record& r : made_up_records("batch " + std::to_string(b), 4, 8 << b % 3, 3 + b % 2)) all.push_back(std::move(r));
  all[1].status = MeasureStatus::kWrong;
  all[1].reason = "differs by \"much\"\n";
  all[1].samples_ms.clear();
  all[1].median_ms = all[1].ratio = 0;
  return all;
}

void pack(const std::vector<Record>& all, const std::string& file) {
  std::string bytes;
  PackedRecordWriter writer([&](std::string_view part) { bytes += part; });
  for (const Record& r : all) writer.add(r);
  writer.finish();
  write_file_atomic(file, bytes);
}

void pack_text(const std::string& text, const std::string& file) {
  std::string bytes;
  XzWriter writer([&](std::string_view part) { bytes += part; });
  writer.write(text);
  writer.finish();
  write_file_atomic(file, bytes);
}

std::vector<std::string> lines_of(const std::string& file) {
  std::vector<std::string> lines;
  read_record_file(file, [&](const Record& r) { lines.push_back(text_of(r)); });
  return lines;
}

TEST(PackedRecords, EveryBitComesBack) {
  const std::vector<Record> all = several_batches();
  const std::string file = temp_file("all.xz");
  pack(all, file);
  EXPECT_TRUE(is_xz(file));
  const std::vector<std::string> back = lines_of(file);
  ASSERT_EQ(back.size(), all.size());
  for (size_t i = 0; i < all.size(); ++i) EXPECT_EQ(back[i], text_of(all[i]));
}

TEST(PackedRecords, AnyFormIsReadAlike) {
  const std::vector<Record> all = several_batches();
  const std::string packed = temp_file("form.xz"), store = temp_file("form.db"), lines = temp_file("form.jsonl");
  pack(all, packed);
  RecordStore(store).append(all);
  std::string text;
  for (const Record& r : all) text += record_line(r) + "\n";
  write_file_atomic(lines, text);
  EXPECT_EQ(lines_of(packed).size(), all.size());
  EXPECT_EQ(lines_of(store), lines_of(packed));
  EXPECT_EQ(lines_of(lines), lines_of(packed));
}

TEST(PackedRecords, TakeLittleRoom) {
  std::vector<Record> all;
  for (int b = 0; b < 40; ++b)
    for (Record& r : made_up_records("batch " + std::to_string(b), 16)) all.push_back(std::move(r));
  const std::string file = temp_file("small.xz");
  pack(all, file);
  size_t lines = 0;
  for (const Record& r : all) lines += record_line(r).size();
  EXPECT_LT(std::filesystem::file_size(file), lines / 50);
}

TEST(PackedRecords, LongTextsCrossBlocks) {
  std::string text;
  for (int i = 0; i < 40000; ++i) text += std::to_string(i * 7919) + "\n";
  const std::string file = temp_file("long.xz");
  pack_text(text + "no end", file);
  XzLines lines(file);
  std::string line, back;
  while (lines.next(line)) back += line + "\n";
  EXPECT_EQ(back, text + "no end\n");
  EXPECT_FALSE(lines.next(line));
}

TEST(PackedRecords, DamageIsNamed) {
  const std::string file = temp_file("good.xz"), bad = temp_file("bad.xz");
  pack(several_batches(), file);
  const std::string bytes = read_file(file);
  std::string text;
  {
    XzLines lines(file);
    for (std::string line; lines.next(line);) text += line + "\n";
  }
  const auto expect = [&](const std::string& message) {
    try {
      lines_of(bad);
      ADD_FAILURE() << message;
    } catch (const Error& e) {
      EXPECT_EQ(e.code(), ErrorCode::kBadModel) << message;
      EXPECT_NE((e.message() + e.where()).find(message), std::string::npos) << e.message() << " at " << e.where();
    }
  };
  write_file_atomic(bad, bytes.substr(0, bytes.size() / 2));
  expect("cut short");
  std::string flipped = bytes;
  flipped[bytes.size() / 2] = static_cast<char>(flipped[bytes.size() / 2] ^ 0x20);
  write_file_atomic(bad, flipped);
  expect("bad");
  const auto replaced = [&](const std::string& from, const std::string& to) {
    std::string t = text;
    const size_t at = t.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    return t.replace(at, from.size(), to);
  };
  const struct {
    std::string text, message;
  } rows[] = {
      {"", "it is empty"},
      {"{\"a\":1}\n", "these are no packed records"},
      {replaced("{\"tlm_records\":1}", "{\"tlm_records\":2}"), "format 2"},
      {replaced("{\"workload\":", "{\"werkload\":"), "bad.xz:2"},
      {replaced("\"workload\":0", "\"workload\":7"), "there is no workload 7 yet"},
      {replaced("\"ok\"", "\"fine\""), "no status is called 'fine'"},
      {replaced("\"threads\":2", "\"threads\":\"two\""), "bad.xz:4"},
      {replaced("[\"micro", "[7,\"micro"), "bad.xz:5"},
      {"{\"tlm_records\":1}\n[\"\",\"ok\",\"x\",0,\"0000000000000000\",1,1,[]]\n", "a row before the first batch"},
      {"{\"tlm_records\":1}\nno\n", "not JSON"},
  };
  for (const auto& row : rows) {
    pack_text(row.text, bad);
    expect(row.message);
  }
}

}  // namespace
}  // namespace tlm::space::test
