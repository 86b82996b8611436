#include "tlm/kernels/cpu/block_kernels.h"

#include "tlm/kernels/cpu/isa/variants.h"

namespace tlm::kernels {

BlockKernelList runnable_block_kernels() {
  BlockKernelList list = {{&baseline::kBlockKernels}, 1};
#if defined(__x86_64__)
  __builtin_cpu_init();
  const bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  if (avx2) list.of[list.count++] = &avx2::kBlockKernels;
  if (avx2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq") &&
      __builtin_cpu_supports("avx512bw"))
    list.of[list.count++] = &avx512::kBlockKernels;
#endif
  return list;
}

const BlockKernels& block_kernels() {
  static const BlockKernels& best = []() -> const BlockKernels& {
    const BlockKernelList list = runnable_block_kernels();
    return *list.of[list.count - 1];
  }();
  return best;
}

}  // namespace tlm::kernels
