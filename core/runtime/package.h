// A loaded package: the variant that runs here, its code and its weights.
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "tlm/core/runtime/code_loader.h"
#include "tlm/core/runtime/package_format.h"

namespace tlm::runtime {

struct LoadOptions {
  // CPU features to reckon with, instead of those of this machine (for tests).
  std::optional<std::vector<std::string>> available_features;
  bool verify_weights = false;  // compare the weights with their hash at once; touches every page
};

// Immutable after loading; any number of sessions share it.
class Package {
 public:
  // Header, manifest and code are verified; weights are mapped and read when used. Of the variants that run here the first is
  // taken. Throws Error(kBadModel) for damage, Error(kUnsupported) for a newer format version, Error(kEnvironment) when no
  // variant runs here (names the missing CPU features) and when the file cannot be read.
  static std::shared_ptr<const Package> load(const std::filesystem::path& path, const LoadOptions& options = {});
  // A regular file open for reading, from its beginning. The descriptor stays the caller's and may be closed afterwards.
  static std::shared_ptr<const Package> load_descriptor(int descriptor, const LoadOptions& options = {});
  // Borrows `image`, which must outlive the package; `owner` may keep it alive. Weights are used in place when the image is
  // 64-byte aligned and copied otherwise.
  static std::shared_ptr<const Package> load_memory(std::span<const std::byte> image, std::shared_ptr<const void> owner = {},
                                                    const LoadOptions& options = {});

  const Manifest& manifest() const { return manifest_; }
  const PackageFile& file() const { return file_; }
  int variant_index() const { return variant_; }
  const VariantDesc& variant() const { return manifest_.variants[static_cast<size_t>(variant_)]; }
  const TlmModule* module() const { return code_ ? &code_->module() : nullptr; }  // null: no generated code
  std::span<const std::byte> weights() const { return weights_; }                 // 64-byte aligned
  const std::string& where() const { return where_; }                             // path, or what stands for it in messages

  // Compares the weights with their hash. Throws Error(kBadModel).
  void verify_weights() const;

 private:
  Package(std::span<const std::byte> image, std::shared_ptr<const void> owner, std::string where, const LoadOptions& options);

  std::shared_ptr<const void> owner_;  // keeps the image alive
  std::string where_;
  PackageFile file_;
  Manifest manifest_;
  int variant_ = 0;
  std::unique_ptr<LoadedCode> code_;
  std::shared_ptr<const void> weights_owner_;
  std::span<const std::byte> weights_;
};

// The manifest alone: works for packages of other machines too (`tlm inspect`). Throws as Package::load.
Manifest read_package_manifest(const std::filesystem::path& path);

}  // namespace tlm::runtime
