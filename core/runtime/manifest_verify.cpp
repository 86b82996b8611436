// Every number of a manifest against what it refers to: after this a session may trust them.
#include <algorithm>

#include "tlm/core/error.h"
#include "tlm/core/runtime/package_format.h"
#include "tlm/core/runtime/runtime_calls.h"

namespace tlm::runtime {
namespace {

// Sizes above this are damage: more than any machine has.
constexpr uint64_t kMaxBytes = uint64_t{1} << 46;
constexpr uint64_t kAlignment = 64;

class Verifier {
 public:
  Verifier(const Manifest& manifest, std::span<const SectionEntry> sections, const std::string& file)
      : manifest_(manifest), sections_(sections), where_(file), file_(file) {}

  void run() {
    for (const auto* ports : {&manifest_.inputs, &manifest_.outputs})
      for (const PortDesc& port : *ports) {
        where_ = file_ + ", port '" + port.name + "'";
        check(port_bytes(port) <= kMaxBytes, "its shape is too large");
      }
    where_ = file_;
    check(!manifest_.variants.empty(), "there is no variant");
    for (size_t v = 0; v < manifest_.variants.size(); ++v) {
      place_ = file_ + ", variant " + std::to_string(v);
      where_ = place_;
      variant(manifest_.variants[v]);
    }
  }

 private:
  void check(bool ok, const std::string& what) const {
    if (!ok) throw Error(ErrorCode::kBadModel, "package manifest: " + what, where_);
  }

  static uint64_t port_bytes(const PortDesc& port) {
    const auto count = static_cast<uint64_t>(element_count(port.shape));
    return count > kMaxBytes ? count : count * dtype_size(port.dtype);
  }

  // Bytes of section `number`, which must be of `kind`.
  uint64_t section_bytes(int number, SectionKind kind, const char* name) const {
    check(number >= 0 && static_cast<size_t>(number) < sections_.size(),
          std::string(name) + " section " + std::to_string(number) + " of " + std::to_string(sections_.size()));
    const SectionEntry& entry = sections_[static_cast<size_t>(number)];
    check(entry.kind == static_cast<uint32_t>(kind), "section " + std::to_string(number) + " holds no " + name);
    return entry.bytes;
  }

  void variant(const VariantDesc& v) {
    const bool generated = std::any_of(v.steps.begin(), v.steps.end(), [](const StepDesc& s) { return s.call.empty(); });
    check(v.code_section >= 0 || !generated, "there are kernels but no code section");
    if (v.code_section >= 0) section_bytes(v.code_section, SectionKind::kCode, "code");
    weights_bytes_ = v.weights_section < 0 ? 0 : section_bytes(v.weights_section, SectionKind::kWeights, "weights");
    arena_bytes_ = v.arena_bytes;
    check(arena_bytes_ <= kMaxBytes, "arena of " + std::to_string(arena_bytes_) + " bytes");
    for (size_t s = 0; s < v.steps.size(); ++s) {
      where_ = place_ + ", step " + std::to_string(s) + " '" + v.steps[s].name + "'";
      step(v.steps[s]);
    }
  }

  void range(uint64_t offset, uint64_t bytes, uint64_t limit, const std::string& name) const {
    check(offset <= limit && bytes <= limit - offset, name + " is outside: offset " + std::to_string(offset) + ", " +
                                                          std::to_string(bytes) + " bytes, of " + std::to_string(limit));
  }

  uint64_t space_bytes(const BufferRef& b, const std::string& name) const {
    if (b.space == BufferSpace::kArena) return arena_bytes_;
    if (b.space == BufferSpace::kWeights) return weights_bytes_;
    const auto& ports = b.space == BufferSpace::kInput ? manifest_.inputs : manifest_.outputs;
    check(static_cast<size_t>(b.index) < ports.size(),
          name + " names port " + std::to_string(b.index) + " of " + std::to_string(ports.size()));
    return port_bytes(ports[static_cast<size_t>(b.index)]);
  }

  void step(const StepDesc& s) {
    for (size_t a = 0; a < s.args.size(); ++a) {
      const bool absent = a < s.tensors.size() && !s.tensors[a].present;
      if (absent) continue;
      const std::string name = "buffer " + std::to_string(a);
      range(s.args[a].offset, s.args[a].bytes, space_bytes(s.args[a], name), name);
    }
    range(s.workspace_offset, s.workspace_bytes, arena_bytes_, "workspace");
    check(s.workspace_bytes == 0 || s.workspace_offset % kAlignment == 0, "workspace is not 64-byte aligned");
    check(s.worker_bytes <= kMaxBytes, "scratch of " + std::to_string(s.worker_bytes) + " bytes for each worker");
    if (s.call.empty()) {
      for (const PhaseDesc& p : s.phases)
        check(p.extent >= 1 && p.grain >= 1,
              "phase of extent " + std::to_string(p.extent) + ", grain " + std::to_string(p.grain));
    } else {
      call(s);
    }
  }

  void call(const StepDesc& s) {
    check(s.phases.empty() && s.worker_bytes == 0, "a runtime call has no phases and no scratch for workers");
    check(s.tensors.size() == s.args.size(),
          std::to_string(s.tensors.size()) + " tensors for " + std::to_string(s.args.size()) + " buffers");
    check(s.call_inputs >= 0 && static_cast<size_t>(s.call_inputs) <= s.args.size(), "more inputs than buffers");
    for (size_t a = 0; a < s.args.size(); ++a) {
      const TensorDesc& t = s.tensors[a];
      if (!t.present) continue;
      const std::string name = "tensor " + std::to_string(a);
      const auto count = static_cast<uint64_t>(element_count(t.shape));
      check(count <= kMaxBytes && count * dtype_size(t.dtype) == s.args[a].bytes,
            name + " has shape " + to_string(t.shape) + " of " + std::string(dtype_name(t.dtype)) + " in " +
                std::to_string(s.args[a].bytes) + " bytes");
      const bool output = a >= static_cast<size_t>(s.call_inputs);
      check(!output || s.args[a].space == BufferSpace::kArena || s.args[a].space == BufferSpace::kOutput,
            name + " is written, but lies in an input or in the weights");
      check(s.args[a].offset % dtype_size(t.dtype) == 0, name + " is not aligned");
    }
    try {
      check_runtime_call(s);
      const uint64_t wanted = runtime_call_workspace(s.call, s.tensors, s.numbers);
      check(s.workspace_bytes >= wanted,
            "workspace of " + std::to_string(s.workspace_bytes) + " bytes; the call wants " + std::to_string(wanted));
    } catch (const Error& e) {
      if (e.where().empty()) throw Error(e.code(), e.message(), where_, e.hint());
      throw;
    }
  }

  const Manifest& manifest_;
  std::span<const SectionEntry> sections_;
  std::string where_, file_, place_;
  uint64_t weights_bytes_ = 0, arena_bytes_ = 0;
};

}  // namespace

void verify_manifest(const Manifest& manifest, std::span<const SectionEntry> sections, const std::string& where) {
  Verifier(manifest, sections, where).run();
}

}  // namespace tlm::runtime
