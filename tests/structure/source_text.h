// Source files taken apart, as far as the tests of the tree's structure need it.
#pragma once

#include <string>
#include <vector>

namespace tlm::structure {

struct SourceFile {
  std::string path;  // from the root: "core/error.h"
  std::string text;
};

// The .h, .c, .cpp and .cu files below these folders of the source tree, sorted by path.
std::vector<SourceFile> read_sources(const std::vector<std::string>& folders);

struct Include {
  std::string path;
  bool quoted = false;  // "…", not <…>
  int line = 0;
};
std::vector<Include> includes_of(const std::string& text);

enum class TokenKind { kIdentifier, kString, kComment };
struct Token {
  TokenKind kind;
  std::string text;  // without quotes and comment marks
  int line = 0;
};
// Identifiers, string literals and comments in order; includes, numbers, characters and punctuation are left out.
std::vector<Token> tokens_of(const std::string& text);

// "a_b(C1, x.Yz)" → a, b, C1, x, Yz: runs of letters and digits.
std::vector<std::string> words_of(const std::string& text);

}  // namespace tlm::structure
