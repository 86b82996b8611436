// A language small enough to list: strategies run on it without a model.
#pragma once

#include <cmath>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "tlm/core/hash.h"
#include "tlm/lm/decoding/strategy.h"

namespace tlm::lm::test {

// Probabilities of the next letter ('a', 'b', …) after a prefix; empty: the word ends here.
using Toy = std::function<std::vector<double>(const std::string& prefix)>;

// Words of one to three letters; the letters' probabilities differ everywhere.
inline std::vector<double> three_letters(const std::string& prefix) {
  if (prefix == "") return {0.5, 0.3, 0.2};
  if (prefix == "c") return {};
  if (prefix == "a") return {0.1, 0.9};
  if (prefix == "b") return {0.25, 0.35, 0.4};
  if (prefix == "ab") return {0.6, 0.4};
  return {};
}

struct Written {
  std::string word;
  double log_probability;
  double score;
  int branch;
};

// Runs a strategy as the decoder does.
inline std::vector<Written> write(const Toy& toy, const Strategy& strategy, uint64_t seed, uint64_t workload = 1) {
  struct Node {
    std::string word;
    double log_probability = 0;
    std::vector<space::Token> allowed;
    std::vector<double> log_probabilities;
    Continuation from;
  };
  const auto open = [&](Node& node) {
    for (const double p : toy(node.word)) {
      node.allowed.push_back(static_cast<space::Token>(node.allowed.size()));
      node.log_probabilities.push_back(std::log(p));
    }
  };
  std::vector<Node> nodes(1);
  open(nodes[0]);
  for (int step = 0;; ++step) {
    bool finished = true;
    std::vector<Hypothesis> hypotheses;
    for (const Node& n : nodes) {
      hypotheses.push_back({n.allowed, n.log_probabilities, n.log_probability, Hasher().text(n.word).value(), n.from.score,
                            n.from.log_weight, n.from.branch});
      finished = finished && n.allowed.empty();
    }
    if (finished) break;
    std::vector<Node> next;
    for (const Continuation& c : strategy.next({seed, workload, step}, hypotheses)) {
      const Node& parent = nodes.at(static_cast<size_t>(c.parent));
      Node node = parent;
      node.from = c;
      if (!parent.allowed.empty()) {
        node.word += static_cast<char>('a' + c.choice);
        node.log_probability += parent.log_probabilities.at(static_cast<size_t>(c.choice));
        node.allowed.clear();
        node.log_probabilities.clear();
        open(node);
      }
      next.push_back(std::move(node));
    }
    nodes = std::move(next);
  }
  std::vector<Written> out;
  for (const Node& n : nodes) out.push_back({n.word, n.log_probability, n.from.score, n.from.branch});
  return out;
}

// Every word with its probability.
inline std::map<std::string, double> all_words(const Toy& toy, const std::string& prefix = "", double p = 1) {
  const std::vector<double> next = toy(prefix);
  if (next.empty()) return {{prefix, p}};
  std::map<std::string, double> words;
  for (size_t i = 0; i < next.size(); ++i) words.merge(all_words(toy, prefix + static_cast<char>('a' + i), p * next[i]));
  return words;
}

}  // namespace tlm::lm::test
