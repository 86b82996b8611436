#include "tlm/ir/tensor/expr_text.h"

#include <array>
#include <charconv>
#include <cmath>

#include "tlm/core/error.h"
#include "tlm/ir/tensor/scalar.h"

namespace tlm::ir {
namespace {

struct Infix {
  Op op;
  std::string_view text;
  int precedence;
};
// Longer symbols first: the reader takes the first that fits.
constexpr Infix kInfix[] = {
    {Op::kOr, "||", 1},  {Op::kAnd, "&&", 2}, {Op::kEq, "==", 3}, {Op::kNe, "!=", 3},       {Op::kLe, "<=", 3},
    {Op::kLt, "<", 3},   {Op::kAdd, "+", 4},  {Op::kSub, "-", 4}, {Op::kFloorDiv, "//", 5}, {Op::kMul, "*", 5},
    {Op::kDiv, "/", 5},  {Op::kFloorMod, "%", 5},
};
constexpr int kPrimary = 6;
constexpr int kMaxDepth = 2000;

const Infix* find_infix(Op op) {
  for (const Infix& i : kInfix)
    if (i.op == op) return &i;
  return nullptr;
}

bool is_word_char(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '.';
}
bool is_digit(char c) { return c >= '0' && c <= '9'; }

// x + -3 is printed as x - 3, which is what that is read as; so a true difference with a literal (builders make none) is sub(x, 3).
bool has_minus(const Expr& e) {
  return e->op == Op::kInt && is_signed_int(e->dtype) && e->ival < 0 && e->ival != INT64_MIN &&
         wrap_int(-e->ival, e->dtype) == -e->ival;
}
bool is_literal_difference(const Expr& e) { return e->op == Op::kSub && e->args[1]->op == Op::kInt; }

std::string float_text(double v) {
  if (std::isnan(v)) return "nan";
  if (std::isinf(v)) return v > 0 ? "inf" : "-inf";
  std::array<char, 40> buffer;
  auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), v).ptr;
  std::string s(buffer.data(), end);
  if (s.find_first_of(".e") == std::string::npos) s += ".0";
  return s;
}

class Printer {
 public:
  Printer(const ExprNames& names, std::string& out) : names_(names), out_(out) {}

  void print(const Expr& e, int context = 0) {
    if (const Infix* i = find_infix(e->op); i && !is_literal_difference(e)) {
      const bool parens = i->precedence < context;
      if (parens) out_ += '(';
      const bool comparison = i->precedence == 3;  // does not chain
      print(e->args[0], comparison ? 4 : i->precedence);
      if (e->op == Op::kAdd && has_minus(e->args[1])) {
        out_ += " - ";
        print(make_int(-e->args[1]->ival, e->dtype));
      } else {
        const std::string_view space = i->op == Op::kMul ? "" : " ";
        ((out_ += space) += i->text) += space;
        print(e->args[1], i->precedence + 1);
      }
      if (parens) out_ += ')';
      return;
    }
    switch (e->op) {
      case Op::kInt:
        if (e->dtype == DType::kBool) {
          out_ += e->ival ? "true" : "false";
        } else {
          out_ += e->dtype == DType::kU64 ? std::to_string(static_cast<uint64_t>(e->ival)) : std::to_string(e->ival);
          if (e->dtype != DType::kI64) suffix(e->dtype);
        }
        return;
      case Op::kFloat:
        out_ += float_text(e->fval);
        if (e->dtype != DType::kF32) suffix(e->dtype);
        return;
      case Op::kVar: out_ += names_.var(e->id); return;
      case Op::kLocal: out_ += names_.local(e->id); return;
      case Op::kAcc: out_ += "acc" + std::to_string(e->id); return;
      case Op::kLoad:
        out_ += names_.tensor(e->id);
        list('[', e->args, ']');
        if (e->lanes > 1 && e->ival) out_ += "{" + std::to_string(e->ival) + "}";
        return;
      case Op::kCast:
        out_ += dtype_name(e->dtype);
        list('(', e->args, ')');
        return;
      case Op::kRamp:
        out_ += "ramp(";
        print(e->args[0]);
        out_ += ", " + std::to_string(e->ival) + ", " + std::to_string(e->lanes) + ")";
        return;
      case Op::kLane:
        out_ += "lane(";
        print(e->args[0]);
        out_ += ", " + std::to_string(e->ival) + ")";
        return;
      default:
        out_ += op_name(e->op);
        list('(', e->args, ')');
    }
  }

 private:
  void suffix(DType t) { (out_ += ':') += dtype_name(t); }
  void list(char open, const std::vector<Expr>& args, char close) {
    out_ += open;
    for (size_t i = 0; i < args.size(); ++i) {
      if (i) out_ += ", ";
      print(args[i]);
    }
    out_ += close;
  }

  const ExprNames& names_;
  std::string& out_;
};

Expr raw(ExprNode n) { return Expr(std::make_shared<const ExprNode>(std::move(n))); }

// "acc12" → 12, else -1.
int acc_number(std::string_view w) {
  if (!w.starts_with("acc") || w.size() < 4 || w.size() > 9) return -1;
  int n = 0;
  for (char c : w.substr(3)) {
    if (!is_digit(c)) return -1;
    n = n * 10 + (c - '0');
  }
  return n;
}

}  // namespace

std::string print(const Expr& e, const ExprNames& names) {
  std::string out;
  Printer(names, out).print(e);
  return out;
}

bool is_plain_name(std::string_view name) {
  if (name.empty() || is_digit(name[0]) || name[0] == '.') return false;
  for (char c : name)
    if (!is_word_char(c)) return false;
  if (name == "inf" || name == "nan" || name == "true" || name == "false" || acc_number(name) >= 0) return false;
  return !parse_op(std::string(name)) && !parse_dtype(name);
}

std::string quote(std::string_view text) {
  constexpr char kHex[] = "0123456789abcdef";
  std::string out = "\"";
  for (char c : text) {
    const auto u = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      (out += '\\') += c;
    } else if (u < 0x20 || u == 0x7f) {
      ((out += "\\x") += kHex[u >> 4]) += kHex[u & 15];
    } else {
      out += c;
    }
  }
  return out += '"';
}

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
