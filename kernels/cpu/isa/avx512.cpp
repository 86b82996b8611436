#if defined(__x86_64__)
#define TLM_ISA avx512
#define TLM_LANES 16   // f32 in a vector
#define TLM_ROWS 6     // of a register tile
#define TLM_VECTORS 4  // in a row of it
#include "tlm/kernels/cpu/isa/table.h"
#endif
