#include "tlm/ir/tensor/line_reader.h"

#include <charconv>

#include "tlm/core/error.h"
#include "tlm/ir/tensor/expr_syntax.h"
#include "tlm/ir/tensor/scalar.h"

namespace tlm::ir {
namespace {

constexpr int kPrimary = 6;  // above every infix precedence
constexpr int kMaxDepth = 500;  // of nested parentheses and arguments

Expr raw(ExprNode n) { return Expr(std::make_shared<const ExprNode>(std::move(n))); }

}  // namespace

void LineReader::fail(const std::string& what) {
  throw Error(ErrorCode::kBadModel, what, "line " + std::to_string(line_) + ", column " + std::to_string(at_ + 1));
}

void LineReader::skip_space() {
  while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t' || text_[at_] == '\r')) ++at_;
}

bool LineReader::at_end() {
  skip_space();
  return at_ == text_.size();
}

std::string_view LineReader::peek_word() {
  skip_space();
  size_t end = at_;
  while (end < text_.size() && is_word_char(text_[end])) ++end;
  return text_.substr(at_, end - at_);
}

bool LineReader::accept(std::string_view symbol) {
  skip_space();
  if (is_word_char(symbol[0]) ? peek_word() != symbol : !text_.substr(at_).starts_with(symbol)) return false;
  at_ += symbol.size();
  return true;
}

void LineReader::expect(std::string_view symbol) {
  if (!accept(symbol)) fail("expected `" + std::string(symbol) + "`");
}

std::string LineReader::word() {
  const std::string_view w = peek_word();
  if (w.empty() || is_digit(w[0])) fail("expected a name");
  at_ += w.size();
  return std::string(w);
}

bool LineReader::next_is_quote() {
  skip_space();
  return at_ < text_.size() && text_[at_] == '"';
}

std::string LineReader::quoted() {
  expect("\"");
  std::string out;
  auto hex = [&](char c) {
    if (is_digit(c)) return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    fail("a hexadecimal digit was expected");
  };
  for (;; ++at_) {
    if (at_ >= text_.size()) fail("text without closing quote");
    char c = text_[at_];
    if (c == '"') break;
    if (c == '\\') {
      if (++at_ >= text_.size()) fail("text without closing quote");
      c = text_[at_];
      if (c == 'x') {
        if (at_ + 2 >= text_.size()) fail("text without closing quote");
        c = static_cast<char>(hex(text_[at_ + 1]) * 16 + hex(text_[at_ + 2]));
        at_ += 2;
      } else if (c != '"' && c != '\\') {
        fail("unknown escape");
      }
    }
    out += c;
  }
  ++at_;
  return out;
}

int64_t LineReader::integer() {
  skip_space();
  int64_t v = 0;
  const auto [end, error] = std::from_chars(text_.data() + at_, text_.data() + text_.size(), v);
  if (error != std::errc()) fail("expected an integer");
  at_ = static_cast<size_t>(end - text_.data());
  return v;
}

std::vector<int64_t> LineReader::integers() {
  std::vector<int64_t> v;
  expect("[");
  if (accept("]")) return v;
  do v.push_back(integer());
  while (accept(","));
  expect("]");
  return v;
}

DType LineReader::literal_type(DType plain) {
  if (at_ >= text_.size() || text_[at_] != ':') return plain;
  ++at_;
  const std::string w = word();
  const auto t = parse_dtype(w);
  if (!t || *t == DType::kBool) fail("`" + w + "` is not the type of a number");
  return *t;
}

// [-]digits, or a float: with point or exponent, inf, nan.
Expr LineReader::number() {
  const size_t start = at_;
  if (text_[at_] == '-') ++at_;
  const std::string_view w = peek_word();
  bool is_float_text = w == "inf" || w == "nan";
  size_t end = at_;
  if (is_float_text) {
    end += w.size();
  } else {
    while (end < text_.size() && (is_digit(text_[end]) || text_[end] == '.' || text_[end] == 'e' ||
                                  ((text_[end] == '-' || text_[end] == '+') && text_[end - 1] == 'e'))) {
      is_float_text = is_float_text || text_[end] == '.' || text_[end] == 'e';
      ++end;
    }
  }
  const char* first = text_.data() + start;
  const char* last = text_.data() + end;
  if (is_float_text) {
    double v = 0;
    const auto [stop, error] = std::from_chars(first, last, v);
    if (error != std::errc() || stop != last) fail("malformed number");
    at_ = end;
    const DType t = literal_type(DType::kF32);
    if (!is_float(t)) fail("a number with a point needs a float type");
    return make_float(v, t);
  }
  int64_t v = 0;
  auto [stop, error] = std::from_chars(first, last, v);
  bool unsigned_only = false;
  if (error == std::errc::result_out_of_range && *first != '-') {
    uint64_t u = 0;
    const auto r = std::from_chars(first, last, u);
    stop = r.ptr, error = r.ec, v = static_cast<int64_t>(u), unsigned_only = true;
  }
  if (error != std::errc() || stop != last || first == last) fail("malformed number");
  at_ = end;
  const DType t = literal_type(DType::kI64);
  if (is_float(t)) fail("a number without a point needs an integer type");
  if ((unsigned_only && t != DType::kU64) || wrap_int(v, t) != v || (v < 0 && !unsigned_only && t == DType::kU64))
    fail("the number does not fit " + std::string(dtype_name(t)));
  return make_int(v, t);
}

std::vector<Expr> LineReader::arguments(const ExprScope& scope, char close) {
  std::vector<Expr> args;
  const std::string_view end(&close, 1);
  if (accept(end)) return args;
  do args.push_back(binary(scope, 1));
  while (accept(","));
  expect(end);
  return args;
}

// Builds the node as it stands (builders would fold it), after checking its types.
Expr LineReader::checked(Op op, std::vector<Expr> args) {
  if (op_arity(op) != static_cast<int>(args.size()))
    fail(std::string(op_name(op)) + " takes " + std::to_string(op_arity(op)) + " arguments, not " + std::to_string(args.size()));
  const size_t first = op == Op::kSelect ? 1 : 0;
  if (first == 1 && args[0]->dtype != DType::kBool) fail("the condition of select is not bool");
  const DType t = args[first]->dtype;
  for (size_t i = first; i < args.size(); ++i)
    if (args[i]->dtype != t)
      fail(std::string(op_name(op)) + " of " + std::string(dtype_name(t)) + " and " + std::string(dtype_name(args[i]->dtype)));
  if ((op == Op::kAnd || op == Op::kOr || op == Op::kNot) && t != DType::kBool) fail(std::string(op_name(op)) + " of numbers");
  ExprNode n;
  n.op = op;
  n.dtype = result_type(op, t);
  n.args = std::move(args);
  return raw(std::move(n));
}

Expr LineReader::primary(const ExprScope& scope) {
  if (++depth_ > kMaxDepth) fail("expression nested too deeply");
  struct Leave {
    int& depth;
    ~Leave() { --depth; }
  } leave{depth_};
  if (at_end()) fail("expected an expression");
  if (accept("(")) {
    Expr e = binary(scope, 1);
    expect(")");
    return e;
  }
  const std::string_view w = peek_word();
  if (text_[at_] == '-' || w == "inf" || w == "nan" || (!w.empty() && is_digit(w[0]))) return number();
  if (accept("true")) return make_int(1, DType::kBool);
  if (accept("false")) return make_int(0, DType::kBool);
  const std::string name = word();
  if (accept("(")) {
    std::vector<Expr> args = arguments(scope, ')');
    if (auto t = parse_dtype(name)) {
      if (args.size() != 1) fail("a cast takes one argument");
      ExprNode n;
      n.op = Op::kCast;
      n.dtype = *t;
      n.args = std::move(args);
      return raw(std::move(n));
    }
    const auto op = parse_op(name);
    if (!op || *op < Op::kAdd || *op == Op::kCast) fail("`" + name + "` is not a function");
    return checked(*op, std::move(args));
  }
  if (accept("[")) {
    const auto t = scope.tensors.find(name);
    if (t == scope.tensors.end()) fail("`" + name + "` is not a tensor");
    std::vector<Expr> args = arguments(scope, ']');
    for (const Expr& a : args)
      if (a->dtype != DType::kI64) fail("an index of type " + std::string(dtype_name(a->dtype)));
    return make_load(t->second, scope.tensor_types[static_cast<size_t>(t->second)], std::move(args));
  }
  if (const auto v = scope.vars.find(name); v != scope.vars.end()) return make_var(v->second);
  if (const int n = acc_number(name); n >= 0) {
    if (n >= static_cast<int>(scope.acc_types.size())) fail("`" + name + "`: there is no such accumulator here");
    return make_acc(n, scope.acc_types[static_cast<size_t>(n)]);
  }
  fail("`" + name + "` is not known here");
}

Expr LineReader::binary(const ExprScope& scope, int lowest) {
  Expr left = primary(scope);
  for (;;) {
    skip_space();
    const Infix* found = nullptr;
    for (const Infix& i : kInfix)
      if (text_.substr(at_).starts_with(i.text)) {
        found = &i;
        break;
      }
    if (!found || found->precedence < lowest) return left;
    at_ += found->text.size();
    const int right = found->precedence + 1;
    const Expr operand = right >= kPrimary ? primary(scope) : binary(scope, right);
    if (found->op == Op::kSub && operand->op == Op::kInt && is_signed_int(operand->dtype) && operand->ival > 0) {
      left = checked(Op::kAdd, {left, make_int(-operand->ival, operand->dtype)});
    } else {
      left = checked(found->op, {left, operand});
    }
  }
}

Expr LineReader::expression(const ExprScope& scope) { return binary(scope, 1); }

}  // namespace tlm::ir
