#include "tlm/codegen/package_writer.h"

#include <memory>

#include "tlm/codegen/derived_constants.h"
#include "tlm/codegen/pack_constant.h"
#include "tlm/core/runtime/package_format.h"

namespace tlm::codegen {
namespace {

// Constants that stay row-major are borrowed from the model; packed ones are made here.
std::vector<runtime::SectionPiece> weight_pieces(const CompiledModel& model) {
  std::vector<runtime::SectionPiece> pieces;
  for (const WeightBlock& w : model.weights) {
    if (!w.recipes.empty()) {
      auto bytes = std::make_shared<const std::vector<std::byte>>(pack_constant(derive(w.source, w.recipes), w.packed));
      pieces.push_back({w.offset, *bytes, bytes});
    } else if (w.packed.empty()) {
      pieces.push_back({w.offset, {w.source.data(), w.source.bytes()}, nullptr});
    } else {
      auto bytes = std::make_shared<const std::vector<std::byte>>(pack_constant(w.source, w.packed));
      pieces.push_back({w.offset, *bytes, bytes});
    }
  }
  return pieces;
}

runtime::Manifest add_sections(const CompiledModel& model, runtime::PackageBuilder& builder) {
  runtime::Manifest manifest = model.manifest;
  runtime::VariantDesc& variant = manifest.variants.at(0);
  if (!model.code.empty()) variant.code_section = builder.add_section(runtime::SectionKind::kCode, model.code);
  if (model.weights_bytes > 0)
    variant.weights_section = builder.add_section(runtime::SectionKind::kWeights, weight_pieces(model), model.weights_bytes);
  return manifest;
}

}  // namespace

void write_package(const CompiledModel& model, const std::filesystem::path& file) {
  runtime::PackageBuilder builder;
  const runtime::Manifest manifest = add_sections(model, builder);
  builder.write(manifest, file);
}

std::vector<std::byte> package_bytes(const CompiledModel& model) {
  runtime::PackageBuilder builder;
  const runtime::Manifest manifest = add_sections(model, builder);
  return builder.bytes(manifest);
}

}  // namespace tlm::codegen
