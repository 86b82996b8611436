// How prompts are written for a model: a part of its checkpoint, so that it reads at compile time what it was trained on.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tlm/core/rng.h"
#include "tlm/space/language/vocabulary.h"
#include "tlm/space/space.h"

namespace tlm::lm {

struct PromptForm {
  // What is withheld; one word `unknown` stands for each number or flag. Numerics (fast, strict) are no property of the hardware
  // and numbers of axes (`axis 17`) are names: both stay.
  enum class Blind : uint8_t {
    kNothing,
    kExtents,  // every number after <subgraph>; an extent and its divisors are one `unknown`
    kTarget,   // every number of the target, and whether it has fused multiply-adds
    kAll,      // both
  };
  // The alphabet of numbers. kBits is the language's own (number_alphabet.h); kDecimal: decimal digits and `z`, 152 → 1 5 2 z.
  enum class Numbers : uint8_t { kBits, kDecimal };

  Blind blind = Blind::kNothing;
  Numbers numbers = Numbers::kBits;
  bool operator==(const PromptForm&) const = default;
};

// "nothing", "extents", "target", "all"; "bits", "decimal". Parsing throws Error(kUsage) that lists the names.
std::string_view blind_name(PromptForm::Blind blind);
std::string_view numbers_name(PromptForm::Numbers numbers);
PromptForm::Blind parse_blind(std::string_view name);
PromptForm::Numbers parse_numbers(std::string_view name);

// space::prompt_tokens in this form; ends with <schedule>.
std::vector<space::Token> write_prompt(const space::Space& space, const PromptForm& form);
// A prompt of any form with the target withheld as Blind::kTarget does it: training mixes such prompts in.
std::vector<space::Token> with_unknown_target(std::vector<space::Token> prompt);
// A prompt of any form in which each number after <subgraph> is withheld with probability `share`, as Blind::kExtents withholds
// all.
std::vector<space::Token> with_unknown_numbers(const std::vector<space::Token>& prompt, double share, Rng& rng);

}  // namespace tlm::lm
