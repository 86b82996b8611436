#include "tlm/lm/decoding/parameters.h"

#include <charconv>
#include <cmath>
#include <limits>

#include "tlm/core/error.h"

namespace tlm::lm {
namespace {

constexpr int kMostSentences = 4096;  // of one prompt at a time

[[noreturn]] void refuse(const std::string& what, const std::string& hint = {}) {
  throw Error(ErrorCode::kUsage, what, "", hint);
}

std::string plain(double v) {
  char text[32];
  const auto end = std::to_chars(text, text + sizeof text, v).ptr;
  return std::string(text, end);
}

template <typename Number>
Number parse(const std::string& name, const std::string& text, Number low, Number high) {
  Number value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool whole = std::numeric_limits<Number>::is_integer;
  if (error != std::errc() || end != text.data() + text.size() || !(value >= low && value <= high))
    refuse(name + " is '" + text + "'", std::string(whole ? "a whole number" : "a number") + " from " +
                                            plain(static_cast<double>(low)) + " to " + plain(static_cast<double>(high)));
  return value;
}

}  // namespace

Parameters::Parameters(const std::string& text, int sentences) : sentences_(sentences) {
  for (size_t begin = 0; begin < text.size();) {
    const size_t end = std::min(text.find(',', begin), text.size());
    const std::string item = text.substr(begin, end - begin);
    begin = end + 1;
    const size_t equals = item.find('=');
    if (equals == std::string::npos || equals == 0)
      refuse("'" + item + "' is no parameter of a decoding strategy", "write NAME=VALUE, separated by commas");
    if (!values_.emplace(item.substr(0, equals), item.substr(equals + 1)).second)
      refuse("parameter '" + item.substr(0, equals) + "' is given twice");
  }
}

const std::string* Parameters::find(const std::string& name) {
  known_.insert(name);
  const auto it = values_.find(name);
  return it == values_.end() ? nullptr : &it->second;
}

double Parameters::number(const std::string& name, double otherwise, double low, double high) {
  const std::string* text = find(name);
  return text ? parse(name, *text, low, high) : otherwise;
}

int Parameters::whole(const std::string& name, int otherwise, int low, int high) {
  const std::string* text = find(name);
  return text ? parse(name, *text, low, high) : otherwise;
}

int Parameters::sentences(const std::string& name, int otherwise) {
  return whole(name, sentences_ > 0 ? std::min(sentences_, kMostSentences) : otherwise, 1, kMostSentences);
}

std::string Parameters::text(const std::string& name, const std::string& otherwise) {
  const std::string* text = find(name);
  return text ? *text : otherwise;
}

Parameters Parameters::take_rest() {
  Parameters rest;
  rest.sentences_ = sentences_;
  for (auto it = values_.begin(); it != values_.end();) {
    if (known_.contains(it->first)) {
      ++it;
    } else {
      rest.values_.insert(values_.extract(it++));
    }
  }
  return rest;
}

void Parameters::check_all_known() const {
  for (const auto& [name, value] : values_) {
    if (known_.contains(name)) continue;
    std::string names;
    for (const std::string& n : known_) names += (names.empty() ? "" : ", ") + n;
    refuse("the strategy has no parameter '" + name + "'", names.empty() ? "it has none" : "it has: " + names);
  }
}

}  // namespace tlm::lm
