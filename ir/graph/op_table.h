// One row for each operator: arity, attributes, opsets, and the rule that gives shapes and types. Also the law of the *canonical
// form*: what every pass and every lowering sees after infer_node, whatever opset or spelling the model used.
//
// ---------------------------------------------------------------------------------------------------------------------------
// Canonical form, for all operators
//
//  * Every attribute of the row that has a default is present in Node.attrs, of the type the row says. `axis` and `axes` are
//    non-negative; `axes` is sorted and without repetition (axes of Unsqueeze count dimensions of the output).
//  * What must be constant is an ATTRIBUTE, never an input: the inputs listed under "attributes from inputs" are dropped.
//    Node.inputs then holds data only, in the order given below. Absent optional inputs are invalid ids; trailing ones are cut.
//    Outputs that nobody names are invalid ids; trailing ones are cut.
//  * The output's shape and dtype are in its Value and need not be derived again. Extents may be 0.
//  * Broadcasting is numpy's. Except where said, all data inputs have one dtype, the output's.
//
// Attributes from inputs (all the others are data, constant or not)
//
//   Reshape                [x]              shape: the final extents, no -1 left, a 0 is an extent (allowzero = 1)
//   Expand                 [x]              shape: the output's extents (x broadcasts to them)
//   Squeeze, Unsqueeze     [x]              axes
//   Flatten                [x]              axis (0 … rank)
//   Reduce*                [x]              axes (all that are reduced; empty: none, then noop_with_empty_axes = 1), keepdims
//   Slice                  [x]              starts, steps, extents: one entry for EACH dimension, inside bounds:
//                                           y[i…] = x[starts[d] + steps[d]·i_d …], 0 <= i_d < extents[d] (the output's shape)
//   Pad                    [x, value?]      pads: 2·rank (begins, then ends), negative crops; mode: constant, reflect, edge, wrap.
//                                           value: a scalar of x's dtype, 0 if absent
//   Split                  [x]              axis, split: the sizes of all parts, also of those at the end that no output names
//   Tile                   [x]              repeats: rank entries
//   TopK                   [x]              k, axis, largest, sorted; outputs values, indices (i64)
//   OneHot                 [indices, values]  depth, axis; values = [off, on]; indices of any numeric type, negative ones wrap
//   CumSum                 [x]              axis, exclusive, reverse
//   Trilu                  [x]              k, upper
//   Range                  [start, limit, delta]  constant scalars; stays a node only while its result is large
//   ConstantOfShape        []               value: one element of the output's dtype; shape: the output's extents
//   EyeLike                []               k; shape: the output's extents; dtype: ONNX's number of the output's dtype
//   Resize                 [x]              sizes: the output's extents; scales: rank doubles (output/input where the model gave
//                                           sizes), to be used for coordinates;
//                                           roi: 2·rank doubles (starts, ends; coordinate_transformation_mode tf_crop_and_resize
//                                           only); mode: nearest, linear, cubic; coordinate_transformation_mode; nearest_mode;
//                                           cubic_coeff_a; exclude_outside; extrapolation_value; antialias
//   Clip                   [x, min?, max?]  min, max stay INPUTS (scalars, constant or not)
//   QuantizeLinear, DequantizeLinear, QLinear*   scales and zero points stay inputs; axis where the operator has one
//
// Spatial operators: Conv, ConvTranspose, ConvInteger, QLinearConv, AveragePool, MaxPool, LpPool
//   kernel_shape, strides, dilations (n entries each for n spatial dimensions) and pads (2·n: begins, then ends) are always
//   present; auto_pad and ConvTranspose's output_shape are resolved into pads and removed; group is present.
//   Output extents come from the output's shape: with ceil_mode the last window may reach past the padded input. Max ignores
//   what lies outside; an average with count_include_pad = 0 divides by the elements inside x, with 1 by those inside the padded
//   extent. MaxPool may have a second output, indices (i64): flat positions in x, storage_order 0 row-major, 1 column-major.
//   ConvTranspose: y[o] gathers x[i]·w[ci, co/group, k] with o = i·stride - pad_begin + k·dilation; output_padding only makes the
//   output longer.
//
// Replaced while a model is read (never seen by passes or lowering)
//   Constant → constant value.  Shape, Size → constant value.  Upsample → Resize (asymmetric, floor).  Scatter → ScatterElements.
//   Dropout → Identity (and a mask of true); training with a ratio other than 0 is unsupported.
//   CastLike → Cast [x]; `to` is ONNX's number of the output's dtype.
//   Compress with a constant condition → Gather with constant indices; otherwise unsupported.
//   Softmax, LogSoftmax, Hardmax of opset < 13 (flattening to 2-D) → Reshape, operator over axis 1, Reshape, unless the axis is the
//   last one. So `axis` always means that one dimension.
//   GroupNormalization: scale and bias are [channels] (the form of opset 21).
//
// Others
//   Einsum: `equation` is explicit ("ij,jk->ik"), letters only, one for each dimension of each operand; ellipses are expanded. An
//     operand may have extent 1 where the letter's extent is larger (it is then read at 0).
//   BatchNormalization: [x, scale, bias, mean, variance] → [y]; training_mode 1 → [y, running_mean, running_variance].
//   LayerNormalization: [x, scale, bias?] → [y, mean?, inv_std?]; axis: the first of the normalised dimensions.
//   Pow: the exponent may have another dtype; the output has the base's.   PRelu: slope broadcasts to x, not the reverse.
//   Transpose: perm is present.   Gemm: [a, b, c?], transA, transB, alpha, beta; c broadcasts to the output.
//   Gather, GatherElements, GatherND, ScatterElements, ScatterND: indices i32 or i64, negative ones count from the end.
//   Comparisons, And, Or, Xor, Not, IsNaN, IsInf give kBool.   ArgMax, ArgMin give i64: axis, keepdims, select_last_index.
//   Where: [condition (kBool), a, b].   Identity, Cast: [x].   Mod: fmod.   BitShift: direction LEFT or RIGHT.
//   RNN, GRU, LSTM: ONNX inputs as they are (invalid ids where absent), attributes with defaults; direction, hidden_size, layout.
// ---------------------------------------------------------------------------------------------------------------------------
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tlm/ir/graph/graph.h"

