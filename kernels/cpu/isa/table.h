// The table of one instruction set, for the source that names it.
#include "tlm/kernels/cpu/isa/matmul.h"
#include "tlm/kernels/cpu/isa/rowwise.h"
#include "tlm/kernels/cpu/isa/variants.h"

#define TLM_TEXT_OF(x) #x
#define TLM_TEXT(x) TLM_TEXT_OF(x)

namespace tlm::kernels::TLM_ISA {

const BlockKernels kBlockKernels = {
    .name = TLM_TEXT(TLM_ISA),
    .multiply = multiply,
    .multiply_transposed = multiply_transposed,
    .transpose = transpose,
    .add = add,
    .layer_norm = layer_norm,
    .layer_norm_backward = layer_norm_backward,
    .gelu = gelu,
    .gelu_backward = gelu_backward,
    .softmax = softmax,
    .softmax_backward = softmax_backward,
    .dot = dot,
    .scale = scale,
    .adamw = adamw,
};

}  // namespace tlm::kernels::TLM_ISA
