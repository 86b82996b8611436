// A model of the tensor language that has learned nothing, as a folder of the sandbox.
#pragma once

#include <string>

#include "sandbox.h"
#include "tlm/lm/language_model.h"

namespace tlm::tools::test {

inline void make_model(const Sandbox& s, const std::string& name, int64_t context = 512,
                       lm::LanguageInfo info = lm::standard_language()) {
  lm::Weights weights({.layers = 1,
                       .heads = 2,
                       .width = 16,
                       .inner = 32,
                       .context = context,
                       .vocabulary = static_cast<int64_t>(info.words.size())});
  weights.initialize(1);
  for (size_t i = 0; i < weights.data().size(); ++i) weights.data()[i] *= 20;  // opinions
  lm::save_language_model(s.path(name), weights, info);
}

}  // namespace tlm::tools::test
