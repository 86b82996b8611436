// SIGINT and SIGTERM: exit code 130, soon, and nothing is left: no output, no temporary file, no compiler. What measures keeps
// what it has measured, and the same command goes on.
#include <gtest/gtest.h>

#include <signal.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <set>
#include <sstream>
#include <thread>

#include <nlohmann/json.hpp>

#include "sandbox.h"
#include "small_model.h"
#include "tlm/core/rng.h"

namespace fs = std::filesystem;

namespace tlm::tools::test {
namespace {

// Processes that were started with the sandbox's TMPDIR or a folder below it: tlm and its compilers.
int processes_of(const Sandbox& s) {
  const std::string mark = "TMPDIR=" + s.temp().string();
  int count = 0;
  std::error_code error;
  for (fs::directory_iterator it("/proc", error), end; !error && it != end; it.increment(error)) {
    std::ifstream in(it->path() / "environ", std::ios::binary);
    const std::string environment((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
    count += environment.find(mark) != std::string::npos;
  }
  return count;
}

// Killed processes take a moment to go.
bool none_is_left(const Sandbox& s) {
  for (int attempt = 0; attempt < 50; ++attempt) {
    if (processes_of(s) == 0) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
  return false;
}

// Runs tlm in the background, waits until it listens to signals, sends `signal` after `ms`, waits. The result is tlm's exit code,
// and in `out` the ms that it took to end.
Outcome interrupted(const Sandbox& s, const std::string& arguments, int signal, int ms) {
  const std::string seconds = std::to_string(ms / 1000) + "." + std::to_string(1000 + ms % 1000).substr(1);
  // SigCgt: a mask of signals with handlers, SIGTERM is bit 14.
  return s.shell("$TLM " + arguments + R"( >/dev/null 2>err & pid=$!
      until grep -qE '^SigCgt:.*[4-7c-f][0-9a-f]{3}$' /proc/$pid/status 2>/dev/null || ! kill -0 $pid 2>/dev/null; do sleep 0.01; done
      sleep )" + seconds +
                 "; kill -" + std::to_string(signal) + R"( $pid 2>/dev/null; start=$(date +%s%N); wait $pid; code=$?
      echo $(( ($(date +%s%N) - start) / 1000000 )); exit $code)");
}

// The same with SIGINT, not after a time but as soon as the command `begun` succeeds. The result is tlm's exit code.
Outcome interrupted_once(const Sandbox& s, const std::string& begun, const std::string& arguments) {
  return s.shell("$TLM " + arguments + " >/dev/null 2>err & pid=$!\nuntil " + begun +
                 " || ! kill -0 $pid 2>/dev/null; do sleep 0.02; done\nkill -INT $pid 2>/dev/null; wait $pid");
}

void expect_interrupted(const Sandbox& s, const Outcome& r) {
  EXPECT_EQ(r.code, 130) << s.read("err");
  EXPECT_NE(s.read("err").find("tlm: interrupted"), std::string::npos) << s.read("err");
  EXPECT_TRUE(fs::is_empty(s.temp()));
  EXPECT_TRUE(none_is_left(s));
}

TEST(Interrupt, ProcessesAreSeen) {
  const Sandbox s;
  const std::string pid = s.shell("sleep 100 >/dev/null 2>&1 & echo $!").out;
  int seen = 0;
  for (int i = 0; i < 500 && (seen = processes_of(s)) == 0; ++i) std::this_thread::sleep_for(std::chrono::milliseconds(10));
  EXPECT_EQ(seen, 1);
  s.shell("kill " + pid);
  EXPECT_TRUE(none_is_left(s));
}

TEST(Interrupt, LeavesNothing) {
  const Sandbox s;
  s.zoo("tiny_cnn");
  Rng rng(11);
  int hits = 0;
  for (int i = 0; i < 12; ++i) {
    const int ms = static_cast<int>(rng.below(500));
    const Outcome r = interrupted(s, "compile tiny_cnn.onnx -o a.tlm --no-cache --report r.json", i % 2 ? SIGINT : SIGTERM, ms);
    SCOPED_TRACE(std::to_string(ms) + " ms: " + s.read("err"));
    EXPECT_TRUE(fs::is_empty(s.temp()));
    EXPECT_TRUE(none_is_left(s));
    EXPECT_LT(std::stoi(r.out), 10000) << "ms until it ended";
    if (r.code == 0) {  // it was done before
      EXPECT_TRUE(s.exists("a.tlm"));
      fs::remove(s.path("a.tlm"));
      fs::remove(s.path("r.json"));
      continue;
    }
    ++hits;
    EXPECT_EQ(r.code, 130);
    EXPECT_NE(s.read("err").find("tlm: interrupted"), std::string::npos);
    fs::remove(s.path("err"));
    EXPECT_EQ(s.files().size(), 1u) << "the model alone";
  }
  EXPECT_GT(hits, 0);
}

// Whatever the compiler does: it is not waited for.
TEST(Interrupt, ACompilerThatHangs) {
  const Sandbox s;
  s.zoo("tiny_mlp");
  for (const char* when : {"", "case \"$1\" in --version|-dumpmachine) echo fake; exit 0;; esac\n"}) {
    s.write("cc.sh", std::string("#!/bin/sh\n") + when + "sleep 100 & sleep 100\n");
    EXPECT_EQ(s.shell("chmod +x cc.sh").code, 0);
    const Outcome r = interrupted(s, "compile tiny_mlp.onnx -o a.tlm --no-cache --cc ./cc.sh", SIGINT, 600);
    EXPECT_EQ(r.code, 130) << s.read("err");
    EXPECT_LT(std::stoi(r.out), 10000);
    EXPECT_FALSE(s.exists("a.tlm"));
    EXPECT_TRUE(fs::is_empty(s.temp()));
    EXPECT_TRUE(none_is_left(s));
  }
}

TEST(Interrupt, BenchAndConformance) {
  const Sandbox s;
  s.package("tiny_cnn");
  Outcome r = interrupted(s, "bench tiny_cnn.tlm --repeat 10000000 --json b.json", SIGTERM, 500);
  EXPECT_EQ(r.code, 130) << s.read("err");
  EXPECT_FALSE(s.exists("b.json"));

  const std::string model = s.read("tiny_cnn.onnx");
  for (const char* name : {"a", "b", "c", "d", "e", "f", "g", "h"}) {
    s.write(std::string("cases/") + name + "/model.onnx", model);
    s.write(std::string("cases/") + name + "/test_data_set_0/none", "");
  }
  r = interrupted(s, "conformance cases --no-cache --jobs 2 --json c.json", SIGINT, 400);
  EXPECT_EQ(r.code, 130) << s.read("err");
  EXPECT_FALSE(s.exists("c.json"));
  EXPECT_TRUE(fs::is_empty(s.temp()));
  EXPECT_TRUE(none_is_left(s));
}

// Batches measured before are in the records, and no schedule is ever measured twice.
TEST(Interrupt, DecodeThatMeasures) {
  const Sandbox s;
  s.zoo("tiny_cnn");
  make_model(s, "m");
  const std::string decode = "decode tiny_cnn.onnx --model m --decode gumbel --k 8 --measure --records r.db -o a.json";
  const auto measured = [&] {  // schedules in the records, the constructive ones aside
    EXPECT_EQ(s.shell("$TLM records export r.db -o rows").code, 0);
    std::multiset<std::string> all;
    std::ifstream in(s.path("rows"));
    for (std::string line; std::getline(in, line);) {
      const auto row = nlohmann::json::parse(line);
      if (row["origin"] != "constructive")
        all.insert(row["workload_hash"].get<std::string>() + " " + row["schedule"].get<std::string>());
    }
    return all;
  };
  expect_interrupted(s, interrupted_once(s, "$TLM records export r.db -o rows 2>/dev/null && [ -s rows ]", decode));
  EXPECT_FALSE(s.exists("a.json"));
  const std::multiset<std::string> before = measured();
  EXPECT_GT(before.size(), 0u);

  const Outcome rest = s.tlm(words(decode));
  ASSERT_EQ(rest.code, 0) << rest.err;
  EXPECT_NE(rest.err.find(", " + std::to_string(before.size()) + " were in the records"), std::string::npos) << rest.err;
  const std::multiset<std::string> after = measured();
  EXPECT_GT(after.size(), before.size());
  EXPECT_TRUE(std::includes(after.begin(), after.end(), before.begin(), before.end()));
  EXPECT_EQ(std::set<std::string>(after.begin(), after.end()).size(), after.size());
  for (const auto& w : nlohmann::json::parse(s.read("a.json"))["workloads"])
    for (const auto& one : w["schedules"]) EXPECT_FALSE(one["status"].is_null());
}

// Rows of finished workloads are kept.
TEST(Interrupt, Race) {
  const Sandbox s;
  const std::string race =
      "eval --race --only avgpool --only pool1 --only scores --model none --training none --k 1 --against none"
      " -o race --data " TLM_SOURCE_DIR "/lm/data";
  expect_interrupted(s, interrupted_once(s, "[ -s race/rows.jsonl ]", race));
  EXPECT_FALSE(s.exists("race/table.md"));
  const std::string kept = s.read("race/rows.jsonl"), picks = s.read("race/picks.jsonl");
  const auto lines = [](const std::string& text) { return std::count(text.begin(), text.end(), '\n'); };
  EXPECT_GE(lines(kept), 1);
  EXPECT_LT(lines(kept), 3);

  const Outcome rest = s.tlm(words(race));
  ASSERT_EQ(rest.code, 0) << rest.err;
  const std::string rows = s.read("race/rows.jsonl");
  EXPECT_EQ(lines(rows), 3);
  std::ifstream in(s.path("race/rows.jsonl"));
  std::set<std::string> all;
  for (std::string line; std::getline(in, line);) all.insert(line);
  std::istringstream first(kept);
  for (std::string line; std::getline(first, line);) EXPECT_TRUE(all.contains(line)) << "raced again: " << line;
  EXPECT_EQ(s.read("race/picks.jsonl"), picks);
}

}  // namespace
}  // namespace tlm::tools::test
