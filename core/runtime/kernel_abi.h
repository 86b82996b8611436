/* What generated code is called with, and what it exports. C99; the generated sources carry the same declarations in their
   preamble. Any change raises TLM_KERNEL_ABI. */
#ifndef TLM_CORE_RUNTIME_KERNEL_ABI_H
#define TLM_CORE_RUNTIME_KERNEL_ABI_H

#include <stdint.h>

#define TLM_KERNEL_ABI 1

#ifdef __cplusplus
extern "C" {
#endif

typedef struct TlmKernelArgs {
  void* const* buffers;   /* the kernel's parameters in order: inputs, outputs, constants */
  const int64_t* ints;    /* run-time integers (dynamic extents), each within its compiled bound */
  void* workspace;        /* shared scratch of the kernel, 64-byte aligned */
} TlmKernelArgs;

/* Runs iterations [begin, end) of one phase. `worker` is this worker's scratch, 64-byte aligned. */
typedef void (*TlmPhase)(const TlmKernelArgs* args, int64_t begin, int64_t end, void* worker);

typedef struct TlmModule {
  uint32_t abi;           /* TLM_KERNEL_ABI */
  uint32_t phase_count;
  const TlmPhase* phases;
} TlmModule;

/* The one exported symbol of a module: `const TlmModule* tlm_module(void)`. */

#ifdef __cplusplus
}
#endif
#endif
