#include "tlm/core/runtime/package.h"

#include <algorithm>
#include <cstring>
#include <new>

#include "tlm/core/error.h"
#include "tlm/core/file.h"
#include "tlm/core/target.h"

namespace tlm::runtime {
namespace {

constexpr size_t kWeightsAlignment = 64;

std::vector<std::string> missing(const std::vector<std::string>& required, const LoadOptions& options) {
  if (!options.available_features) return missing_features(required);
  std::vector<std::string> names;
  for (const std::string& feature : required)
    if (std::find(options.available_features->begin(), options.available_features->end(), feature) ==
        options.available_features->end())
      names.push_back(feature);
  return names;
}

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : ", ") + word;
  return text;
}

// The first variant that runs here. Throws Error(kEnvironment) that says for each variant what is missing.
int choose_variant(const Manifest& manifest, const LoadOptions& options, const std::string& where) {
  std::vector<std::string> reasons;
  for (size_t v = 0; v < manifest.variants.size(); ++v) {
    const VariantDesc& variant = manifest.variants[v];
    if (variant.arch != host_arch()) {
      reasons.push_back("it is for " + variant.arch + " and this machine is " + host_arch());
      continue;
    }
    const auto lacking = missing(variant.features, options);
    if (lacking.empty()) return static_cast<int>(v);
    reasons.push_back("this machine lacks " + joined(lacking));
  }
  std::string what = "the package does not run here: ";
  for (size_t v = 0; v < reasons.size(); ++v)
    what += (v ? "; " : "") + (reasons.size() > 1 ? "variant " + std::to_string(v) + ": " : std::string()) + reasons[v];
  throw Error(ErrorCode::kEnvironment, what, where, "compile the model for a target that this machine has (tlm target)");
}

void check_entries(const VariantDesc& variant, uint32_t phase_count, const std::string& where) {
  for (const StepDesc& step : variant.steps)
    for (const PhaseDesc& phase : step.phases)
      if (phase.entry >= phase_count)
        throw Error(ErrorCode::kBadModel,
                    "package manifest: step '" + step.name + "' calls phase " + std::to_string(phase.entry) + " of " +
                        std::to_string(phase_count),
                    where);
}

// A copy with the alignment that kernels may rely on.
std::shared_ptr<const void> aligned_copy(std::span<const std::byte> bytes) {
  void* copy = ::operator new (bytes.size(), std::align_val_t{kWeightsAlignment});
  std::memcpy(copy, bytes.data(), bytes.size());
  return {static_cast<const void*>(copy),
          [](const void* p) { ::operator delete (const_cast<void*>(p), std::align_val_t{kWeightsAlignment}); }};
}

}  // namespace

Package::Package(std::span<const std::byte> image, std::shared_ptr<const void> owner, std::string where,
                 const LoadOptions& options)
    : owner_(std::move(owner)),
      where_(std::move(where)),
      file_(parse_package(image, where_)),
      manifest_(read_manifest(file_, where_)) {
  variant_ = choose_variant(manifest_, options, where_);
  const VariantDesc& v = variant();
  if (v.code_section >= 0) {
    verify_section(file_, v.code_section, where_);
    code_ = std::make_unique<LoadedCode>(file_.section(v.code_section), where_);
    check_entries(v, code_->module().phase_count, where_);
  }
  if (options.verify_weights) verify_weights();
  if (v.weights_section < 0) return;
  weights_ = file_.section(v.weights_section);
  if (reinterpret_cast<uintptr_t>(weights_.data()) % kWeightsAlignment != 0) {
    weights_owner_ = aligned_copy(weights_);
    weights_ = {static_cast<const std::byte*>(weights_owner_.get()), weights_.size()};
  }
}

std::shared_ptr<const Package> Package::load(const std::filesystem::path& path, const LoadOptions& options) {
  auto file = MappedFile::open(path);
  return std::shared_ptr<const Package>(new Package(file->bytes(), file, path.string(), options));
}

std::shared_ptr<const Package> Package::load_descriptor(int descriptor, const LoadOptions& options) {
  const std::string name = "descriptor " + std::to_string(descriptor);
  auto file = MappedFile::from_descriptor(descriptor, name);
  return std::shared_ptr<const Package>(new Package(file->bytes(), file, name, options));
}

std::shared_ptr<const Package> Package::load_memory(std::span<const std::byte> image, std::shared_ptr<const void> owner,
                                                    const LoadOptions& options) {
  return std::shared_ptr<const Package>(new Package(image, std::move(owner), "package in memory", options));
}

void Package::verify_weights() const {
  if (variant().weights_section >= 0) verify_section(file_, variant().weights_section, where_);
}

Manifest read_package_manifest(const std::filesystem::path& path) {
  const auto file = MappedFile::open(path);
  return read_manifest(parse_package(file->bytes(), path.string()), path.string());
}

}  // namespace tlm::runtime
