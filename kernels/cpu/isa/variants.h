// The tables of all instruction sets. Each comes from the same sources, compiled with the flags of its set
// (kernels/CMakeLists.txt) in a namespace of its own.
#pragma once

#include "tlm/kernels/cpu/block_kernels.h"

namespace tlm::kernels {

namespace baseline {
extern const BlockKernels kBlockKernels;
}
#if defined(__x86_64__)
namespace avx2 {
extern const BlockKernels kBlockKernels;
}
namespace avx512 {
extern const BlockKernels kBlockKernels;
}
#endif

}  // namespace tlm::kernels
