#include "tlm/lm/training/dataset.h"

#include <algorithm>

#include "tlm/core/error.h"
#include "tlm/core/hash.h"
#include "tlm/space/language/grammar.h"
#include "tlm/space/language/sentence.h"

namespace tlm::lm {

using space::Token;

int64_t Dataset::programs() const {
  int64_t n = 0;
  for (const PromptGroup& g : groups) n += static_cast<int64_t>(g.programs.size());
  return n;
}

uint64_t Dataset::fingerprint() const {
  Hasher h;
  for (const PromptGroup& g : groups) {
    for (const auto* prompt : {&g.prompt, &g.blind_prompt}) {
      h.number(static_cast<int64_t>(prompt->size()));
      h.bytes(prompt->data(), prompt->size() * sizeof(Token));
    }
    h.number(static_cast<int64_t>(g.programs.size()));
    for (const TrainingSentence& s : g.programs) h.number(s.count).bytes(&s.gap, sizeof s.gap).number(s.slow);
  }
  h.bytes(tokens_.data(), tokens_.size() * sizeof(uint16_t)).bytes(legal_.data(), legal_.size() * sizeof(int32_t));
  for (const auto& set : legal_sets) {
    h.number(static_cast<int64_t>(set.size()));
    h.bytes(set.data(), set.size() * sizeof(Token));
  }
  return h.value();
}

std::vector<int32_t> Dataset::ids_of(std::vector<std::vector<Token>> sets) {
  std::vector<int32_t> ids;
  for (auto& set : sets) {
    const auto [at, fresh] = set_ids_.try_emplace(set, static_cast<int32_t>(legal_sets.size()));
    if (fresh) legal_sets.push_back(std::move(set));
    ids.push_back(at->second);
  }
  return ids;
}

void Dataset::append(std::span<const uint16_t> tokens, std::span<const int32_t> legal, const std::vector<int32_t>& ids,
                     std::vector<PromptGroup> added) {
  const auto base = tokens_.size();
  TLM_CHECK(base + tokens.size() <= UINT32_MAX);
  tokens_.insert(tokens_.end(), tokens.begin(), tokens.end());
  for (const int32_t id : legal) legal_.push_back(id == kForced ? kForced : ids[static_cast<size_t>(id)]);
  for (PromptGroup& g : added) {
    for (TrainingSentence& s : g.programs) s.first += static_cast<uint32_t>(base);
    groups.push_back(std::move(g));
  }
}

void Dataset::add(Piece piece) {
  std::vector<PromptGroup> group;
  group.push_back(std::move(piece.group));
  append(piece.tokens, piece.legal, ids_of(std::move(piece.legal_sets)), std::move(group));
}

void Dataset::add(Dataset other) {
  append(other.tokens_, other.legal_, ids_of(std::move(other.legal_sets)), std::move(other.groups));
}

void append_sentences(Dataset::Piece& piece, const std::vector<space::Walk>& walks) {
  std::map<std::vector<Token>, int32_t> ids;
  for (size_t i = 0; i < piece.legal_sets.size(); ++i) ids[piece.legal_sets[i]] = static_cast<int32_t>(i);
  // The state before each token of the sentence before, and what was legal there: what two sentences have in common is walked
  // once.
  std::vector<space::Grammar> states;
  std::vector<int32_t> legal;
  std::vector<Token> before;
  for (const space::Walk& walk : walks) {
    const std::vector<Token> tokens = space::decision_tokens(walk);
    size_t common = 0;
    while (common < before.size() && common < tokens.size() && before[common] == tokens[common]) ++common;
    if (states.empty()) states.emplace_back(walk.space().walk());
    common = std::min(common, states.size() - 1);
    states.resize(common + 1, states.front());
    legal.resize(common);
    for (size_t i = common; i < tokens.size(); ++i) {
      space::Grammar state = states.back();
      int32_t id = Dataset::kForced;
      if (!state.forced()) {
        std::vector<Token> allowed = state.allowed();
        const auto [at, fresh] = ids.try_emplace(allowed, static_cast<int32_t>(piece.legal_sets.size()));
        if (fresh) piece.legal_sets.push_back(std::move(allowed));
        id = at->second;
      }
      legal.push_back(id);
      state.advance(tokens[i]);
      states.push_back(std::move(state));
    }
    piece.group.programs.push_back({static_cast<uint32_t>(piece.tokens.size()), static_cast<uint32_t>(tokens.size()), 0, false});
    for (const Token t : tokens) piece.tokens.push_back(static_cast<uint16_t>(t));
    piece.legal.insert(piece.legal.end(), legal.begin(), legal.end());
    before = tokens;
  }
}

std::string plain_variant(const Target& t) {
  std::string text = t.arch;
  for (const char* feature : {"sse4_2", "avx", "avx2", "avx512f"})
    if (t.has(feature)) text = feature;
  if (t.fma) text += "+fma";
  if (t.vector_registers != 16 && t.vector_registers != 32) text += ", " + std::to_string(t.vector_registers) + " registers";
  return text + (t.cores == 1 ? ", 1 core" : ", " + std::to_string(t.cores) + " cores");
}

}  // namespace tlm::lm
