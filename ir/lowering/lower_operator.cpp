#include "tlm/ir/lowering/lower_operator.h"

#include "tlm/core/error.h"
#include "tlm/ir/lowering/families.h"

namespace tlm::ir {
namespace {

TensorDecl declaration(const std::string& name, DType t, Shape shape, TensorRole role) {
  TensorDecl d;
  d.name = name;
  d.dtype = t;
  d.strides = row_major_strides(shape);
  d.buffer_elements = element_count(shape);
  d.shape = std::move(shape);
  d.role = role;
  return d;
}

struct Row {
  OpKind op;
  Route route;
  void (*lower)(NodeLowering&);  // null: a runtime call
};

constexpr Route S = Route::kStages, V = Route::kView, C = Route::kRuntimeCall, F = Route::kFoldOnly;

constexpr Row kRows[] = {
    {OpKind::kAbs, S, lower_unary},
    {OpKind::kAcos, S, lower_unary},
    {OpKind::kAcosh, S, lower_unary},
    {OpKind::kAdd, S, lower_binary},
    {OpKind::kAnd, S, lower_binary},
    {OpKind::kArgMax, S, lower_arg_reduce},
    {OpKind::kArgMin, S, lower_arg_reduce},
    {OpKind::kAsin, S, lower_unary},
    {OpKind::kAsinh, S, lower_unary},
    {OpKind::kAtan, S, lower_unary},
    {OpKind::kAtanh, S, lower_unary},
    {OpKind::kAveragePool, S, lower_average_pool},
    {OpKind::kBatchNormalization, S, lower_batch_normalization},
    {OpKind::kBitShift, S, lower_binary},
    {OpKind::kBitwiseAnd, S, lower_binary},
    {OpKind::kBitwiseNot, S, lower_unary},
    {OpKind::kBitwiseOr, S, lower_binary},
    {OpKind::kBitwiseXor, S, lower_binary},
    {OpKind::kCast, S, lower_cast},
    {OpKind::kCastLike, S, lower_cast},
    {OpKind::kCeil, S, lower_unary},
    {OpKind::kCelu, S, lower_activation},
    {OpKind::kClip, S, lower_clip},
    {OpKind::kCompress, S, lower_compress},
    {OpKind::kConcat, S, lower_concat},
    {OpKind::kConstant, F, lower_constant},
    {OpKind::kConstantOfShape, F, lower_constant_of_shape},
    {OpKind::kConv, S, lower_conv},
    {OpKind::kConvInteger, S, lower_conv_integer},
    {OpKind::kConvTranspose, S, lower_conv_transpose},
    {OpKind::kCos, S, lower_unary},
    {OpKind::kCosh, S, lower_unary},
    {OpKind::kCumSum, S, lower_cumsum},
    {OpKind::kDepthToSpace, S, lower_depth_to_space},
    {OpKind::kDequantizeLinear, S, lower_dequantize_linear},
    {OpKind::kDiv, S, lower_binary},
    {OpKind::kDropout, V, lower_dropout},
    {OpKind::kDynamicQuantizeLinear, S, lower_dynamic_quantize_linear},
    {OpKind::kEinsum, S, lower_einsum},
    {OpKind::kElu, S, lower_activation},
    {OpKind::kEqual, S, lower_binary},
    {OpKind::kErf, S, lower_unary},
    {OpKind::kExp, S, lower_unary},
    {OpKind::kExpand, S, lower_expand},
    {OpKind::kEyeLike, S, lower_eye_like},
    {OpKind::kFlatten, V, lower_copy},
    {OpKind::kFloor, S, lower_unary},
    {OpKind::kGather, S, lower_gather},
    {OpKind::kGatherElements, S, lower_gather_elements},
    {OpKind::kGatherND, S, lower_gather_nd},
    {OpKind::kGelu, S, lower_activation},
    {OpKind::kGemm, S, lower_gemm},
    {OpKind::kGlobalAveragePool, S, lower_global_pool},
    {OpKind::kGlobalLpPool, S, lower_global_pool},
    {OpKind::kGlobalMaxPool, S, lower_global_pool},
    {OpKind::kGreater, S, lower_binary},
    {OpKind::kGreaterOrEqual, S, lower_binary},
    {OpKind::kGroupNormalization, S, lower_group_normalization},
    {OpKind::kGRU, C, nullptr},
    {OpKind::kHardSigmoid, S, lower_activation},
    {OpKind::kHardSwish, S, lower_activation},
    {OpKind::kHardmax, S, lower_hardmax},
    {OpKind::kIdentity, V, lower_copy},
    {OpKind::kInstanceNormalization, S, lower_instance_normalization},
    {OpKind::kIsInf, S, lower_unary},
    {OpKind::kIsNaN, S, lower_unary},
    {OpKind::kLayerNormalization, S, lower_layer_normalization},
    {OpKind::kLeakyRelu, S, lower_activation},
    {OpKind::kLess, S, lower_binary},
    {OpKind::kLessOrEqual, S, lower_binary},
    {OpKind::kLog, S, lower_unary},
    {OpKind::kLogSoftmax, S, lower_softmax},
    {OpKind::kLpNormalization, S, lower_lp_normalization},
    {OpKind::kLpPool, S, lower_lp_pool},
    {OpKind::kLRN, S, lower_lrn},
    {OpKind::kLSTM, C, nullptr},
    {OpKind::kMatMul, S, lower_matmul},
    {OpKind::kMatMulInteger, S, lower_matmul_integer},
    {OpKind::kMax, S, lower_variadic},
    {OpKind::kMaxPool, S, lower_max_pool},
    {OpKind::kMean, S, lower_variadic},
    {OpKind::kMeanVarianceNormalization, S, lower_mean_variance_normalization},
    {OpKind::kMin, S, lower_variadic},
    {OpKind::kMish, S, lower_activation},
    {OpKind::kMod, S, lower_mod},
    {OpKind::kMul, S, lower_binary},
    {OpKind::kNeg, S, lower_unary},
    {OpKind::kNegativeLogLikelihoodLoss, S, lower_nll_loss},
    {OpKind::kNot, S, lower_unary},
    {OpKind::kOneHot, S, lower_one_hot},
    {OpKind::kOr, S, lower_binary},
    {OpKind::kPad, S, lower_pad},
    {OpKind::kPow, S, lower_pow},
    {OpKind::kPRelu, S, lower_activation},
    {OpKind::kQLinearConv, S, lower_qlinear_conv},
    {OpKind::kQLinearMatMul, S, lower_qlinear_matmul},
    {OpKind::kQuantizeLinear, S, lower_quantize_linear},
    {OpKind::kRange, F, lower_range},
    {OpKind::kReciprocal, S, lower_unary},
    {OpKind::kReduceL1, S, lower_reduce},
    {OpKind::kReduceL2, S, lower_reduce},
    {OpKind::kReduceLogSum, S, lower_reduce},
    {OpKind::kReduceLogSumExp, S, lower_reduce},
    {OpKind::kReduceMax, S, lower_reduce},
    {OpKind::kReduceMean, S, lower_reduce},
    {OpKind::kReduceMin, S, lower_reduce},
    {OpKind::kReduceProd, S, lower_reduce},
    {OpKind::kReduceSum, S, lower_reduce},
    {OpKind::kReduceSumSquare, S, lower_reduce},
    {OpKind::kRelu, S, lower_activation},
    {OpKind::kReshape, V, lower_copy},
    {OpKind::kResize, S, lower_resize},
    {OpKind::kReverseSequence, S, lower_reverse_sequence},
    {OpKind::kRNN, C, nullptr},
    {OpKind::kRound, S, lower_unary},
    {OpKind::kScatter, C, nullptr},
    {OpKind::kScatterElements, C, nullptr},
    {OpKind::kScatterND, C, nullptr},
    {OpKind::kSelu, S, lower_activation},
    {OpKind::kShape, F, lower_shape},
    {OpKind::kShrink, S, lower_activation},
    {OpKind::kSigmoid, S, lower_activation},
    {OpKind::kSign, S, lower_unary},
    {OpKind::kSin, S, lower_unary},
    {OpKind::kSinh, S, lower_unary},
    {OpKind::kSize, F, lower_shape},
    {OpKind::kSlice, S, lower_slice},
    {OpKind::kSoftmax, S, lower_softmax},
    {OpKind::kSoftmaxCrossEntropyLoss, S, lower_softmax_cross_entropy},
    {OpKind::kSoftplus, S, lower_activation},
    {OpKind::kSoftsign, S, lower_activation},
    {OpKind::kSpaceToDepth, S, lower_space_to_depth},
    {OpKind::kSplit, S, lower_split},
    {OpKind::kSqrt, S, lower_unary},
    {OpKind::kSqueeze, V, lower_copy},
    {OpKind::kSub, S, lower_binary},
    {OpKind::kSum, S, lower_variadic},
    {OpKind::kTan, S, lower_unary},
    {OpKind::kTanh, S, lower_unary},
    {OpKind::kThresholdedRelu, S, lower_activation},
    {OpKind::kTile, S, lower_tile},
    {OpKind::kTopK, C, nullptr},
    {OpKind::kTranspose, S, lower_transpose},
    {OpKind::kTrilu, S, lower_trilu},
    {OpKind::kUnsqueeze, V, lower_copy},
    {OpKind::kUpsample, S, lower_resize},
    {OpKind::kWhere, S, lower_where},
    {OpKind::kXor, S, lower_binary},
};

// The rows stand in the order of the enumeration: a row is found by its number.
constexpr bool in_order() {
  for (size_t i = 0; i < std::size(kRows); ++i) {
    if (kRows[i].op != static_cast<OpKind>(i)) return false;
  }
  return std::size(kRows) == static_cast<size_t>(OpKind::kRemoved);
}
static_assert(in_order(), "one row for each operator, in the order of TLM_OPERATORS");

const Row& row(OpKind op) {
  TLM_CHECK(op < OpKind::kRemoved) << "operator number " << static_cast<int>(op);
  return kRows[static_cast<size_t>(op)];
}

}  // namespace

int SubgraphBuilder::tensor(ValueId v) {
  TLM_CHECK(v.valid()) << "an absent value";
  for (size_t t = 0; t < binding.size(); ++t) {
    if (binding[t] == v) return static_cast<int>(t);
  }
  const Value& value = graph_.value(v);
  TensorDecl d = declaration(value.name, value.dtype, value.shape, value.constant ? TensorRole::kConstant : TensorRole::kInput);
  if (!value.constant) d.strides = physical_strides(value.shape, value.order);
  subgraph.tensors.push_back(std::move(d));
  binding.push_back(v);
  made_up.emplace_back();
  return static_cast<int>(subgraph.tensors.size()) - 1;
}

int SubgraphBuilder::internal(const std::string& name, DType t, Shape shape) {
  subgraph.tensors.push_back(declaration(name, t, std::move(shape), TensorRole::kInternal));
  binding.emplace_back();
  made_up.emplace_back();
  return static_cast<int>(subgraph.tensors.size()) - 1;
}

int SubgraphBuilder::constant(const std::string& name, Tensor data) {
  subgraph.tensors.push_back(declaration(name, data.dtype(), data.shape(), TensorRole::kConstant));
  binding.emplace_back();
  made_up.emplace_back(std::move(data));
  return static_cast<int>(subgraph.tensors.size()) - 1;
}

int SubgraphBuilder::add_stage(Stage s) {
  for (const StageOutput& o : s.outputs) {
    TensorDecl& d = subgraph.tensors[static_cast<size_t>(o.tensor)];
    TLM_CHECK(d.role != TensorRole::kConstant) << "stage " << s.name << " writes the constant " << d.name;
    TLM_CHECK(o.indices.size() == d.shape.size())
        << "stage " << s.name << " writes " << d.name << " with " << o.indices.size() << " indices";
    if (d.role == TensorRole::kInput) d.role = TensorRole::kOutput;
  }
  subgraph.stages.push_back(std::move(s));
  return static_cast<int>(subgraph.stages.size()) - 1;
}

Expr SubgraphBuilder::read(ValueId v, std::vector<Expr> indices) {
  const Value& value = graph_.value(v);
  TLM_CHECK(indices.size() == value.shape.size())
      << value.name << " of rank " << value.shape.size() << " read with " << indices.size() << " indices";
  if (value.constant && value.constant->size() == 1) {
    return is_float(value.dtype) ? make_float(value.constant->at_f64(0), value.dtype)
                                 : make_int(value.constant->at_i64(0), value.dtype);
  }
  return make_load(tensor(v), value.dtype, std::move(indices));
}

Route route(OpKind op) { return row(op).route; }

std::string runtime_call_name(OpKind op) {
  TLM_CHECK(route(op) == Route::kRuntimeCall) << op_kind_name(op) << " is not a runtime call";
  return std::string(op_kind_name(op));
}

void lower_node(const Node& node, SubgraphBuilder& b) {
  const Row& r = row(node.op);
  TLM_CHECK(r.lower != nullptr) << op_kind_name(node.op) << " is a runtime call";
  NodeLowering l(node, b);
  r.lower(l);
}

}  // namespace tlm::ir
