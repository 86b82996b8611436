#include "source_text.h"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <sstream>

#include "tlm/core/file.h"

namespace tlm::structure {
namespace {

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }

}  // namespace

std::vector<SourceFile> read_sources(const std::vector<std::string>& folders) {
  namespace fs = std::filesystem;
  std::vector<SourceFile> files;
  const fs::path root = TLM_SOURCE_DIR;
  for (const std::string& folder : folders) {
    for (const auto& entry : fs::recursive_directory_iterator(root / folder)) {
      const std::string kind = entry.path().extension().string();
      if (!entry.is_regular_file() || (kind != ".h" && kind != ".c" && kind != ".cpp" && kind != ".cu")) continue;
      files.push_back({fs::relative(entry.path(), root).string(), read_file(entry.path())});
    }
  }
  std::sort(files.begin(), files.end(), [](const SourceFile& a, const SourceFile& b) { return a.path < b.path; });
  return files;
}

std::vector<Include> includes_of(const std::string& text) {
  std::vector<Include> includes;
  std::istringstream lines(text);
  std::string line;
  for (int number = 1; std::getline(lines, line); ++number) {
    size_t p = line.find_first_not_of(" \t");
    if (p == std::string::npos || line[p] != '#') continue;
    p = line.find_first_not_of(" \t", p + 1);
    if (p == std::string::npos || line.compare(p, 7, "include") != 0) continue;
    const size_t open = line.find_first_of("\"<", p + 7);
    if (open == std::string::npos) continue;
    const size_t close = line.find(line[open] == '"' ? '"' : '>', open + 1);
    if (close == std::string::npos) continue;
    includes.push_back({line.substr(open + 1, close - open - 1), line[open] == '"', number});
  }
  return includes;
}

std::vector<Token> tokens_of(const std::string& text) {
  std::vector<Token> tokens;
  int line = 1;
  size_t i = 0;
  const auto take = [&](TokenKind kind, size_t begin, size_t end) {
    tokens.push_back({kind, text.substr(begin, end - begin), line});
  };
  const auto skip_to = [&](size_t end) {
    line += static_cast<int>(std::count(text.begin() + static_cast<long>(i), text.begin() + static_cast<long>(end), '\n'));
    i = end;
  };
  const auto find = [&](const std::string& what, size_t from) { return std::min(text.find(what, from), text.size()); };
  while (i < text.size()) {
    const char c = text[i];
    if (text.compare(i, 2, "//") == 0) {
      const size_t end = find("\n", i);
      take(TokenKind::kComment, i + 2, end);
      skip_to(end);
    } else if (text.compare(i, 2, "/*") == 0) {
      const size_t end = find("*/", i + 2);
      take(TokenKind::kComment, i + 2, end);
      skip_to(std::min(end + 2, text.size()));
    } else if (text.compare(i, 2, "R\"") == 0) {
      const size_t open = find("(", i);
      const std::string closing = ")" + text.substr(i + 2, open - i - 2) + "\"";
      const size_t end = find(closing, open);
      take(TokenKind::kString, std::min(open + 1, end), end);
      skip_to(std::min(end + closing.size(), text.size()));
    } else if (c == '"' || c == '\'') {
      size_t end = i + 1;
      while (end < text.size() && text[end] != c && text[end] != '\n') end += text[end] == '\\' ? 2 : 1;
      end = std::min(end, text.size());
      if (c == '"') take(TokenKind::kString, i + 1, end);
      skip_to(std::min(end + 1, text.size()));
    } else if (c == '#' && text.compare(i, 8, "#include") == 0) {
      skip_to(find("\n", i));
    } else if (is_word(c)) {
      size_t end = i;
      // Digit separators are part of a number and open no character literal.
      const bool number = std::isdigit(static_cast<unsigned char>(c));
      while (end < text.size() && (is_word(text[end]) || (number && text[end] == '\''))) ++end;
      if (!number) take(TokenKind::kIdentifier, i, end);
      skip_to(end);
    } else {
      skip_to(i + 1);
    }
  }
  return tokens;
}

std::vector<std::string> words_of(const std::string& text) {
  std::vector<std::string> words;
  std::string word;
  for (const char c : text + ' ') {
    if (std::isalnum(static_cast<unsigned char>(c))) {
      word += c;
    } else if (!word.empty()) {
      words.push_back(word);
      word.clear();
    }
  }
  return words;
}

}  // namespace tlm::structure
