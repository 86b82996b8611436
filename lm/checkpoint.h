// Models as files: a folder with config.json and model.safetensors, tensors by their usual GPT-2 names.
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>

#include "tlm/core/dtype.h"
#include "tlm/lm/weights.h"

namespace tlm::lm {

// Names with or without the prefix "transformer."; types f32, f16, bf16, f64. Tensors that GPT-2 does not have (attention masks,
// a head that repeats wte) are ignored. Throws Error(kBadModel) for a missing tensor or a wrong shape, Error(kEnvironment) for
// files.
Weights load_checkpoint(const std::filesystem::path& folder);

// The same from memory. `where` is for messages.
Weights read_checkpoint(std::string_view config_json, std::span<const std::byte> safetensors, const std::string& where);

// Stored as f32, or rounded to f16. Makes the folder when it is not there; each file appears whole or not at all.
void save_checkpoint(const std::filesystem::path& folder, const Weights& weights, DType storage = DType::kF32);

}  // namespace tlm::lm
