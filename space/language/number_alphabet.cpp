#include "tlm/space/language/number_alphabet.h"

#include <bit>

#include "tlm/core/error.h"

namespace tlm::space {
namespace {

constexpr int kSmall = 16;      // numbers with a token of their own
constexpr int kMinBits = 5, kMaxBits = 63;
constexpr int kAxes = 16;       // axes with a token of their own
constexpr char kHex[] = "0123456789abcdef";

struct Alphabet {
  Token small, bits, hex, zero, minus, axis, more_axis, none;
  Alphabet() {
    const Vocabulary& v = Vocabulary::standard();
    small = v.token("0"), bits = v.token("b5"), hex = v.token("x0"), zero = v.token("z"), minus = v.token("-");
    axis = v.token("a0"), more_axis = v.token("axis"), none = v.token("none");
  }
};

const Alphabet& alphabet() {
  static const Alphabet a;
  return a;
}

[[noreturn]] void no_number(const std::vector<Token>& tokens, size_t at, const char* what) {
  throw Error(ErrorCode::kUsage, std::string("no ") + what + " here: " + (at < tokens.size() ? Vocabulary::standard().word(tokens[at]) : "the sentence ends"),
              "word " + std::to_string(at + 1));
}

}  // namespace

std::vector<std::string> number_words() {
  std::vector<std::string> words;
  for (int i = 0; i < kSmall; ++i) words.push_back(std::to_string(i));
  for (int b = kMinBits; b <= kMaxBits; ++b) words.push_back("b" + std::to_string(b));
  for (int i = 0; i < 16; ++i) words.push_back(std::string("x") + kHex[i]);
  words.push_back("z");
  words.push_back("-");
  return words;
}

std::vector<std::string> axis_words() {
  std::vector<std::string> words;
  for (int i = 0; i < kAxes; ++i) words.push_back("a" + std::to_string(i));
  words.push_back("axis");
  return words;
}

void append_number(std::vector<Token>& out, int64_t n) {
  const Alphabet& a = alphabet();
  TLM_CHECK(n != INT64_MIN);
  if (n < 0) {
    out.push_back(a.minus);
    n = -n;
  }
  if (n < kSmall) {
    out.push_back(a.small + static_cast<Token>(n));
    return;
  }
  const int bits = std::bit_width(static_cast<uint64_t>(n));
  out.push_back(a.bits + bits - kMinBits);
  uint64_t rest = static_cast<uint64_t>(n) << (64 - bits) << 1;  // bits below the leading one, left-aligned
  for (int left = bits - 1; left > 0; left -= 4, rest <<= 4) {
    if (rest == 0) {
      out.push_back(a.zero);
      return;
    }
    out.push_back(a.hex + static_cast<Token>(rest >> 60));
  }
}

int64_t read_number(const std::vector<Token>& tokens, size_t& at) {
  const Alphabet& a = alphabet();
  const size_t begin = at;
  const auto next = [&]() -> Token { return at < tokens.size() ? tokens[at++] : -1; };
  Token t = next();
  const bool negative = t == a.minus;
  if (negative) t = next();
  if (t >= a.small && t < a.small + kSmall) {
    if (negative && t == a.small) no_number(tokens, begin, "number");
    return negative ? a.small - t : t - a.small;
  }
  if (t < a.bits || t > a.bits + kMaxBits - kMinBits) no_number(tokens, begin, "number");
  const int bits = t - a.bits + kMinBits;
  uint64_t n = uint64_t{1} << (bits - 1);
  for (int left = bits - 1; left > 0; left -= 4) {
    t = next();
    if (t == a.zero) break;
    if (t < a.hex || t >= a.hex + 16) no_number(tokens, begin, "number");
    const auto digit = static_cast<uint64_t>(t - a.hex);
    n |= left >= 4 ? digit << (left - 4) : digit >> (4 - left);
  }
  return negative ? -static_cast<int64_t>(n) : static_cast<int64_t>(n);
}

void append_axis(std::vector<Token>& out, int axis) {
  const Alphabet& a = alphabet();
  if (axis < 0) {
    out.push_back(a.none);
  } else if (axis < kAxes) {
    out.push_back(a.axis + axis);
  } else {
    out.push_back(a.more_axis);
    append_number(out, axis);
  }
}

int read_axis(const std::vector<Token>& tokens, size_t& at) {
  const Alphabet& a = alphabet();
  const size_t begin = at;
  const Token t = at < tokens.size() ? tokens[at++] : -1;
  if (t == a.none) return -1;
  if (t >= a.axis && t < a.axis + kAxes) return t - a.axis;
  if (t != a.more_axis) no_number(tokens, begin, "axis");
  return static_cast<int>(read_number(tokens, at));
}

}  // namespace tlm::space
