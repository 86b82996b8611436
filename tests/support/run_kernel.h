// Compiles kernels with the system's C compiler and runs them in this process, in guarded memory. For tests only.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "tlm/core/rng.h"
#include "tlm/core/target.h"
#include "tlm/core/tensor.h"
#include "tlm/ir/loop/stmt.h"
#include "tlm/ir/tensor/subgraph.h"

namespace tlm::test {

// Many kernels, compiled together (about 50 to a unit: starting the compiler costs more than a kernel does).
std::vector<std::string> kernel_sources(const std::vector<ir::Kernel>& kernels, const Target& target,
                                        std::vector<uint32_t>& first_entry);

class CompiledKernels {
 public:
  // `jobs`: compiler processes at once.
  CompiledKernels(std::vector<ir::Kernel> kernels, const Target& target, int jobs = 2);
  ~CompiledKernels();
  CompiledKernels(const CompiledKernels&) = delete;

  size_t size() const { return kernels_.size(); }
  const ir::Kernel& kernel(size_t i) const { return kernels_[i]; }

  // Runs kernel i of subgraph g (as lowered): `bound` holds inputs and constants (logical tensors, none that is derived) and is completed with the outputs. Each
  // buffer has its exact size, ends at a guard page and starts poisoned; phases run in chunks drawn from `rng`. Returns "" or
  // what went wrong (a fault; bytes of an output's buffer written that no element of the output owns).
  std::string run(size_t i, const ir::Subgraph& g, std::vector<Tensor>& bound, Rng rng) const;

  const std::string& source(size_t unit) const { return units_[unit]; }

 private:
  std::vector<ir::Kernel> kernels_;
  std::vector<uint32_t> first_entry_;
  std::vector<std::string> units_;
  void* library_ = nullptr;
  const void* module_ = nullptr;
};

// The bytes of each parameter's buffer before a run (outputs poisoned with 0x7f), and after it: completes `bound` with the
// outputs;
// "" or a complaint about bytes that no element of an output owns.
std::vector<std::vector<std::byte>> kernel_buffers(const ir::Kernel& k, const ir::Subgraph& g, const std::vector<Tensor>& bound);
std::string take_outputs(const ir::Kernel& k, const ir::Subgraph& g, const std::vector<const std::byte*>& buffers,
                         std::vector<Tensor>& bound);

// Inputs and constants with random values: small integers (sums stay exact in every type), or normal floats.
std::vector<Tensor> random_bound(const ir::Subgraph& g, Rng& rng, bool small_integers);

// "" if the outputs of `got` agree with the interpreter's run of g on the same inputs: bit for bit when `exact`, else within the
// rounding bound of interpret_points. Otherwise the first differing element with both values.
std::string compare_with_interpreter(const ir::Subgraph& g, const std::vector<Tensor>& got, bool exact);

}  // namespace tlm::test
