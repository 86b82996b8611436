// A model of the tensor language that has learned nothing. By itself: what includes lm does not include codegen.
#include <filesystem>

#include "tlm/lm/language_model.h"

namespace tlm::eval::test {

void save_small_model(const std::filesystem::path& folder, uint64_t seed);
void save_small_model(const std::filesystem::path& folder, uint64_t seed) {
  const lm::LanguageInfo info = lm::standard_language();
  lm::Weights weights(
      {.layers = 1, .heads = 2, .width = 16, .inner = 32, .context = 512, .vocabulary = static_cast<int64_t>(info.words.size())});
  weights.initialize(seed);
  for (float& w : weights.data()) w *= 20;  // with opinions
  lm::save_language_model(folder, weights, info);
}

}  // namespace tlm::eval::test
