#include "tests/support/run_kernel.h"

#include <dlfcn.h>
#include <sys/mman.h>
#include <unistd.h>
#include <cmath>
#include <cstring>
#include <fstream>
#include <numeric>
#include <sstream>

#include "tests/support/guarded_buffer.h"
#include "tlm/codegen/build/compile_c.h"
#include "tlm/codegen/build/process.h"
#include "tlm/codegen/build/temp_folder.h"
#include "tlm/codegen/derived_constants.h"
#include "tlm/codegen/pack_constant.h"
#include "tlm/codegen/source/c_flags.h"
#include "tlm/codegen/source/source_c.h"
#include "tlm/core/error.h"
#include "tlm/core/runtime/kernel_abi.h"
#include "tlm/ir/tensor/interpret.h"
#include "tlm/ir/tensor/placement.h"

namespace tlm::test {

using namespace ir;

namespace {
constexpr size_t kUnit = 50;

const TlmModule* load_image(const std::vector<std::byte>& image, void** library) {
  const int fd = memfd_create("kernels", MFD_CLOEXEC);
  TLM_CHECK(fd >= 0);
  TLM_CHECK(write(fd, image.data(), image.size()) == static_cast<ssize_t>(image.size()));
  const std::string path = "/proc/self/fd/" + std::to_string(fd);
  *library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  const char* error = *library ? nullptr : dlerror();
  close(fd);
  TLM_CHECK(*library) << (error ? error : "");
  auto entry = reinterpret_cast<const TlmModule* (*)()>(dlsym(*library, "tlm_module"));
  TLM_CHECK(entry);
  return entry();
}
bool sanitize_generated() {
#if defined(__SANITIZE_ADDRESS__)
  return true;
#else
  return std::getenv("TLM_SANITIZE_GENERATED") != nullptr;
#endif
}

// The image with undefined behaviour of the generated C turned into a trap (which needs no run-time library).
std::vector<std::byte> build_sanitized(const std::vector<std::string>& units, const Target& target) {
  const codegen::TempFolder folder;
  std::vector<std::string> compile = {codegen::find_c_toolchain(target).program};
  for (const std::string& flag : codegen::c_flags(target)) compile.push_back(flag);
  for (const char* flag : {"-fsanitize=undefined", "-fsanitize-undefined-trap-on-error", "-shared", "-nostdlib", "-o"})
    compile.emplace_back(flag);
  const std::string image = (folder.path() / "image.so").string();
  compile.push_back(image);
  for (size_t u = 0; u < units.size(); ++u) {
    compile.push_back((folder.path() / (std::to_string(u) + ".c")).string());
    std::ofstream(compile.back()) << units[u];
  }
  const codegen::ProcessResult built = codegen::run_process(compile, "");
  TLM_CHECK(built.exit_code == 0) << built.output;
  std::ifstream file(image, std::ios::binary);
  const std::string bytes(std::istreambuf_iterator<char>(file), {});
  const auto* data = reinterpret_cast<const std::byte*>(bytes.data());
  return {data, data + bytes.size()};
}
}  // namespace

std::vector<std::string> kernel_sources(const std::vector<Kernel>& kernels, const Target& target,
                                        std::vector<uint32_t>& first_entry) {
  std::vector<std::string> units;
  uint32_t entries = 0;
  for (const Kernel& k : kernels) {
    first_entry.push_back(entries);
    entries += static_cast<uint32_t>(k.phases.size());
  }
  for (size_t i = 0; i < kernels.size(); i += kUnit) {
    std::vector<const Kernel*> unit;
    std::vector<uint32_t> entry;
    for (size_t j = i; j < std::min(i + kUnit, kernels.size()); ++j) {
      unit.push_back(&kernels[j]);
      entry.push_back(first_entry[j]);
    }
    units.push_back(codegen::write_c(unit, entry, target));
  }
  units.push_back(codegen::write_c_module(entries, target));
  return units;
}

CompiledKernels::CompiledKernels(std::vector<Kernel> kernels, const Target& target, int jobs) : kernels_(std::move(kernels)) {
  units_ = kernel_sources(kernels_, target, first_entry_);
  codegen::BuildOptions options;
  options.jobs = jobs;
  if (const char* folder = std::getenv("TLM_KEEP_SOURCES"))
    for (size_t u = 0; u < units_.size(); ++u) {
      FILE* f = std::fopen((std::string(folder) + "/unit" + std::to_string(u) + ".c").c_str(), "w");
      if (f) std::fputs(units_[u].c_str(), f), std::fclose(f);
    }
  const std::vector<std::byte> image = sanitize_generated()
                                           ? build_sanitized(units_, target)
                                           : codegen::build_image(units_, target, codegen::find_c_toolchain(target), options);
  module_ = load_image(image, &library_);
  TLM_CHECK(module_);
}

CompiledKernels::~CompiledKernels() {
  if (library_) dlclose(library_);
}

std::vector<std::vector<std::byte>> kernel_buffers(const Kernel& k, const Subgraph& g, const std::vector<Tensor>& bound) {
  std::vector<std::vector<std::byte>> buffers;
  for (const KernelParam& p : k.params) {
    const TensorDecl& decl = g.tensors[static_cast<size_t>(p.tensor)];
    std::vector<std::byte> b(static_cast<size_t>(p.elements) * dtype_size(decl.dtype), std::byte{0x7f});
    if (decl.role == TensorRole::kConstant) {
      const codegen::ConstantOrigin origin = codegen::constant_origin(g, p.tensor);
      const Tensor value = codegen::derive(bound[static_cast<size_t>(origin.tensor)], origin.recipes);
      const std::vector<std::byte> packed = codegen::pack_constant(value, p.packed);
      TLM_CHECK(packed.size() == b.size()) << packed.size() << " bytes of a constant against " << b.size();
      b = packed;
    } else if (!p.output) {
      place_into(decl, bound[static_cast<size_t>(p.tensor)], b.data());
    }
    buffers.push_back(std::move(b));
  }
  return buffers;
}

std::string take_outputs(const Kernel& k, const Subgraph& g, const std::vector<const std::byte*>& buffers,
                         std::vector<Tensor>& bound) {
  for (size_t q = 0; q < k.params.size(); ++q) {
    const KernelParam& p = k.params[q];
    if (!p.output) continue;
    const TensorDecl& decl = g.tensors[static_cast<size_t>(p.tensor)];
    bound[static_cast<size_t>(p.tensor)] = gather(decl, buffers[q]);
    const std::vector<std::byte> expected = place(decl, bound[static_cast<size_t>(p.tensor)], std::byte{0x7f});
    if (std::memcmp(expected.data(), buffers[q], expected.size()) != 0)
      return "an element outside of output " + decl.name + " was written";
  }
  return "";
}

std::string CompiledKernels::run(size_t i, const Subgraph& g, std::vector<Tensor>& bound, Rng rng) const {
  const Kernel& k = kernels_[i];
  const auto* module = static_cast<const TlmModule*>(module_);
  std::vector<GuardedBuffer> buffers;
  std::vector<void*> pointers;
  std::vector<const std::byte*> bytes;
  for (const std::vector<std::byte>& initial : kernel_buffers(k, g, bound)) {
    buffers.emplace_back(initial.size());
    std::memcpy(buffers.back().data(), initial.data(), initial.size());
    pointers.push_back(buffers.back().data());
    bytes.push_back(buffers.back().data());
  }
  GuardedBuffer workspace(static_cast<size_t>((k.workspace_bytes + 63) / 64 * 64)),
      worker(static_cast<size_t>((k.worker_bytes + 63) / 64 * 64));
  const TlmKernelArgs args = {pointers.data(), nullptr, workspace.data()};
  for (size_t p = 0; p < k.phases.size(); ++p) {
    const TlmPhase phase = module->phases[first_entry_[i] + p];
    const int64_t extent = k.phases[p].extent;
    // Pieces in any order.
    std::vector<std::pair<int64_t, int64_t>> pieces;
    const int64_t piece = std::max<int64_t>(1, extent / rng.between(1, 5));
    for (int64_t at = 0; at < extent; at += piece) pieces.emplace_back(at, std::min(extent, at + piece));
    for (size_t n = pieces.size(); n > 1; --n) std::swap(pieces[n - 1], pieces[rng.below(n)]);
    const std::string fault = run_catching_faults([&] {
      for (const auto& [begin, end] : pieces) phase(&args, begin, end, worker.data());
    });
    if (!fault.empty()) return fault + " in phase " + std::to_string(p);
  }
  return take_outputs(k, g, bytes, bound);
}

std::vector<Tensor> random_bound(const Subgraph& g, Rng& rng, bool small_integers) {
  std::vector<Tensor> bound(g.tensors.size());
  for (size_t t = 0; t < g.tensors.size(); ++t) {
    const TensorDecl& d = g.tensors[t];
    if (d.role != TensorRole::kInput && d.role != TensorRole::kConstant) continue;
    Tensor x(d.dtype, d.shape);
    for (int64_t i = 0; i < x.size(); ++i) {
      if (d.dtype == DType::kBool)
        x.set_i64(i, rng.between(0, 1));
      else if (!is_float(d.dtype))
        x.set_i64(i, is_signed_int(d.dtype) ? rng.between(-3, 3) : rng.between(0, 6));
      else
        x.set_f64(i, small_integers ? static_cast<double>(rng.between(-3, 3)) : rng.normal());
    }
    bound[t] = std::move(x);
  }
  return bound;
}

std::string compare_with_interpreter(const Subgraph& g, const std::vector<Tensor>& got, bool exact) {
  std::vector<Tensor> wanted(g.tensors.size());
  for (size_t t = 0; t < g.tensors.size(); ++t)
    if (g.tensors[t].role == TensorRole::kInput || g.tensors[t].role == TensorRole::kConstant) wanted[t] = got[t];
  const std::vector<Tensor> bound = wanted;
  interpret(g, wanted);
  for (size_t t = 0; t < g.tensors.size(); ++t) {
    if (g.tensors[t].role != TensorRole::kOutput) continue;
    std::vector<double> reference, error;
    if (!exact) {
      std::vector<int64_t> all(static_cast<size_t>(wanted[t].size()));
      std::iota(all.begin(), all.end(), int64_t{0});
      reference = interpret_points(g, bound, static_cast<int>(t), all, &error);
    }
    for (int64_t i = 0; i < wanted[t].size(); ++i) {
      const auto at = static_cast<size_t>(i);
      const double a = got[t].at_f64(i), b = exact ? wanted[t].at_f64(i) : reference[at];
      bool same = a == b || (std::isnan(a) && std::isnan(b));
      if (exact && !is_float(wanted[t].dtype())) same = got[t].at_i64(i) == wanted[t].at_i64(i);
      // The interpreter rounds each node to its type as the kernel does (only its sums are wide): both sides may be off by the
      // bound.
      const DType type = g.tensors[t].dtype;
      const double storage = type == DType::kF16 ? 0x1p-10 : type == DType::kBF16 ? 0x1p-7 : type == DType::kF32 ? 0x1p-23 : 0;
      if (!exact && !same)
        same = std::fabs(a - b) <= 2 * error[at] + storage * std::fabs(b) + (type == DType::kF16 ? 0x1p-24 : 0x1p-140);
      if (same) continue;
      std::ostringstream out;
      out.precision(9);
      out << "tensor " << g.tensors[t].name << "[" << i << "] is " << a << ", interpreter " << b;
      if (!exact) out << " (bound " << error[at] << ")";
      return out.str();
    }
  }
  return "";
}

}  // namespace tlm::test
