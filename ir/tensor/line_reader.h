// Reads the text form of expressions and declarations, line by line.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "tlm/ir/tensor/expr.h"

namespace tlm::ir {

// What a name in an expression may stand for. acc types are those of acc0, acc1, …
struct ExprScope {
  std::map<std::string, int, std::less<>> vars, tensors;
  std::vector<DType> tensor_types;
  std::vector<DType> acc_types;
};

// Reads one line from left to right. Every failure throws Error(kBadModel) with the line number.
class LineReader {
 public:
  LineReader(std::string_view line, int number) : text_(line), line_(number) {}

  bool at_end();
  bool accept(std::string_view symbol);  // a word or punctuation, if it is next
  void expect(std::string_view symbol);
  std::string word();  // an identifier
  int64_t integer();
  std::vector<int64_t> integers();  // [1,2,3]
  bool next_is_quote();
  std::string quoted();
  Expr expression(const ExprScope& scope);
  [[noreturn]] void fail(const std::string& what);

 private:
  void skip_space();
  std::string_view peek_word();
  Expr binary(const ExprScope& scope, int lowest);
  Expr primary(const ExprScope& scope);
  Expr number();
  DType literal_type(DType plain);
  std::vector<Expr> arguments(const ExprScope& scope, char close);
  Expr checked(Op op, std::vector<Expr> args);

  std::string_view text_;
  size_t at_ = 0;
  int line_;
  int depth_ = 0;
};

}  // namespace tlm::ir
