#include "tlm/tools/engine/pretrained.h"

#include <span>
#include <string_view>

#include "tlm/tools/engine/pretrained_files.h"

namespace tlm {

std::shared_ptr<const lm::LanguageModel> pretrained_model() {
  static const std::shared_ptr<const lm::LanguageModel> model = []() -> std::shared_ptr<const lm::LanguageModel> {
    const PretrainedFiles files = pretrained_files();
    if (files.weights.empty()) return nullptr;
    const auto text = [](std::span<const std::byte> bytes) {
      return std::string_view(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    };
    return std::make_shared<const lm::LanguageModel>(lm::read_checkpoint(text(files.config), files.weights, "built-in weights"),
                                                     lm::parse_language(text(files.language), "built-in language.json"),
                                                     "built-in");
  }();
  return model;
}

}  // namespace tlm
