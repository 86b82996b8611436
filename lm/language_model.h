// A GPT-2 that speaks the tensor language: weights, its own list of words, and how prompts are written for it.
//
// A folder with config.json, model.safetensors (checkpoint.h) and language.json:
//   {"format": 1, "words": ["<pad>", …], "blind": "nothing", "numbers": "bits", "quality_buckets": 0,
//    "devices": ["cpu"], "language_version": 6, "space_version": 3, "description": ""}
// Token i of the model is words[i]. Words are mapped by name to those of space::Vocabulary::standard(), so that a checkpoint
// lives on when the language grows. One that learned another spelling (space::kLanguageVersion; none stored: 1) is refused.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "tlm/core/target.h"
#include "tlm/lm/checkpoint.h"
#include "tlm/lm/forward.h"
#include "tlm/lm/prompt_form.h"
#include "tlm/lm/weights.h"
#include "tlm/space/language/vocabulary.h"

namespace tlm::lm {

inline constexpr int kMostQualityBuckets = 16;  // one number word each

struct LanguageInfo {
  std::vector<std::string> words;  // by the model's token id
  PromptForm form;
  int quality_buckets = 0;                     // sentences open with `<quality> N`, N from 0 (the best) up; 0: they do not
  std::vector<std::string> devices = {"cpu"};  // what it was trained for: "cpu", "gpu"
  int language_version = 0;                    // of the spelling it was trained on: space::kLanguageVersion
  int space_version = 0;                       // of the space it was trained on: for people
  std::string description;                     // for people
};

// Today's words and space.
LanguageInfo standard_language(const PromptForm& form = {}, int quality_buckets = 0);

// language.json. Throws Error(kBadModel): malformed, a word twice, a word missing without which no sentence can be written;
// Error(kUnsupported): another format or version of the language.
LanguageInfo parse_language(std::string_view json, const std::string& where);
std::string print_language(const LanguageInfo& info);
LanguageInfo load_language(const std::filesystem::path& folder);

// Weights as `storage` (f32 or f16). Makes the folder; each file appears whole or not at all.
void save_language_model(const std::filesystem::path& folder, const Weights& weights, const LanguageInfo& info,
                         DType storage = DType::kF32);

class LanguageModel {
 public:
  // Throws Error(kBadModel) unless there is one row of the embedding for each word. `name` is for reports.
  LanguageModel(Weights weights, LanguageInfo info, std::string name,
                const kernels::BlockKernels& kernels = kernels::block_kernels());
  static LanguageModel load(const std::filesystem::path& folder);  // named after the folder

  const Model& model() const { return model_; }
  const LanguageInfo& info() const { return info_; }
  const std::string& name() const { return name_; }
  bool fits(const Target& target) const;  // it was trained for the target's kind of device

  int32_t id_of(space::Token token) const { return ids_[static_cast<size_t>(token)]; }  // -1: the model lacks the word
  bool knows_all_words() const { return knows_all_words_; }                             // of today's language
  // What it reads for a word that it may lack: then `unknown`.
  int32_t prompt_id(space::Token token) const { return id_of(token) >= 0 ? id_of(token) : unknown_; }
  std::vector<int32_t> prompt_ids(const std::vector<space::Token>& prompt) const;
  // What the model reads before the first decision: the prompt and, if it knows qualities, `<quality>` and a bucket.
  std::vector<int32_t> opening(const std::vector<space::Token>& prompt, int quality = 0) const;

 private:
  Model model_;
  LanguageInfo info_;
  std::string name_;
  std::vector<int32_t> ids_;  // by token of today's vocabulary
  int32_t unknown_ = -1;
  bool knows_all_words_ = true;
};

}  // namespace tlm::lm
