// What library code may not do, as far as a look at the text can tell: exit, abort, print, start a shell, read environment
// variables, or hand flags to a compiler that do not derive from the target.
#include <gtest/gtest.h>

#include <algorithm>

#include "source_text.h"

namespace tlm::structure {
namespace {

const std::vector<std::string> kLibraries = {"core", "ir", "space", "lm", "codegen", "kernels"};

const char* const kForbiddenIdentifiers[] = {
    "getenv", "secure_getenv", "setenv", "putenv",     "unsetenv",                          // the environment is read by tools
    "system", "popen",                                                                      // shells
    "exit",   "_exit",         "_Exit",  "quick_exit", "abort",    "terminate",             // the process is the application's
    "cout",   "cerr",          "clog",   "printf",     "puts",     "fputs",     "perror"};  // so are its streams

const char* const kForbiddenText[] = {"march=native", "mtune=native", "ffast-math", "Ofast"};

// Programs are looked for in PATH as the system itself does it, and the compiler gets this process's environment. A forked child
// is the library's own to end.
bool exempt(const std::string& path, const std::string& name) {
  return (path == "codegen/build/process.cpp" && name == "getenv") ||
         (path == "codegen/measure/worker_process.cpp" && name == "_exit");
}

std::vector<std::string> law_violations(const SourceFile& file) {
  std::vector<std::string> violations;
  for (const Token& token : tokens_of(file.text)) {
    const std::string where = file.path + ":" + std::to_string(token.line) + ": ";
    if (token.kind == TokenKind::kIdentifier &&
        std::find(std::begin(kForbiddenIdentifiers), std::end(kForbiddenIdentifiers), token.text) !=
            std::end(kForbiddenIdentifiers) &&
        !exempt(file.path, token.text))
      violations.push_back(where + token.text);
    if (token.kind != TokenKind::kString) continue;
    for (const char* text : kForbiddenText)
      if (token.text.find(text) != std::string::npos) violations.push_back(where + text);
  }
  return violations;
}

TEST(LibraryLaws, TheTreeKeepsThem) {
  const std::vector<SourceFile> files = read_sources(kLibraries);
  EXPECT_GT(files.size(), 50u);
  for (const SourceFile& file : files)
    for (const std::string& violation : law_violations(file)) ADD_FAILURE() << violation;
}

TEST(LibraryLaws, FindsWhatBreaksThem) {
  for (const char* text : {"std::getenv(\"HOME\");", "system(\"cc\");", "std::exit(1);", "std::cerr << x;",
                           "f(\"-march=native\");", "f(\"-O2 -ffast-math\");"})
    EXPECT_EQ(law_violations({"codegen/a.cpp", text}).size(), 1u) << text;
  for (const char* text : {"// never -march=native, no exit", "r.exit_code = 1;", "std::snprintf(b, 8, \"x\");", "f(\"-O2\");"})
    EXPECT_TRUE(law_violations({"codegen/a.cpp", text}).empty()) << text;
}

}  // namespace
}  // namespace tlm::structure
