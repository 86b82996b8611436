// Targets from JSON files: absurd numbers are refused, extreme ones work.
#include <gtest/gtest.h>

#include "sandbox.h"

namespace tlm::tools::test {
namespace {

TEST(Targets, AbsurdOnesAreRefused) {
  const Sandbox s;
  s.zoo("tiny_mlp");
  const struct {
    const char* json;
    const char* message;
  } kCases[] = {
      {"", "not a JSON object"},
      {"[]", "not a JSON object"},
      {"{\"vector_bits\": 3}", "vector_bits must be"},
      {"{\"vector_bits\": 512}", "vectors of 512 bits, but the features give 128"},
      {"{\"vector_registers\": 0}", "vector_registers must be 1 to"},
      {"{\"vector_registers\": 1000000}", "vector_registers must be 1 to"},
      {"{\"cores\": 0}", "cores must be 1 to"},
      {"{\"cores\": 1000000000}", "cores must be 1 to"},
      {"{\"cores\": -1}", "cores must be a whole number"},
      {"{\"cores\": 1.5}", "cores must be a whole number"},
      {"{\"l1_kb\": 0}", "cache sizes must be positive"},
      {"{\"l1_kb\": 1e99}", "l1_kb must be a whole number"},
      {"{\"features\": [\"frob\"]}", "unknown feature 'frob'"},
      {"{\"features\": \"avx2\"}", "features must be an array"},
      {"{\"arch\": \"z80\"}", "unknown arch 'z80'"},
      {"{\"frob\": 1}", "unknown key 'frob'"},
      {"{\"device\": \"cuda\"}", "unknown SM version"},
      {"{\"device\": \"cuda\", \"sm\": 80}", "needs multiprocessors"},
  };
  for (const auto& c : kCases) {
    s.write("t.json", c.json);
    s.refuses(words("target ./t.json"), 2, c.message);
    s.refuses(words("compile tiny_mlp.onnx -o a.tlm --target ./t.json"), 2, c.message);
  }
  s.refuses(words("target ."), 5, "Is a directory");
  s.refuses(words("target /dev/zero"), 5, "the file is larger than");
  s.refuses(words("compile tiny_mlp.onnx -o t.json --target ./t.json"), 2, "-o would overwrite an input");
}

TEST(Targets, ExtremeOnesWork) {
  const Sandbox s;
  s.zoo("tiny_mlp");
  for (const char* json :
       {"{}", "{\"vector_bits\": 0}", "{\"vector_registers\": 1}", "{\"l1_kb\": 1, \"l2_kb\": 1, \"l3_kb\": 1}",
        "{\"l1_kb\": 1000000000, \"l2_kb\": 1, \"l3_kb\": 0}", "{\"cores\": 4096}", "{\"numerics\": \"strict\"}"}) {
    s.write("t.json", json);
    const Outcome r = s.tlm(words("verify tiny_mlp.onnx --by-subgraph --target ./t.json"));
    EXPECT_EQ(r.code, 0) << json << "\n" << r.err << r.out;
  }
}

TEST(Targets, PrintedOnesAreRead) {
  const Sandbox s;
  for (const char* name : {"native", "x86-64", "x86-64-v2", "x86-64-v3", "x86-64-v4", "aarch64", "sm_75", "sm_90"}) {
    const Outcome printed = s.tlm({"target", name});
    EXPECT_EQ(printed.code, 0);
    s.write("t.json", printed.out);
    EXPECT_EQ(s.tlm(words("target ./t.json")).out, printed.out);
  }
}

// The message says what is possible.
TEST(Targets, NoPackagesForGpusYet) {
  const Sandbox s;
  s.zoo("tiny_mlp");
  s.refuses(words("compile tiny_mlp.onnx -o a.tlm --target sm_80"), 4,
            "packages for GPU targets cannot be made yet\n  at: sm_80");
}

}  // namespace
}  // namespace tlm::tools::test
