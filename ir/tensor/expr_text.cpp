#include "tlm/ir/tensor/expr_text.h"

#include <array>
#include <charconv>
#include <cmath>

#include "tlm/ir/tensor/expr_syntax.h"
#include "tlm/ir/tensor/scalar.h"

namespace tlm::ir {
namespace {

// x + -3 is printed as x - 3, which is what that is read as; so a true difference with a literal (builders make none) is
// sub(x, 3).
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
      default: out_ += op_name(e->op); list('(', e->args, ')');
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

}  // namespace tlm::ir
