#include "tlm/core/target.h"

#include <algorithm>

#include "support.h"
#include "tlm/core/file.h"

namespace tlm {
namespace {

using test::expect_error;
using Names = std::vector<std::string>;

TEST(Target, EveryNameIsConsistentAndRoundTripsAsJson) {
  for (const std::string& name : target_names()) {
    const Target t = named_target(name);
    EXPECT_EQ(t.name, name);
    EXPECT_EQ(target_defect(t), "") << name;
    EXPECT_EQ(parse_target_json(target_json(t), "x.json"), t) << target_json(t);
    Target strict = t;
    strict.numerics = Numerics::kStrict;
    strict.cores = 3;
    EXPECT_EQ(parse_target_json(target_json(strict), "x.json"), strict);
  }
}

TEST(Target, Levels) {
  struct Case {
    const char* name;
    int bits, registers;
    bool fma;
    Names has, lacks;
  };
  const Case cases[] = {
      {"x86-64", 128, 16, false, {}, {"pni", "sse4_2"}},
      {"x86-64-v2", 128, 16, false, {"pni", "ssse3", "sse4_1", "sse4_2", "popcnt", "cx16"}, {"avx"}},
      {"x86-64-v3", 256, 16, true, {"sse4_2", "avx", "avx2", "fma", "f16c", "bmi1", "bmi2", "abm", "movbe"}, {"avx512f"}},
      {"x86-64-v4", 512, 32, true, {"avx2", "avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl"}, {"avx512_vnni"}},
      {"aarch64", 128, 32, true, {"asimd", "fp"}, {}},
  };
  for (const Case& c : cases) {
    const Target t = named_target(c.name);
    EXPECT_EQ(t.vector_bits, c.bits) << c.name;
    EXPECT_EQ(t.vector_registers, c.registers) << c.name;
    EXPECT_EQ(t.fma, c.fma) << c.name;
    for (const std::string& f : c.has) EXPECT_TRUE(t.has(f)) << c.name << " " << f;
    for (const std::string& f : c.lacks) EXPECT_FALSE(t.has(f)) << c.name << " " << f;
  }
  EXPECT_EQ(named_target("sm_80").sm, 80);
  EXPECT_EQ(named_target("sm_80").shared_kb, 163);
  EXPECT_EQ(named_target("sm_90").device, DeviceKind::kCuda);
}

TEST(Target, UnknownNamesListTheKnownOnes) {
  expect_error(ErrorCode::kUsage, "unknown target 'z80'", [] { named_target("z80"); });
  expect_error(ErrorCode::kUsage, "native, x86-64, x86-64-v2", [] { load_target("z80"); });
}

TEST(Target, JsonIsStable) {
  EXPECT_EQ(target_json(named_target("x86-64-v2")), R"({
  "name": "x86-64-v2",
  "device": "cpu",
  "arch": "x86-64",
  "features": [
    "cx16",
    "lahf_lm",
    "pni",
    "popcnt",
    "sse4_1",
    "sse4_2",
    "ssse3"
  ],
  "fma": false,
  "numerics": "fast",
  "vector_bits": 128,
  "vector_registers": 16,
  "l1_kb": 32,
  "l2_kb": 512,
  "l3_kb": 8192,
  "cores": 1
}
)");
}

TEST(Target, LoadsFiles) {
  test::TempFolder folder;
  Target t = named_target("x86-64-v3");
  t.name = "the box in the corner";
  t.l2_kb = 2048;
  write_file_atomic(folder / "t.json", target_json(t));
  EXPECT_EQ(load_target((folder / "t.json").string()), t);
  write_file_atomic(folder / "minimal.json", R"({"arch": "aarch64"})");
  EXPECT_EQ(load_target((folder / "minimal.json").string()).arch, "aarch64");
}

TEST(Target, NamesThatAreNotUtf8AreStillPrinted) {
  Target t;
  t.name = "caf\xe9";
  EXPECT_NE(target_json(t).find("caf\xef\xbf\xbd"), std::string::npos);
}

TEST(Target, RefusesBadJson) {
  const std::pair<const char*, const char*> cases[] = {
      {"", "not a JSON object"},
      {"[1]", "not a JSON object"},
      {"{\"arch\": ", "not a JSON object"},
      {R"({"archh": "x86-64"})", "unknown key 'archh'"},
      {R"({"arch": 7})", "arch must be a string"},
      {R"({"arch": "z80"})", "unknown arch 'z80'"},
      {R"({"device": "tpu"})", "device must be \"cpu\" or \"cuda\""},
      {R"({"device": 1})", "device must be"},
      {R"({"numerics": "sloppy"})", "numerics must be \"fast\" or \"strict\""},
      {R"({"fma": 1})", "fma must be true or false"},
      {R"({"fma": true})", "the feature 'fma' is not listed"},
      {R"({"features": "avx2"})", "array of strings"},
      {R"({"features": [1]})", "array of strings"},
      {R"({"features": ["mmx9"]})", "unknown feature 'mmx9' of x86-64"},
      {R"({"arch": "aarch64", "features": ["avx2"]})", "unknown feature 'avx2' of aarch64"},
      {R"({"features": ["-o/etc/passwd"]})", "unknown feature"},
      {R"({"vector_bits": 256})", "vectors of 256 bits, but the features give 128"},
      {R"({"vector_bits": 512, "features": ["avx2", "avx512f"]})", "the features give 256"},
      {R"({"vector_bits": 100})", "vector_bits must be"},
      {R"({"vector_registers": 32})", "1 to 16"},
      {R"({"vector_registers": 0})", "1 to 16"},
      {R"({"cores": 0})", "cores must be"},
      {R"({"cores": -1})", "cores must be a whole number"},
      {R"({"cores": 1.5})", "cores must be a whole number"},
      {R"({"cores": 1e3})", "cores must be a whole number"},
      {R"({"cores": 99999999999})", "cores must be a whole number"},
      {R"({"l1_kb": 0})", "cache sizes"},
      {R"({"sm": 80})", "unknown key 'sm'"},
      {R"({"device": "cuda", "sm": 12})", "unknown SM version 12"},
      {R"({"device": "cuda", "sm": 80})", "a CUDA target needs"},
  };
  for (const auto& [json, message] : cases) {
    expect_error(ErrorCode::kUsage, message, [&, j = json] { parse_target_json(j, "t.json"); });
    expect_error(ErrorCode::kUsage, "at: t.json", [&, j = json] { parse_target_json(j, "t.json"); });
  }
  expect_error(ErrorCode::kUsage, "not a JSON object", [] { parse_target_json(std::string(100000, '['), "t.json"); });
}

TEST(Target, MissingFeaturesAreNamed) {
  const Names v3 = named_target("x86-64-v3").features, v4 = named_target("x86-64-v4").features;
  EXPECT_EQ(missing_features(v3, v4), Names{});
  EXPECT_EQ(missing_features(v4, v3), (Names{"avx512bw", "avx512cd", "avx512dq", "avx512f", "avx512vl"}));
  EXPECT_EQ(missing_features({}, {}), Names{});
  EXPECT_EQ(missing_features({"warp_drive"}), Names{"warp_drive"});
}

TEST(Target, Host) {
  const Target host = host_target();
  EXPECT_EQ(missing_features(host.features), Names{});
  EXPECT_EQ(host.arch, host_arch());
  EXPECT_GE(host.l1_kb, 8);
  EXPECT_GE(host.cores, 1);
  EXPECT_TRUE(std::is_sorted(host.features.begin(), host.features.end()));
#if defined(__x86_64__)
  // Another witness: what the kernel lists (names are the same by design).
  std::string flags = read_file("/proc/cpuinfo");
  flags = flags.substr(flags.find("\nflags"));
  flags = " " + flags.substr(0, flags.find('\n', 1)) + " ";
  for (const std::string& feature : named_target("x86-64-v4").features)
    EXPECT_EQ(flags.find(" " + feature + " ") != std::string::npos, host.has(feature)) << feature;
#endif
}

TEST(Target, CompilerFlagsDeriveFromTheTarget) {
  EXPECT_EQ(compiler_flags(named_target("x86-64")), (Names{"-march=x86-64", "-mtune=generic", "-ffp-contract=off"}));
  EXPECT_EQ(compiler_flags(named_target("x86-64-v2")),
            (Names{"-march=x86-64", "-mtune=generic", "-mcx16", "-msahf", "-msse3", "-mpopcnt", "-msse4.1", "-msse4.2", "-mssse3",
                   "-ffp-contract=off"}));
  Target few = named_target("x86-64");
  few.vector_registers = 14;
  EXPECT_EQ(compiler_flags(few),
            (Names{"-march=x86-64", "-mtune=generic", "-ffixed-xmm14", "-ffixed-xmm15", "-ffp-contract=off"}));
  few.vector_registers = 1;  // arguments need the first eight
  EXPECT_EQ(compiler_flags(few).size(), 3u + 8u);
  EXPECT_EQ(compiler_flags(named_target("aarch64")), (Names{"-march=armv8-a", "-ffp-contract=off"}));
  EXPECT_EQ(compiler_flags(named_target("sm_90")), (Names{"--gpu-architecture=sm_90", "--fmad=false"}));
  for (const std::string& name : target_names()) {
    Target t = named_target(name);
    const Names flags = compiler_flags(t);
    for (const std::string& flag : flags) {
      EXPECT_NE(flag, "-march=native");
      EXPECT_NE(flag, "-ffast-math");
    }
    t.name = "another";  // for people only
    t.l2_kb = 1;
    EXPECT_EQ(compiler_flags(t), flags);
  }
}

}  // namespace
}  // namespace tlm
