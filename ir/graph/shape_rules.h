// What the shape rules share. A rule sees one node, brings it to canonical form (op_table.h) and states its outputs.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "tlm/core/error.h"
#include "tlm/ir/graph/op_table.h"

namespace tlm::ir {

struct RuleContext {
  Graph& g;
  NodeId id;
  int opset = 17;

  Node& node() { return g.node(id); }
  // "node 'conv1', operator Conv, opset 11"; a node without a name is called by its first output.
  std::string where();
  [[noreturn]] void fail(const std::string& what);         // Error(kBadModel)
  [[noreturn]] void unsupported(const std::string& what);  // Error(kUnsupported)
  [[noreturn]] void data_dependent(const std::string& input);
  // The one integer of constant input `i`, which no shape depends on but no lowering takes as data either.
  int64_t const_int(int i, const std::string& name);

  // Inputs. All but has() require the input to be present (fail says which is missing).
  int inputs() { return static_cast<int>(node().inputs.size()); }
  bool has(int i);
  ValueId input(int i);
  const Shape& shape(int i);
  int rank(int i) { return static_cast<int>(shape(i).size()); }
  DType dtype(int i);
  const Tensor* constant(int i);                                    // null if not constant
  std::vector<int64_t> const_ints(int i, const std::string& name);  // data_dependent if not constant
  std::vector<double> const_floats(int i, const std::string& name);
  void keep_inputs(int count);  // drops the others, and absent ones at the end
  void require_same_dtype(int a, int b);
  void require_rank(int i, int at_least, int at_most = 64);

  // Attributes (present when the row has a default).
  bool has_attr(const std::string& key) { return node().has_attr(key); }
  int64_t attr_int(const std::string& key) { return node().attr_int(key, 0); }
  std::vector<int64_t> attr_ints(const std::string& key) { return node().attr_ints(key); }
  void set(const std::string& key, AttrValue v) { node().attrs[key] = std::move(v); }
  // The integers of attribute `key`, or of constant input `i` (dropped by keep_inputs later); nothing if neither is there.
  std::optional<std::vector<int64_t>> attr_or_input(const std::string& key, int i);
  // `axis` in [-rank, rank) (or rank itself if `past_end`) made non-negative; stored back by the attribute form.
  int64_t normal_axis(int64_t axis, int rank, bool past_end = false);
  int64_t axis_attr(const std::string& key, int rank, bool past_end = false);
  std::vector<int64_t> normal_axes(std::vector<int64_t> axes, int rank);  // sorted, distinct or fail

  // Outputs.
  void output(int i, DType t, Shape s);  // ignored if nobody names output i
  // numpy broadcast of the shapes of inputs first … last (those present).
  Shape broadcast(int first, int last);
};

// Checked arithmetic: fail on overflow.
int64_t checked_mul(RuleContext& c, int64_t a, int64_t b);
int64_t checked_add(RuleContext& c, int64_t a, int64_t b);
// Product of extents [first, last), checked.
int64_t product(RuleContext& c, const Shape& s, size_t first, size_t last);

// --- the rules by family; the operators of each are in op_table.cpp ------------------------------------------------------------
// shape_rules_elementwise.cpp
void rule_unary_float(RuleContext& c);
void rule_unary_numeric(RuleContext& c);
void rule_unary_any(RuleContext& c);
void rule_not(RuleContext& c);
void rule_bitwise_not(RuleContext& c);
void rule_float_test(RuleContext& c);
void rule_arithmetic(RuleContext& c);
void rule_pow(RuleContext& c);
void rule_logic(RuleContext& c);
void rule_bitwise(RuleContext& c);
void rule_bit_shift(RuleContext& c);
void rule_equal(RuleContext& c);
void rule_compare(RuleContext& c);
void rule_prelu(RuleContext& c);
void rule_where(RuleContext& c);
void rule_clip(RuleContext& c);
void rule_cast(RuleContext& c);
void rule_cast_like(RuleContext& c);
void rule_dropout(RuleContext& c);
// shape_rules_spatial.cpp
void rule_conv(RuleContext& c);
void rule_conv_integer(RuleContext& c);
void rule_qlinear_conv(RuleContext& c);
void rule_conv_transpose(RuleContext& c);
void rule_pool(RuleContext& c);
void rule_global_pool(RuleContext& c);
// shape_rules_contraction.cpp
void rule_matmul(RuleContext& c);
void rule_matmul_integer(RuleContext& c);
void rule_qlinear_matmul(RuleContext& c);
void rule_gemm(RuleContext& c);
void rule_einsum(RuleContext& c);
// shape_rules_reduction.cpp
void rule_reduce(RuleContext& c);
void rule_arg_reduce(RuleContext& c);
void rule_softmax(RuleContext& c);
void rule_cumsum(RuleContext& c);
void rule_topk(RuleContext& c);
void rule_nll_loss(RuleContext& c);
void rule_softmax_loss(RuleContext& c);
// shape_rules_normalization.cpp
void rule_batch_norm(RuleContext& c);
void rule_instance_norm(RuleContext& c);
void rule_group_norm(RuleContext& c);
void rule_layer_norm(RuleContext& c);
void rule_lrn(RuleContext& c);
void rule_lp_norm(RuleContext& c);
void rule_mean_variance_norm(RuleContext& c);
// shape_rules_shape.cpp: the same elements under another shape, and shapes as values
void rule_reshape(RuleContext& c);
void rule_flatten(RuleContext& c);
void rule_squeeze(RuleContext& c);
void rule_unsqueeze(RuleContext& c);
void rule_transpose(RuleContext& c);
void rule_depth_to_space(RuleContext& c);
void rule_space_to_depth(RuleContext& c);
void rule_shape(RuleContext& c);
void rule_size(RuleContext& c);
void rule_constant(RuleContext& c);
void rule_constant_of_shape(RuleContext& c);
void rule_eye_like(RuleContext& c);
void rule_range(RuleContext& c);
// shape_rules_movement.cpp
void rule_concat(RuleContext& c);
void rule_split(RuleContext& c);
void rule_slice(RuleContext& c);
void rule_pad(RuleContext& c);
void rule_expand(RuleContext& c);
void rule_tile(RuleContext& c);
void rule_trilu(RuleContext& c);
void rule_reverse_sequence(RuleContext& c);
// shape_rules_resize.cpp
void rule_resize(RuleContext& c);
void rule_upsample(RuleContext& c);
// shape_rules_gather.cpp
void rule_gather(RuleContext& c);
void rule_gather_elements(RuleContext& c);
void rule_gather_nd(RuleContext& c);
void rule_scatter_elements(RuleContext& c);
void rule_scatter_nd(RuleContext& c);
void rule_one_hot(RuleContext& c);
void rule_compress(RuleContext& c);
// shape_rules_quantized.cpp
void rule_quantize(RuleContext& c);
void rule_dequantize(RuleContext& c);
void rule_dynamic_quantize(RuleContext& c);
// shape_rules_recurrent.cpp
void rule_recurrent(RuleContext& c);

}  // namespace tlm::ir