namespace tlm::ir {

enum class AttrType : uint8_t { kInt, kFloat, kString, kInts, kFloats, kStrings, kTensor };

// One allowed attribute. `otherwise` is its default as text ("" for none: then it is optional without default; "!" : required):
// numbers, words, or lists of numbers without brackets.
struct AttrRow {
  std::string_view name;
  AttrType type;
  std::string_view otherwise;
};

// What a rule sees and completes: it normalises the node's attributes and inputs and says shape and dtype of each output.
struct RuleContext;
using ShapeRule = void (*)(RuleContext&);

struct OpRow {
  OpKind op;
  int min_inputs, max_inputs;    // as in the newest form of ONNX (before constant inputs become attributes); -1: any number
  int min_outputs, max_outputs;
  int since;                     // first opset that has the operator (7: older ones exist, but are not read)
  std::span<const AttrRow> attrs;
  ShapeRule rule;
  std::string_view note;         // for docs/operators.md; may be empty
};

const OpRow& op_row(OpKind op);

// Brings `n` to canonical form and sets shape and dtype of its outputs (already added values). Inputs' shapes and dtypes must be
// known; inputs that determine shapes must be constant. `opset` is for messages only: older *meanings* are upgraded by the reader.
// Throws Error(kBadModel) with the node, the operator and the two values that disagree; Error(kUnsupported) "output shape depends
// on data".
void infer_node(Graph& g, NodeId n, int opset = 17);

// Adds a node and its `outputs` output values (named after `name`), inferred. Inputs may be in the newest ONNX form (constant
// inputs) or in canonical form (attributes). For networks and passes that build graphs.
std::vector<ValueId> add_op(Graph& g, OpKind op, std::vector<ValueId> inputs, Attributes attrs = {}, const std::string& name = {},
                            int outputs = 1);

}  // namespace tlm::ir
