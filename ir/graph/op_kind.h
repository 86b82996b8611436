// The operators of a Graph, by ONNX name. What each means is in op_table.h.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace tlm::ir {

// X(ONNX name). Alphabetical.
#define TLM_OPERATORS(X)                                                                                                  \
  X(Abs) X(Acos) X(Acosh) X(Add) X(And) X(ArgMax) X(ArgMin) X(Asin) X(Asinh) X(Atan) X(Atanh) X(AveragePool)              \
  X(BatchNormalization) X(BitShift) X(BitwiseAnd) X(BitwiseNot) X(BitwiseOr) X(BitwiseXor) X(Cast) X(CastLike) X(Ceil)    \
  X(Celu) X(Clip) X(Compress) X(Concat) X(Constant) X(ConstantOfShape) X(Conv) X(ConvInteger) X(ConvTranspose) X(Cos)     \
  X(Cosh) X(CumSum) X(DepthToSpace) X(DequantizeLinear) X(Div) X(Dropout) X(DynamicQuantizeLinear) X(Einsum) X(Elu)       \
  X(Equal) X(Erf) X(Exp) X(Expand) X(EyeLike) X(Flatten) X(Floor) X(Gather) X(GatherElements) X(GatherND) X(Gelu)         \
  X(Gemm) X(GlobalAveragePool) X(GlobalLpPool) X(GlobalMaxPool) X(Greater) X(GreaterOrEqual) X(GroupNormalization)        \
  X(GRU) X(HardSigmoid) X(HardSwish) X(Hardmax) X(Identity) X(InstanceNormalization) X(IsInf) X(IsNaN)                    \
  X(LayerNormalization) X(LeakyRelu) X(Less) X(LessOrEqual) X(Log) X(LogSoftmax) X(LpNormalization) X(LpPool) X(LRN)      \
  X(LSTM) X(MatMul) X(MatMulInteger) X(Max) X(MaxPool) X(Mean) X(MeanVarianceNormalization) X(Min) X(Mish) X(Mod) X(Mul)  \
  X(Neg) X(NegativeLogLikelihoodLoss) X(Not) X(OneHot) X(Or) X(Pad) X(Pow) X(PRelu) X(QLinearConv) X(QLinearMatMul)       \
  X(QuantizeLinear) X(Range) X(Reciprocal) X(ReduceL1) X(ReduceL2) X(ReduceLogSum) X(ReduceLogSumExp) X(ReduceMax)        \
  X(ReduceMean) X(ReduceMin) X(ReduceProd) X(ReduceSum) X(ReduceSumSquare) X(Relu) X(Reshape) X(Resize)                   \
  X(ReverseSequence) X(RNN) X(Round) X(Scatter) X(ScatterElements) X(ScatterND) X(Selu) X(Shape) X(Shrink) X(Sigmoid)     \
  X(Sign) X(Sin) X(Sinh) X(Size) X(Slice) X(Softmax) X(SoftmaxCrossEntropyLoss) X(Softplus) X(Softsign) X(SpaceToDepth)   \
  X(Split) X(Sqrt) X(Squeeze) X(Sub) X(Sum) X(Tan) X(Tanh) X(ThresholdedRelu) X(Tile) X(TopK) X(Transpose) X(Trilu)       \
  X(Unsqueeze) X(Upsample) X(Where) X(Xor)

enum class OpKind : uint16_t {
#define X(name) k##name,
  TLM_OPERATORS(X)
#undef X
      kRemoved,
};

std::string_view op_kind_name(OpKind op);
std::optional<OpKind> parse_op_kind(std::string_view onnx_name);

}  // namespace tlm::ir
