// Wrong arguments: exit code 2 and a message that says what is wanted.
#include <gtest/gtest.h>

#include "sandbox.h"

namespace tlm::tools::test {
namespace {

struct Refusal {
  const char* arguments;
  const char* message;
};

TEST(Arguments, WrongOnesAreRefused) {
  const Sandbox s;
  s.zoo("tiny_mlp");
  s.package("tiny_mlp");
  s.write("other/file.json", "{}");
  const Refusal kRefusals[] = {
      {"frob", "there is no command 'frob'\n  try: tlm --help"},
      {"--frob", "not expected: --frob"},
      {"compile", "MODEL is required\n  try: tlm compile --help"},
      {"compile tiny_mlp.onnx", "-o is missing"},
      {"compile tiny_mlp.onnx --explain 0 --report r.json", "want -o"},
      {"compile tiny_mlp.onnx -o a.tlm --frob", "not expected: --frob\n  try: tlm compile --help"},
      {"compile tiny_mlp.onnx b.onnx -o a.tlm", "not expected: b.onnx"},
      {"compile tiny_mlp.onnx -o a.tlm -o b.tlm", "--output: At Most 1"},
      {"compile tiny_mlp.onnx -o tiny_mlp.onnx", "-o would overwrite an input\n  at: tiny_mlp.onnx"},
      {"compile tiny_mlp.onnx -o other/../tiny_mlp.onnx", "would overwrite an input"},
      {"compile tiny_mlp.onnx -o a.tlm --report a.tlm", "-o and --report name the same file"},
      {"compile tiny_mlp.onnx -o a.tlm --emit-schedules ./a.tlm", "-o and --emit-schedules name the same file"},
      {"compile tiny_mlp.onnx -o a.tlm --threads 0", "--threads: wants a whole number from 1 to 4096, not '0'"},
      {"compile tiny_mlp.onnx -o a.tlm --threads 1000000000", "not '1000000000'"},
      {"compile tiny_mlp.onnx -o a.tlm --threads 99999999999999999999", "--threads: wants a whole number"},
      {"compile tiny_mlp.onnx -o a.tlm --threads 2x", "not '2x'"},
      {"compile tiny_mlp.onnx -o a.tlm --jobs -1", "--jobs: wants a whole number from 1 to"},
      {"compile tiny_mlp.onnx -o a.tlm --seed -1", "--seed: wants a whole number from 0 to"},
      {"compile tiny_mlp.onnx -o a.tlm --seed 18446744073709551616", "--seed: wants a whole number"},
      {"compile tiny_mlp.onnx -o a.tlm --numerics loose", "--numerics: loose not in {fast,strict}"},
      {"compile tiny_mlp.onnx -o a.tlm --scheduler frob", "choose one of: default, lm, constructive, random, search"},
      {"compile tiny_mlp.onnx -o a.tlm --target x86-64-v9", "unknown target 'x86-64-v9'\n  try: one of native"},
      {"compile tiny_mlp.onnx -o a.tlm --dim N", "--dim wants NAME=N"},
      {"compile tiny_mlp.onnx -o a.tlm --dim =4", "--dim wants NAME=N"},
      {"compile tiny_mlp.onnx -o a.tlm --dim N=", "--dim wants NAME=N"},
      {"compile tiny_mlp.onnx -o a.tlm --dim N=-1", "--dim wants NAME=N"},
      {"compile tiny_mlp.onnx -o a.tlm --dim N=4x", "--dim wants NAME=N"},
      {"compile tiny_mlp.onnx -o a.tlm --dim N=99999999999999999999", "--dim wants NAME=N"},
      {"compile tiny_mlp.onnx -o a.tlm --dim N=4 --dim N=5", "--dim 'N' is given twice"},
      {"compile tiny_mlp.onnx -o a.tlm --dim N=4", "the model has no dimension 'N'"},
      {"compile tiny_mlp.onnx --explain 3", "there is no subgraph 3\n  try: the model has 3, counted from 0"},
      {"compile tiny_mlp.onnx --explain -1", "--explain: wants a whole number from 0"},
      {"inspect tiny_mlp.onnx --subgraph 3", "there is no subgraph 3"},
      {"inspect tiny_mlp.onnx --subgraph x", "--subgraph: wants a whole number from 0"},
      {"inspect tiny_mlp.tlm --subgraph 0", "a package holds code and no expressions"},
      {"inspect tiny_mlp.tlm --sentence", "a package holds code and no expressions"},
      {"run tiny_mlp.tlm --threads 100000", "--threads: wants"},
      {"verify tiny_mlp.tlm", "give --data DIR or --by-subgraph"},
      {"verify tiny_mlp.tlm --by-subgraph", "--by-subgraph wants an ONNX file"},
      {"verify tiny_mlp.tlm --data other --by-subgraph", "excludes"},
      {"verify tiny_mlp.tlm --data nowhere", "Directory does not exist: nowhere"},
      {"verify tiny_mlp.tlm --data other", "the folder holds no output_0.pb"},
      {"verify tiny_mlp.onnx --by-subgraph --rtol nan", "--rtol: wants a number that is not negative, not 'nan'"},
      {"verify tiny_mlp.onnx --by-subgraph --atol -1", "--atol: wants a number that is not negative"},
      {"bench tiny_mlp.tlm --repeat 0", "--repeat: wants a whole number from 1"},
      {"conformance nowhere", "Directory does not exist: nowhere"},
      {"conformance other", "no CASE/model.onnx below this folder"},
      {"zoo nothing -o z.onnx", "there is no network 'nothing' in the zoo\n  try: one of: resnet50"},
      {"zoo tiny_mlp", "--output is required"},
      {"zoo tiny_mlp -o z.onnx --batch 0", "--batch: wants a whole number from 1"},
      {"target nothing", "unknown target 'nothing'"},
  };
  for (const Refusal& r : kRefusals) s.refuses(words(r.arguments), 2, r.message);
  s.refuses({"compile", "tiny_mlp.onnx", "-o", ""}, 2, "--output: must not be empty");
  s.refuses({"run", ""}, 2, "MODEL: must not be empty");
}

TEST(Arguments, NoCommandShowsTheHelp) {
  const Outcome r = Sandbox().tlm({});
  EXPECT_EQ(r.code, 2);
  EXPECT_NE(r.err.find("Commands:"), std::string::npos);
  EXPECT_EQ(r.out, "");
}

TEST(Arguments, EveryCommandExplainsItself) {
  const Sandbox s;
  EXPECT_NE(s.tlm({"--help"}).out.find("Exit codes: 0 ok, 1 mismatch, 2 usage"), std::string::npos);
  for (const char* command : {"zoo", "target", "inspect", "compile", "run", "verify", "bench", "conformance", "collect", "workloads",
                              "decode", "train", "eval"}) {
    EXPECT_NE(s.tlm({"--help"}).out.find("\n  " + std::string(command) + " "), std::string::npos) << command;
    const Outcome r = s.tlm({command, "--help"});
    EXPECT_EQ(r.code, 0);
    EXPECT_EQ(r.err, "");
    EXPECT_NE(r.out.find("Usage: tlm " + std::string(command)), std::string::npos) << r.out;
    EXPECT_NE(r.out.find("Example"), std::string::npos) << r.out;
    for (size_t begin = 0; begin < r.out.size(); begin = r.out.find('\n', begin) + 1)
      EXPECT_LE(r.out.find('\n', begin) - begin, 130u) << command << ": " << r.out.substr(begin, 140);
  }
}

TEST(Arguments, Version) {
  const Sandbox s;
  EXPECT_EQ(s.tlm({"--version"}).out.rfind("tlm ", 0), 0u);
  EXPECT_EQ(s.tlm({"--version", "--json"}).out.rfind("{\"name\":\"tlm\",\"version\":\"", 0), 0u);
}

// Options that take several values must not swallow the model.
TEST(Arguments, RepeatableOptionsTakeOneValueEach) {
  const Sandbox s;
  s.package("tiny_mlp");
  s.refuses(words("run --input features=none.npy tiny_mlp.tlm"), 5,
            "cannot open the file: No such file or directory\n  at: none.npy");
  s.refuses(words("compile -o a.tlm --dim N=4 none.onnx"), 5, "at: none.onnx");
}

}  // namespace
}  // namespace tlm::tools::test
