#include "tlm/codegen/check_workload.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <memory>

#include "tlm/codegen/derived_constants.h"
#include "tlm/codegen/pack_constant.h"
#include "tlm/codegen/random_tensor.h"
#include "tlm/core/error.h"
#include "tlm/core/runtime/code_loader.h"
#include "tlm/ir/tensor/interpret.h"
#include "tlm/ir/tensor/placement.h"

namespace tlm::codegen {
namespace {

// 64-byte aligned memory that can be filled and read as bytes.
class AlignedBytes {
 public:
  explicit AlignedBytes(size_t n) : data_(static_cast<std::byte*>(::operator new(n + 64, std::align_val_t{64}))), size_(n) {
    std::memset(data_, 0, n);
  }
  ~AlignedBytes() { ::operator delete(data_, std::align_val_t{64}); }
  AlignedBytes(const AlignedBytes&) = delete;
  AlignedBytes& operator=(const AlignedBytes&) = delete;
  std::byte* data() const { return data_; }
  size_t size() const { return size_; }

 private:
  std::byte* data_;
  size_t size_;
};

std::vector<int64_t> sample_positions(int64_t n, int64_t points, Rng& rng) {
  std::vector<int64_t> positions;
  if (n <= points) {
    for (int64_t i = 0; i < n; ++i) positions.push_back(i);
    return positions;
  }
  positions = {0, n - 1};
  while (static_cast<int64_t>(positions.size()) < points) positions.push_back(static_cast<int64_t>(rng.below(static_cast<uint64_t>(n))));
  return positions;
}

double relative_error(double a, double b, double scale) {
  if (std::isnan(a) && std::isnan(b)) return 0;
  if (a == b) return 0;  // infinities
  return std::abs(a - b) / std::max(1.0, scale);
}

}  // namespace

CheckResult check_workload(const Workload& w, std::span<const std::byte> image, const CheckOptions& options) {
  const ir::Subgraph& g = w.space->subgraph();
  const ir::Kernel& kernel = w.kernel;
  Rng rng = Rng(options.seed).split(w.hash);

  std::vector<Tensor> values(g.tensors.size());
  for (size_t t = 0; t < g.tensors.size(); ++t) {
    const ir::TensorDecl& decl = g.tensors[t];
    if (decl.role == ir::TensorRole::kConstant && w.step && w.step->made_up[t]) {
      values[t] = *w.step->made_up[t];  // index tables have a meaning
    } else if (decl.role == ir::TensorRole::kInput || decl.role == ir::TensorRole::kConstant) {
      values[t] = random_tensor(decl.dtype, decl.shape, rng);
    }
  }

  std::vector<std::unique_ptr<AlignedBytes>> buffers;
  std::vector<void*> pointers;
  for (const ir::KernelParam& param : kernel.params) {
    const ir::TensorDecl& decl = w.program->tensors[static_cast<size_t>(param.tensor)];
    buffers.push_back(std::make_unique<AlignedBytes>(static_cast<size_t>(param.elements) * dtype_size(decl.dtype)));
    pointers.push_back(buffers.back()->data());
    if (param.output) continue;
    const ConstantOrigin origin = constant_origin(*w.program, param.tensor);
    const Tensor& value = values[static_cast<size_t>(origin.tensor)];
    const std::vector<std::byte> bytes = decl.role == ir::TensorRole::kConstant
                                             ? pack_constant(derive(value, origin.recipes), param.packed)
                                             : ir::place(decl, value);
    TLM_CHECK(bytes.size() == buffers.back()->size()) << decl.name << ": " << bytes.size() << " bytes, the kernel wants "
                                                      << buffers.back()->size();
    std::memcpy(buffers.back()->data(), bytes.data(), bytes.size());
  }
  const AlignedBytes workspace(static_cast<size_t>(kernel.workspace_bytes)), worker(static_cast<size_t>(kernel.worker_bytes));
  const runtime::LoadedCode code(image, g.name);
  const TlmKernelArgs args{pointers.data(), nullptr, workspace.data()};
  for (size_t p = 0; p < kernel.phases.size(); ++p)
    code.module().phases[w.first_entry + p](&args, 0, kernel.phases[p].extent, worker.data());

  CheckResult result;
  for (size_t i = 0; i < kernel.params.size(); ++i) {
    if (!kernel.params[i].output) continue;
    const int t = kernel.params[i].tensor;
    const Tensor out = ir::gather(g.tensors[static_cast<size_t>(t)], buffers[i]->data());
    const std::vector<int64_t> positions = sample_positions(out.size(), options.points, rng);
    const std::vector<double> expected = ir::interpret_points(g, values, t, positions);
    double scale = 0;
    for (const double e : expected)
      if (std::isfinite(e)) scale = std::max(scale, std::abs(e));
    for (size_t k = 0; k < positions.size(); ++k)
      result.max_error = std::max(result.max_error, relative_error(out.at_f64(positions[k]), expected[k], scale));
    result.compared += static_cast<int64_t>(positions.size());
  }
  return result;
}

}  // namespace tlm::codegen
