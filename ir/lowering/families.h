// The functions of the operator table, by family. Each appends the stages of one node in canonical form (op_table.h).
#pragma once

#include "tlm/ir/lowering/node_lowering.h"

namespace tlm::ir {

// elementwise.cpp: one stage, inputs broadcast
void lower_binary(NodeLowering&);
void lower_variadic(NodeLowering&);  // Min, Max, Sum, Mean
void lower_pow(NodeLowering&);
void lower_mod(NodeLowering&);
void lower_where(NodeLowering&);
void lower_clip(NodeLowering&);
void lower_cast(NodeLowering&);
// unary_math.cpp, activation.cpp
void lower_unary(NodeLowering&);
void lower_activation(NodeLowering&);
// convolution.cpp
void lower_conv(NodeLowering&);
void lower_conv_integer(NodeLowering&);
void lower_qlinear_conv(NodeLowering&);
void lower_conv_transpose(NodeLowering&);
// pooling.cpp
void lower_max_pool(NodeLowering&);
void lower_average_pool(NodeLowering&);
void lower_lp_pool(NodeLowering&);
void lower_global_pool(NodeLowering&);
// contraction.cpp, einsum.cpp
void lower_matmul(NodeLowering&);
void lower_gemm(NodeLowering&);
void lower_matmul_integer(NodeLowering&);
void lower_qlinear_matmul(NodeLowering&);
void lower_einsum(NodeLowering&);
// normalisation.cpp
void lower_batch_normalization(NodeLowering&);
void lower_instance_normalization(NodeLowering&);
void lower_layer_normalization(NodeLowering&);
void lower_group_normalization(NodeLowering&);
void lower_mean_variance_normalization(NodeLowering&);
void lower_lp_normalization(NodeLowering&);
void lower_lrn(NodeLowering&);
// softmax.cpp
void lower_softmax(NodeLowering&);
void lower_hardmax(NodeLowering&);
// reduction.cpp, arg_reduce.cpp, scan.cpp
void lower_reduce(NodeLowering&);
void lower_arg_reduce(NodeLowering&);
void lower_cumsum(NodeLowering&);
// movement.cpp, pad.cpp
void lower_copy(NodeLowering&);  // the views: same elements in row-major order
void lower_dropout(NodeLowering&);
void lower_concat(NodeLowering&);
void lower_split(NodeLowering&);
void lower_slice(NodeLowering&);
void lower_transpose(NodeLowering&);
void lower_expand(NodeLowering&);
void lower_tile(NodeLowering&);
void lower_depth_to_space(NodeLowering&);
void lower_space_to_depth(NodeLowering&);
void lower_reverse_sequence(NodeLowering&);
void lower_pad(NodeLowering&);
// gather.cpp
void lower_gather(NodeLowering&);
void lower_gather_elements(NodeLowering&);
void lower_gather_nd(NodeLowering&);
void lower_one_hot(NodeLowering&);
void lower_compress(NodeLowering&);
// generate.cpp
void lower_constant(NodeLowering&);
void lower_shape(NodeLowering&);
void lower_constant_of_shape(NodeLowering&);
void lower_eye_like(NodeLowering&);
void lower_range(NodeLowering&);
void lower_trilu(NodeLowering&);
// resize.cpp
void lower_resize(NodeLowering&);
// quantization.cpp
void lower_quantize_linear(NodeLowering&);
void lower_dequantize_linear(NodeLowering&);
void lower_dynamic_quantize_linear(NodeLowering&);
// loss.cpp
void lower_nll_loss(NodeLowering&);
void lower_softmax_cross_entropy(NodeLowering&);

}  // namespace tlm::ir
