// Candidates as text: what schedules print and people edit.
#include <algorithm>
#include <cctype>

#include "tlm/core/error.h"
#include "tlm/ir/tensor/subgraph.h"
#include "tlm/space/decision.h"
#include "tlm/space/plan.h"
#include "tlm/space/rules/algorithm.h"

namespace tlm::space {
namespace {

// "none" or "ow:6 oh:2" from pairs [axis or -1, points].
std::string tiles_text(const Choice& c, size_t first, const std::vector<std::string>& axes) {
  std::string out;
  for (size_t i = first; i + 1 < c.size(); i += 2) {
    if (c[i] < 0) continue;
    if (!out.empty()) out += ' ';
    out += axes.at(c[i]) + ":" + std::to_string(c[i + 1]);
  }
  return out;
}

std::string permutation_text(const Choice& c, const std::vector<std::string>& axes) {
  std::string out;
  for (int64_t axis : c) out += (out.empty() ? "" : ",") + axes.at(axis);
  return out;
}

bool is_identifier(const std::string& s) {
  if (s.empty() || !(std::isalpha(static_cast<unsigned char>(s[0])) || s[0] == '_')) return false;
  return std::all_of(s.begin(), s.end(), [](unsigned char ch) { return std::isalnum(ch) || ch == '_'; });
}

}  // namespace

const char* kind_name(DecisionKind kind) {
  switch (kind) {
#define X(name, text) \
  case DecisionKind::name: return text;
    TLM_DECISION_KINDS(X)
#undef X
  }
  TLM_CHECK(false) << "decision kind " << static_cast<int>(kind);
  return "";
}

std::string choice_text(const Decision& d, const Choice& c, const std::vector<std::string>& axes) {
  static const char* const kAttachText[] = {"root", "inline", "epilogue"};
  static const char* const kTailText[] = {"peeled", "balanced", "shifted"};
  std::string out;
  switch (d.kind) {
    case DecisionKind::kAlgorithm: return algorithm_text(c);
    case DecisionKind::kAttach: return kAttachText[c.at(0)];
    case DecisionKind::kMicro:
      if (c.at(0) >= 0) out = axes.at(c[0]) + ":" + std::to_string(c[2]) + "x" + std::to_string(c[1]);
      if (std::string tiles = tiles_text(c, 3, axes); !tiles.empty()) out += (out.empty() ? "" : " ") + tiles;
      break;
    case DecisionKind::kUnroll: out = tiles_text(c, 0, axes); break;
    case DecisionKind::kTile: out = c.at(0) == 0 ? "" : std::to_string(c[0]); break;
    case DecisionKind::kTail: return kTailText[c.at(0)];
    case DecisionKind::kOrder:
    case DecisionKind::kInner:
    case DecisionKind::kReduce: out = permutation_text(c, axes); break;
    case DecisionKind::kPack: return c.at(0) == 0 ? "rows" : "panels";
    case DecisionKind::kPrefetch: return c.at(0) == 0 ? "none" : "panels";
    case DecisionKind::kParallel:
      if (c.at(0) == 0) return "serial";
      return "loops:" + std::to_string(c[0]) + " grain:" + std::to_string(c.at(1));
  }
  return out.empty() ? "none" : out;
}

int parse_choice(const Decision& d, const std::string& text, const std::vector<std::string>& axes) {
  for (size_t i = 0; i < d.candidates.size(); ++i) {
    if (choice_text(d, d.candidates[i], axes) == text) return static_cast<int>(i);
  }
  return -1;
}

std::vector<std::string> axis_names(const Decision& d, const ir::Subgraph& g) {
  if (d.kind == DecisionKind::kAlgorithm) return {};
  return axis_names(g.stages.at(static_cast<size_t>(d.stage)));
}

std::vector<std::string> axis_names(const ir::Stage& s) {
  std::vector<std::string> names;
  bool usable = true;
  for (const ir::Axis& a : s.axes) {
    usable = usable && is_identifier(a.name) && std::find(names.begin(), names.end(), a.name) == names.end();
    names.push_back(a.name);
  }
  if (!usable) {
    for (size_t i = 0; i < names.size(); ++i) names[i] = "a" + std::to_string(i);
  }
  return names;
}

}  // namespace tlm::space
