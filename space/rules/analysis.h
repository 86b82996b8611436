// What the rules ask about a nest: accesses and their strides, reuse, types, work.
#pragma once

#include <cstdint>
#include <vector>

#include "tlm/ir/tensor/subgraph.h"
#include "tlm/space/physical_layout.h"
#include "tlm/space/plan.h"

namespace tlm::space {

inline constexpr int64_t kIrregular = INT64_MIN;  // the address is no affine function of the axis

// One distinct address expression of a nest.
struct Access {
  int tensor = -1;
  bool constant = false;  // the tensor is bound at package time
  bool epilogue = false;  // of an epilogue stage or of the root's result: once for each accumulator
  bool index = false;     // its value is (part of) an address
  int64_t element_bytes = 4;
  std::vector<ir::Expr> indices;  // logical, over the axes of the root
  Shape shape;                    // of the tensor
  int contiguous = -1;  // dimension whose neighbours are neighbours in memory; -1 for constants: a schedule may lay them out
  std::vector<std::vector<int64_t>> reach;  // by dimension, by axis: how far one step moves the index; empty: no affine function
  std::vector<int64_t> stride;              // by axis of the root: elements; 0: same address; kIrregular
  // Accesses that differ by constants only move through memory together. One of them stands for all; the others are `covered`.
  std::vector<int64_t> spread;  // by dimension: how far the indices of the group lie apart; empty: a group of one
  bool covered = false;
  bool depends(int axis) const { return stride[axis] != 0; }
};

struct NestInfo {
  int stage = -1;
  ir::Stage root;                   // producers inlined
  std::vector<ir::Stage> epilogue;  // producers inlined
  std::vector<int64_t> extent;      // by axis
  int spatial = 0;                  // the first `spatial` axes are spatial
  int scan = -1;                    // the scan axis
  bool reduces = false;             // has a combiner
  std::vector<Access> loads;        // distinct; values that stay in registers excluded
  std::vector<Access> stores;       // tensors that leave the nest
  std::vector<bool> guard_varies;   // by axis: a select decided by axes alone changes its mind along it
  int value_bytes = 4;              // of the widest element type that is computed with (f16 and bf16 are computed in f32)
  int accumulators = 1;             // values kept for each point
  bool own_memory = false;   // no operand can share memory with an output: all are read at other points too, or are constants
  bool reorderable = false;  // the combiner is associative and commutative
  double body_ops = 0;       // arithmetic nodes for each point of the full domain
  double point_ops = 0;      // arithmetic nodes for each stored point (result and epilogue)
  int temporaries = 0;       // vector values alive beside accumulators and operands, roughly
  double spatial_points = 1, points = 1;

  bool is_reduction_axis(int a) const { return a >= spatial && a != scan; }
};

// Nest of `root` with the given epilogue. All attachments are decided.
NestInfo analyse_nest(const ir::Subgraph& g, const std::vector<Attach>& attach, int root, const std::vector<int>& epilogue);

// Elements by which the address moves with one step of a stage's axis; kIrregular: no affine function.
int64_t stride_along(const ir::Subgraph& g, int tensor, const std::vector<ir::Expr>& indices, const ir::Stage& s, int axis);

// Whether two index expressions agree at every point (axes of one point do not matter). False where it cannot tell.
bool same_index(const ir::Expr& a, const ir::Expr& b, const std::vector<int64_t>& extents);

// True if the index is exactly one axis: returns it, else -1. An axis of one point counts as 0.
int plain_axis(const ir::Expr& index, const std::vector<int64_t>& extents);

// True if the address moves by 0 or 1 elements along the axis, or can be made to: a constant that may be packed.
bool streams_along(const NestInfo& n, const Access& a, int axis);
// A constant whose panels may be contiguous along `axis`: it moves the index of one dimension by 1 and no other's.
bool packable_along(const NestInfo& n, const Access& a, int axis);

inline int64_t ceil_div(int64_t a, int64_t b) { return (a + b - 1) / b; }
inline int64_t round_up(int64_t a, int64_t b) { return ceil_div(a, b) * b; }

}  // namespace tlm::space
