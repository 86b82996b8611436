#define TLM_ISA baseline
#define TLM_LANES 4    // f32 in a vector
#define TLM_ROWS 4     // of a register tile
#define TLM_VECTORS 2  // in a row of it
#include "tlm/kernels/cpu/isa/table.h"
