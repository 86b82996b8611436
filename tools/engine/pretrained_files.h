// Files of lm/pretrained as bytes within the library.
#pragma once

#include <cstddef>
#include <span>

namespace tlm {

struct PretrainedFiles {
  std::span<const std::byte> config, weights, language;  // all empty: there are none
};

PretrainedFiles pretrained_files();  // one of two sources: tools/engine/embed

}  // namespace tlm
