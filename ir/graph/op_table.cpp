#include "tlm/ir/graph/op_table.h"

#include <array>
#include <cstdlib>

#include "tlm/ir/graph/shape_rules.h"

namespace tlm::ir {

namespace {

using enum AttrType;

// --- attributes (those marked "canonical" come from inputs or from older forms) ---------------------------------------------
constexpr AttrRow kAlpha1[] = {{"alpha", kFloat, "1"}};
constexpr AttrRow kLeaky[] = {{"alpha", kFloat, "0.01"}};
constexpr AttrRow kHardSigmoidAttrs[] = {{"alpha", kFloat, "0.2"}, {"beta", kFloat, "0.5"}};
constexpr AttrRow kSeluAttrs[] = {{"alpha", kFloat, "1.67326319217681884765625"}, {"gamma", kFloat, "1.05070102214813232421875"}};
constexpr AttrRow kShrinkAttrs[] = {{"bias", kFloat, "0"}, {"lambd", kFloat, "0.5"}};
constexpr AttrRow kGeluAttrs[] = {{"approximate", kString, "none"}};
constexpr AttrRow kIsInfAttrs[] = {{"detect_negative", kInt, "1"}, {"detect_positive", kInt, "1"}};
constexpr AttrRow kModAttrs[] = {{"fmod", kInt, "0"}};
constexpr AttrRow kBitShiftAttrs[] = {{"direction", kString, "!"}};
constexpr AttrRow kCastAttrs[] = {{"to", kInt, "!"}, {"saturate", kInt, ""}};
constexpr AttrRow kCastLikeAttrs[] = {{"saturate", kInt, ""}};
constexpr AttrRow kDropoutAttrs[] = {{"ratio", kFloat, ""}, {"seed", kInt, ""}};
constexpr AttrRow kConvAttrs[] = {{"auto_pad", kString, ""},   {"dilations", kInts, ""}, {"group", kInt, "1"},
                                  {"kernel_shape", kInts, ""}, {"pads", kInts, ""},      {"strides", kInts, ""}};
constexpr AttrRow kConvTransposeAttrs[] = {
    {"auto_pad", kString, ""},     {"dilations", kInts, ""},    {"group", kInt, "1"}, {"kernel_shape", kInts, ""},
    {"output_padding", kInts, ""}, {"output_shape", kInts, ""}, {"pads", kInts, ""},  {"strides", kInts, ""}};
constexpr AttrRow kMaxPoolAttrs[] = {{"auto_pad", kString, ""},    {"ceil_mode", kInt, "0"}, {"dilations", kInts, ""},
                                     {"kernel_shape", kInts, "!"}, {"pads", kInts, ""},      {"storage_order", kInt, "0"},
                                     {"strides", kInts, ""}};
constexpr AttrRow kAveragePoolAttrs[] = {
    {"auto_pad", kString, ""}, {"ceil_mode", kInt, "0"},     {"count_include_pad", kInt, "0"},
    {"dilations", kInts, ""},  {"kernel_shape", kInts, "!"}, {"pads", kInts, ""},
    {"strides", kInts, ""}};
constexpr AttrRow kLpPoolAttrs[] = {{"auto_pad", kString, ""},    {"ceil_mode", kInt, "0"}, {"dilations", kInts, ""},
                                    {"kernel_shape", kInts, "!"}, {"p", kInt, "2"},         {"pads", kInts, ""},
                                    {"strides", kInts, ""}};
constexpr AttrRow kGlobalLpPoolAttrs[] = {{"p", kInt, "2"}};
constexpr AttrRow kGemmAttrs[] = {{"alpha", kFloat, "1"}, {"beta", kFloat, "1"}, {"transA", kInt, "0"}, {"transB", kInt, "0"}};
constexpr AttrRow kEinsumAttrs[] = {{"equation", kString, "!"}};
constexpr AttrRow kReduceAttrs[] = {{"axes", kInts, ""}, {"keepdims", kInt, "1"}, {"noop_with_empty_axes", kInt, "0"}};
constexpr AttrRow kArgAttrs[] = {{"axis", kInt, "0"}, {"keepdims", kInt, "1"}, {"select_last_index", kInt, "0"}};
constexpr AttrRow kAxisLast[] = {{"axis", kInt, "-1"}};
constexpr AttrRow kAxis0[] = {{"axis", kInt, "0"}};
constexpr AttrRow kAxis1[] = {{"axis", kInt, "1"}};
constexpr AttrRow kAxisRequired[] = {{"axis", kInt, "!"}};
constexpr AttrRow kAxisOptional[] = {{"axis", kInt, ""}};
constexpr AttrRow kCumSumAttrs[] = {{"axis", kInt, ""}, {"exclusive", kInt, "0"}, {"reverse", kInt, "0"}};
constexpr AttrRow kTopKAttrs[] = {{"axis", kInt, "-1"}, {"k", kInt, ""}, {"largest", kInt, "1"}, {"sorted", kInt, "1"}};
constexpr AttrRow kLossAttrs[] = {{"ignore_index", kInt, ""}, {"reduction", kString, "mean"}};
constexpr AttrRow kBatchNormAttrs[] = {{"epsilon", kFloat, "1e-5"}, {"momentum", kFloat, "0.9"}, {"training_mode", kInt, "0"}};
constexpr AttrRow kEpsilon[] = {{"epsilon", kFloat, "1e-5"}};
constexpr AttrRow kGroupNormAttrs[] = {{"epsilon", kFloat, "1e-5"}, {"num_groups", kInt, "!"}, {"stash_type", kInt, "1"}};
constexpr AttrRow kLayerNormAttrs[] = {{"axis", kInt, "-1"}, {"epsilon", kFloat, "1e-5"}, {"stash_type", kInt, "1"}};
constexpr AttrRow kLrnAttrs[] = {
    {"alpha", kFloat, "0.0001"}, {"beta", kFloat, "0.75"}, {"bias", kFloat, "1"}, {"size", kInt, "!"}};
constexpr AttrRow kLpNormAttrs[] = {{"axis", kInt, "-1"}, {"p", kInt, "2"}};
constexpr AttrRow kMvnAttrs[] = {{"axes", kInts, "0,2,3"}};
constexpr AttrRow kReshapeAttrs[] = {{"allowzero", kInt, "0"}, {"shape", kInts, ""}};
constexpr AttrRow kAxesOptional[] = {{"axes", kInts, ""}};
constexpr AttrRow kTransposeAttrs[] = {{"perm", kInts, ""}};
constexpr AttrRow kDepthToSpaceAttrs[] = {{"blocksize", kInt, "!"}, {"mode", kString, "DCR"}};
constexpr AttrRow kSpaceToDepthAttrs[] = {{"blocksize", kInt, "!"}};
constexpr AttrRow kShapeAttrs[] = {{"end", kInt, ""}, {"start", kInt, "0"}};
constexpr AttrRow kConstantAttrs[] = {{"value", kTensor, "!"}};
constexpr AttrRow kConstantOfShapeAttrs[] = {{"shape", kInts, ""}, {"value", kTensor, ""}};
constexpr AttrRow kEyeLikeAttrs[] = {{"dtype", kInt, ""}, {"k", kInt, "0"}, {"shape", kInts, ""}};
constexpr AttrRow kSplitAttrs[] = {{"axis", kInt, "0"}, {"num_outputs", kInt, ""}, {"split", kInts, ""}};
constexpr AttrRow kSliceAttrs[] = {
    {"axes", kInts, ""}, {"ends", kInts, ""}, {"extents", kInts, ""}, {"starts", kInts, ""}, {"steps", kInts, ""}};
constexpr AttrRow kPadAttrs[] = {{"mode", kString, "constant"}, {"pads", kInts, ""}};
constexpr AttrRow kExpandAttrs[] = {{"shape", kInts, ""}};
constexpr AttrRow kTileAttrs[] = {{"repeats", kInts, ""}};
constexpr AttrRow kTriluAttrs[] = {{"k", kInt, "0"}, {"upper", kInt, "1"}};
constexpr AttrRow kReverseSequenceAttrs[] = {{"batch_axis", kInt, "1"}, {"time_axis", kInt, "0"}};
constexpr AttrRow kResizeAttrs[] = {{"antialias", kInt, "0"},
                                    {"axes", kInts, ""},
                                    {"coordinate_transformation_mode", kString, "half_pixel"},
                                    {"cubic_coeff_a", kFloat, "-0.75"},
                                    {"exclude_outside", kInt, "0"},
                                    {"extrapolation_value", kFloat, "0"},
                                    {"keep_aspect_ratio_policy", kString, ""},
                                    {"mode", kString, "nearest"},
                                    {"nearest_mode", kString, "round_prefer_floor"},
                                    {"roi", kFloats, ""},
                                    {"scales", kFloats, ""},
                                    {"sizes", kInts, ""}};
constexpr AttrRow kUpsampleAttrs[] = {{"mode", kString, "nearest"}, {"scales", kFloats, ""}};
constexpr AttrRow kGatherNdAttrs[] = {{"batch_dims", kInt, "0"}};
constexpr AttrRow kScatterAttrs[] = {{"axis", kInt, "0"}, {"reduction", kString, "none"}};
constexpr AttrRow kScatterNdAttrs[] = {{"reduction", kString, "none"}};
constexpr AttrRow kOneHotAttrs[] = {{"axis", kInt, "-1"}, {"depth", kInt, ""}};
constexpr AttrRow kQuantizeAttrs[] = {
    {"axis", kInt, "1"}, {"block_size", kInt, ""}, {"output_dtype", kInt, ""}, {"saturate", kInt, ""}};
constexpr AttrRow kDequantizeAttrs[] = {{"axis", kInt, "1"}, {"block_size", kInt, ""}};
constexpr AttrRow kRnnAttrs[] = {
    {"activation_alpha", kFloats, ""}, {"activation_beta", kFloats, ""}, {"activations", kStrings, ""}, {"clip", kFloat, ""},
    {"direction", kString, "forward"}, {"hidden_size", kInt, ""},        {"input_forget", kInt, "0"},   {"layout", kInt, "0"},
    {"linear_before_reset", kInt, "0"}};

// --- rows, in the order of op_kind.h -------------------------------------------------------------------------------------------
// {operator, inputs min, max, outputs min, max, since opset, attributes, rule, note}
constexpr std::span<const AttrRow> kNoAttrs{};
constexpr OpRow kRows[] = {
    {OpKind::kAbs, 1, 1, 1, 1, 7, kNoAttrs, rule_unary_numeric, ""},
    {OpKind::kAcos, 1, 1, 1, 1, 7, kNoAttrs, rule_unary_float, ""},
    {OpKind::kAcosh, 1, 1, 1, 1, 9, kNoAttrs, rule_unary_float, ""},
    {OpKind::kAdd, 2, 2, 1, 1, 7, kNoAttrs, rule_arithmetic, ""},
    {OpKind::kAnd, 2, 2, 1, 1, 7, kNoAttrs, rule_logic, ""},
    {OpKind::kArgMax, 1, 1, 1, 1, 7, kArgAttrs, rule_arg_reduce, ""},
    {OpKind::kArgMin, 1, 1, 1, 1, 7, kArgAttrs, rule_arg_reduce, ""},
    {OpKind::kAsin, 1, 1, 1, 1, 7, kNoAttrs, rule_unary_float, ""},
    {OpKind::kAsinh, 1, 1, 1, 1, 9, kNoAttrs, rule_unary_float, ""},
    {OpKind::kAtan, 1, 1, 1, 1, 7, kNoAttrs, rule_unary_float, ""},
    {OpKind::kAtanh, 1, 1, 1, 1, 9, kNoAttrs, rule_unary_float, ""},
    {OpKind::kAveragePool, 1, 1, 1, 1, 7, kAveragePoolAttrs, rule_pool, ""},
    {OpKind::kBatchNormalization, 5, 5, 1, 3, 7, kBatchNormAttrs, rule_batch_norm, "spatial = 0 (opset < 9) is refused"},
    {OpKind::kBitShift, 2, 2, 1, 1, 11, kBitShiftAttrs, rule_bit_shift, ""},
    {OpKind::kBitwiseAnd, 2, 2, 1, 1, 18, kNoAttrs, rule_bitwise, ""},
    {OpKind::kBitwiseNot, 1, 1, 1, 1, 18, kNoAttrs, rule_bitwise_not, ""},
    {OpKind::kBitwiseOr, 2, 2, 1, 1, 18, kNoAttrs, rule_bitwise, ""},
    {OpKind::kBitwiseXor, 2, 2, 1, 1, 18, kNoAttrs, rule_bitwise, ""},
    {OpKind::kCast, 1, 1, 1, 1, 7, kCastAttrs, rule_cast, "no strings"},
    {OpKind::kCastLike, 2, 2, 1, 1, 15, kCastLikeAttrs, rule_cast_like, "becomes Cast"},
    {OpKind::kCeil, 1, 1, 1, 1, 7, kNoAttrs, rule_unary_float, ""},
    {OpKind::kCelu, 1, 1, 1, 1, 12, kAlpha1, rule_unary_float, ""},
    {OpKind::kClip, 1, 3, 1, 1, 7, kNoAttrs, rule_clip, ""},
    {OpKind::kCompress, 2, 2, 1, 1, 9, kAxisOptional, rule_compress, "constant condition only; becomes Gather"},
    {OpKind::kConcat, 1, -1, 1, 1, 7, kAxisRequired, rule_concat, ""},
    {OpKind::kConstant, 0, 0, 1, 1, 7, kConstantAttrs, rule_constant, "no sparse tensors, no strings"},
    {OpKind::kConstantOfShape, 0, 1, 1, 1, 9, kConstantOfShapeAttrs, rule_constant_of_shape, "constant shape only"},
    {OpKind::kConv, 2, 3, 1, 1, 7, kConvAttrs, rule_conv, ""},
    {OpKind::kConvInteger, 2, 4, 1, 1, 10, kConvAttrs, rule_conv_integer, ""},
    {OpKind::kConvTranspose, 2, 3, 1, 1, 7, kConvTransposeAttrs, rule_conv_transpose, ""},
    {OpKind::kCos, 1, 1, 1, 1, 7, kNoAttrs, rule_unary_float, ""},
    {OpKind::kCosh, 1, 1, 1, 1, 9, kNoAttrs, rule_unary_float, ""},
    {OpKind::kCumSum, 1, 2, 1, 1, 11, kCumSumAttrs, rule_cumsum, "constant axis only"},
    {OpKind::kDepthToSpace, 1, 1, 1, 1, 7, kDepthToSpaceAttrs, rule_depth_to_space, ""},
    {OpKind::kDequantizeLinear, 2, 3, 1, 1, 10, kDequantizeAttrs, rule_dequantize, "not blocked"},
    {OpKind::kDiv, 2, 2, 1, 1, 7, kNoAttrs, rule_arithmetic, ""},
    {OpKind::kDropout, 1, 3, 1, 2, 7, kDropoutAttrs, rule_dropout, "inference only; becomes Identity"},
    {OpKind::kDynamicQuantizeLinear, 1, 1, 1, 3, 11, kNoAttrs, rule_dynamic_quantize, ""},
    {OpKind::kEinsum, 1, -1, 1, 1, 12, kEinsumAttrs, rule_einsum, ""},
    {OpKind::kElu, 1, 1, 1, 1, 7, kAlpha1, rule_unary_float, ""},
    {OpKind::kEqual, 2, 2, 1, 1, 7, kNoAttrs, rule_equal, ""},
    {OpKind::kErf, 1, 1, 1, 1, 9, kNoAttrs, rule_unary_float, ""},
    {OpKind::kExp, 1, 1, 1, 1, 7, kNoAttrs, rule_unary_float, ""},
    {OpKind::kExpand, 1, 2, 1, 1, 8, kExpandAttrs, rule_expand, "constant shape only"},
    {OpKind::kEyeLike, 0, 1, 1, 1, 9, kEyeLikeAttrs, rule_eye_like, ""},
    {OpKind::kFlatten, 1, 1, 1, 1, 7, kAxis1, rule_flatten, ""},
    {OpKind::kFloor, 1, 1, 1, 1, 7, kNoAttrs, rule_unary_float, ""},
    {OpKind::kGather, 2, 2, 1, 1, 7, kAxis0, rule_gather, ""},
    {OpKind::kGatherElements, 2, 2, 1, 1, 11, kAxis0, rule_gather_elements, ""},
    {OpKind::kGatherND, 2, 2, 1, 1, 11, kGatherNdAttrs, rule_gather_nd, ""},
    {OpKind::kGelu, 1, 1, 1, 1, 20, kGeluAttrs, rule_unary_float, ""},
    {OpKind::kGemm, 2, 3, 1, 1, 7, kGemmAttrs, rule_gemm, ""},
    {OpKind::kGlobalAveragePool, 1, 1, 1, 1, 7, kNoAttrs, rule_global_pool, ""},
    {OpKind::kGlobalLpPool, 1, 1, 1, 1, 7, kGlobalLpPoolAttrs, rule_global_pool, ""},
    {OpKind::kGlobalMaxPool, 1, 1, 1, 1, 7, kNoAttrs, rule_global_pool, ""},
    {OpKind::kGreater, 2, 2, 1, 1, 7, kNoAttrs, rule_compare, ""},
    {OpKind::kGreaterOrEqual, 2, 2, 1, 1, 12, kNoAttrs, rule_compare, ""},
    {OpKind::kGroupNormalization, 3, 3, 1, 1, 18, kGroupNormAttrs, rule_group_norm, ""},
    {OpKind::kGRU, 3, 6, 0, 2, 7, kRnnAttrs, rule_recurrent, ""},
    {OpKind::kHardSigmoid, 1, 1, 1, 1, 7, kHardSigmoidAttrs, rule_unary_float, ""},
    {OpKind::kHardSwish, 1, 1, 1, 1, 14, kNoAttrs, rule_unary_float, ""},
    {OpKind::kHardmax, 1, 1, 1, 1, 7, kAxisLast, rule_softmax, "opset < 13 flattens to two dimensions"},
    {OpKind::kIdentity, 1, 1, 1, 1, 7, kNoAttrs, rule_unary_any, ""},
    {OpKind::kInstanceNormalization, 3, 3, 1, 1, 7, kEpsilon, rule_instance_norm, ""},
    {OpKind::kIsInf, 1, 1, 1, 1, 10, kIsInfAttrs, rule_float_test, ""},
    {OpKind::kIsNaN, 1, 1, 1, 1, 9, kNoAttrs, rule_float_test, ""},
    {OpKind::kLayerNormalization, 2, 3, 1, 3, 17, kLayerNormAttrs, rule_layer_norm, ""},
    {OpKind::kLeakyRelu, 1, 1, 1, 1, 7, kLeaky, rule_unary_float, ""},
    {OpKind::kLess, 2, 2, 1, 1, 7, kNoAttrs, rule_compare, ""},
    {OpKind::kLessOrEqual, 2, 2, 1, 1, 12, kNoAttrs, rule_compare, ""},
    {OpKind::kLog, 1, 1, 1, 1, 7, kNoAttrs, rule_unary_float, ""},
    {OpKind::kLogSoftmax, 1, 1, 1, 1, 7, kAxisLast, rule_softmax, "opset < 13 flattens to two dimensions"},
    {OpKind::kLpNormalization, 1, 1, 1, 1, 7, kLpNormAttrs, rule_lp_norm, ""},
    {OpKind::kLpPool, 1, 1, 1, 1, 7, kLpPoolAttrs, rule_pool, ""},
    {OpKind::kLRN, 1, 1, 1, 1, 7, kLrnAttrs, rule_lrn, ""},
    {OpKind::kLSTM, 3, 8, 0, 3, 7, kRnnAttrs, rule_recurrent, ""},
    {OpKind::kMatMul, 2, 2, 1, 1, 7, kNoAttrs, rule_matmul, ""},
    {OpKind::kMatMulInteger, 2, 4, 1, 1, 10, kNoAttrs, rule_matmul_integer, ""},
    {OpKind::kMax, 1, -1, 1, 1, 7, kNoAttrs, rule_arithmetic, ""},
    {OpKind::kMaxPool, 1, 1, 1, 2, 7, kMaxPoolAttrs, rule_pool, ""},
    {OpKind::kMean, 1, -1, 1, 1, 7, kNoAttrs, rule_arithmetic, ""},
    {OpKind::kMeanVarianceNormalization, 1, 1, 1, 1, 9, kMvnAttrs, rule_mean_variance_norm, ""},
    {OpKind::kMin, 1, -1, 1, 1, 7, kNoAttrs, rule_arithmetic, ""},
    {OpKind::kMish, 1, 1, 1, 1, 18, kNoAttrs, rule_unary_float, ""},
    {OpKind::kMod, 2, 2, 1, 1, 10, kModAttrs, rule_arithmetic, ""},
    {OpKind::kMul, 2, 2, 1, 1, 7, kNoAttrs, rule_arithmetic, ""},
    {OpKind::kNeg, 1, 1, 1, 1, 7, kNoAttrs, rule_unary_numeric, ""},
    {OpKind::kNegativeLogLikelihoodLoss, 2, 3, 1, 1, 12, kLossAttrs, rule_nll_loss, ""},
    {OpKind::kNot, 1, 1, 1, 1, 7, kNoAttrs, rule_not, ""},
    {OpKind::kOneHot, 2, 3, 1, 1, 9, kOneHotAttrs, rule_one_hot, "constant depth only"},
    {OpKind::kOr, 2, 2, 1, 1, 7, kNoAttrs, rule_logic, ""},
    {OpKind::kPad, 1, 4, 1, 1, 7, kPadAttrs, rule_pad, "constant pads only"},
    {OpKind::kPow, 2, 2, 1, 1, 7, kNoAttrs, rule_pow, ""},
    {OpKind::kPRelu, 2, 2, 1, 1, 7, kNoAttrs, rule_prelu, ""},
    {OpKind::kQLinearConv, 8, 9, 1, 1, 10, kConvAttrs, rule_qlinear_conv, ""},
    {OpKind::kQLinearMatMul, 8, 8, 1, 1, 10, kNoAttrs, rule_qlinear_matmul, ""},
    {OpKind::kQuantizeLinear, 2, 3, 1, 1, 10, kQuantizeAttrs, rule_quantize, "not blocked"},
    {OpKind::kRange, 3, 3, 1, 1, 11, kNoAttrs, rule_range, "constant inputs only"},
    {OpKind::kReciprocal, 1, 1, 1, 1, 7, kNoAttrs, rule_unary_float, ""},
    {OpKind::kReduceL1, 1, 2, 1, 1, 7, kReduceAttrs, rule_reduce, "constant axes only"},
    {OpKind::kReduceL2, 1, 2, 1, 1, 7, kReduceAttrs, rule_reduce, "constant axes only"},
    {OpKind::kReduceLogSum, 1, 2, 1, 1, 7, kReduceAttrs, rule_reduce, "constant axes only"},
    {OpKind::kReduceLogSumExp, 1, 2, 1, 1, 7, kReduceAttrs, rule_reduce, "constant axes only"},
    {OpKind::kReduceMax, 1, 2, 1, 1, 7, kReduceAttrs, rule_reduce, "constant axes only"},
    {OpKind::kReduceMean, 1, 2, 1, 1, 7, kReduceAttrs, rule_reduce, "constant axes only"},
    {OpKind::kReduceMin, 1, 2, 1, 1, 7, kReduceAttrs, rule_reduce, "constant axes only"},
    {OpKind::kReduceProd, 1, 2, 1, 1, 7, kReduceAttrs, rule_reduce, "constant axes only"},
    {OpKind::kReduceSum, 1, 2, 1, 1, 7, kReduceAttrs, rule_reduce, "constant axes only"},
    {OpKind::kReduceSumSquare, 1, 2, 1, 1, 7, kReduceAttrs, rule_reduce, "constant axes only"},
    {OpKind::kRelu, 1, 1, 1, 1, 7, kNoAttrs, rule_unary_numeric, ""},
    {OpKind::kReshape, 1, 2, 1, 1, 7, kReshapeAttrs, rule_reshape, "constant shape only"},
    {OpKind::kResize, 1, 4, 1, 1, 10, kResizeAttrs, rule_resize, "constant sizes, scales, roi only"},
    {OpKind::kReverseSequence, 2, 2, 1, 1, 10, kReverseSequenceAttrs, rule_reverse_sequence, ""},
    {OpKind::kRNN, 3, 6, 0, 2, 7, kRnnAttrs, rule_recurrent, ""},
    {OpKind::kRound, 1, 1, 1, 1, 11, kNoAttrs, rule_unary_float, ""},
    {OpKind::kScatter, 3, 3, 1, 1, 9, kScatterAttrs, rule_scatter_elements, "becomes ScatterElements"},
    {OpKind::kScatterElements, 3, 3, 1, 1, 11, kScatterAttrs, rule_scatter_elements, ""},
    {OpKind::kScatterND, 3, 3, 1, 1, 11, kScatterNdAttrs, rule_scatter_nd, ""},
    {OpKind::kSelu, 1, 1, 1, 1, 7, kSeluAttrs, rule_unary_float, ""},
    {OpKind::kShape, 1, 1, 1, 1, 7, kShapeAttrs, rule_shape, "becomes a constant"},
    {OpKind::kShrink, 1, 1, 1, 1, 9, kShrinkAttrs, rule_unary_numeric, ""},
    {OpKind::kSigmoid, 1, 1, 1, 1, 7, kNoAttrs, rule_unary_float, ""},
    {OpKind::kSign, 1, 1, 1, 1, 9, kNoAttrs, rule_unary_numeric, ""},
    {OpKind::kSin, 1, 1, 1, 1, 7, kNoAttrs, rule_unary_float, ""},
    {OpKind::kSinh, 1, 1, 1, 1, 9, kNoAttrs, rule_unary_float, ""},
    {OpKind::kSize, 1, 1, 1, 1, 7, kNoAttrs, rule_size, "becomes a constant"},
    {OpKind::kSlice, 1, 5, 1, 1, 7, kSliceAttrs, rule_slice, "constant starts, ends, axes, steps only"},
    {OpKind::kSoftmax, 1, 1, 1, 1, 7, kAxisLast, rule_softmax, "opset < 13 flattens to two dimensions"},
    {OpKind::kSoftmaxCrossEntropyLoss, 2, 3, 1, 2, 12, kLossAttrs, rule_softmax_loss, ""},
    {OpKind::kSoftplus, 1, 1, 1, 1, 7, kNoAttrs, rule_unary_float, ""},
    {OpKind::kSoftsign, 1, 1, 1, 1, 7, kNoAttrs, rule_unary_float, ""},
    {OpKind::kSpaceToDepth, 1, 1, 1, 1, 7, kSpaceToDepthAttrs, rule_space_to_depth, ""},
    {OpKind::kSplit, 1, 2, 1, -1, 7, kSplitAttrs, rule_split, "constant sizes only"},
    {OpKind::kSqrt, 1, 1, 1, 1, 7, kNoAttrs, rule_unary_float, ""},
    {OpKind::kSqueeze, 1, 2, 1, 1, 7, kAxesOptional, rule_squeeze, "constant axes only"},
    {OpKind::kSub, 2, 2, 1, 1, 7, kNoAttrs, rule_arithmetic, ""},
    {OpKind::kSum, 1, -1, 1, 1, 7, kNoAttrs, rule_arithmetic, ""},
    {OpKind::kTan, 1, 1, 1, 1, 7, kNoAttrs, rule_unary_float, ""},
    {OpKind::kTanh, 1, 1, 1, 1, 7, kNoAttrs, rule_unary_float, ""},
    {OpKind::kThresholdedRelu, 1, 1, 1, 1, 10, kAlpha1, rule_unary_float, ""},
    {OpKind::kTile, 1, 2, 1, 1, 7, kTileAttrs, rule_tile, "constant repeats only"},
    {OpKind::kTopK, 1, 2, 1, 2, 7, kTopKAttrs, rule_topk, "constant K only"},
    {OpKind::kTranspose, 1, 1, 1, 1, 7, kTransposeAttrs, rule_transpose, ""},
    {OpKind::kTrilu, 1, 2, 1, 1, 14, kTriluAttrs, rule_trilu, "constant k only"},
    {OpKind::kUnsqueeze, 1, 2, 1, 1, 7, kAxesOptional, rule_unsqueeze, "constant axes only"},
    {OpKind::kUpsample, 1, 2, 1, 1, 7, kUpsampleAttrs, rule_upsample, "constant scales only; becomes Resize"},
    {OpKind::kWhere, 3, 3, 1, 1, 9, kNoAttrs, rule_where, ""},
    {OpKind::kXor, 2, 2, 1, 1, 7, kNoAttrs, rule_logic, ""},
};

constexpr bool in_order() {
  for (size_t i = 0; i < std::size(kRows); ++i)
    if (static_cast<size_t>(kRows[i].op) != i) return false;
  return std::size(kRows) == static_cast<size_t>(OpKind::kRemoved);
}
static_assert(in_order(), "one row for each operator, in the order of op_kind.h");

}  // namespace

const OpRow& op_row(OpKind op) {
  TLM_CHECK(op != OpKind::kRemoved) << "a removed node has no row";
  return kRows[static_cast<size_t>(op)];
}

}  // namespace tlm::ir
