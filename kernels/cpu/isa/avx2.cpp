#if defined(__x86_64__)
#define TLM_ISA avx2
#define TLM_LANES 8    // f32 in a vector
#define TLM_ROWS 6     // of a register tile
#define TLM_VECTORS 2  // in a row of it
#include "tlm/kernels/cpu/isa/table.h"
#endif
