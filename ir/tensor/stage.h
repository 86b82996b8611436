// One tensor expression: for every point of the spatial axes, combine the body over the reduction axes, then compute the outputs.
#pragma once

#include <string>
#include <vector>

#include "tlm/ir/tensor/expr.h"

namespace tlm::ir {

enum class AxisKind : uint8_t {
  kSpatial,  // independent points
  kReduce,   // combined away
  kScan,     // combined in increasing order; every prefix is an output (at most one, last)
};

struct Axis {
  std::string name;  // for people; not part of the hash
  int64_t extent = 1;
  AxisKind kind = AxisKind::kSpatial;
};

enum class CombinerKind : uint8_t { kNone, kSum, kProd, kMax, kMin, kAny, kAll, kTuple };

// How contributions are combined. State is a tuple of accumulators, one for each body expression.
// combine[j] computes accumulator j from the running tuple (kAcc 0 … n-1) and the new tuple (kAcc n … 2n-1).
// For the named kinds, `combine` and `identity` hold the same meaning spelled out (make_combiner).
struct Combiner {
  CombinerKind kind = CombinerKind::kNone;
  std::vector<Expr> identity;  // literals; combine(identity, x) = x
  std::vector<Expr> combine;
  bool associative = true;     // may be split and reordered (up to rounding)
  bool commutative = true;
};
Combiner make_combiner(CombinerKind kind, DType t);  // kSum … kAll, one accumulator

// Where one output of the stage is stored. Index d is `scale·axis + offset` with distinct axes, or a constant:
// writes of different points never collide.
struct StageOutput {
  int tensor = -1;
  std::vector<Expr> indices;
};

struct Stage {
  std::string name;                  // for people
  std::vector<Axis> axes;            // spatial axes first, then reduction axes, then a scan axis
  std::vector<Expr> body;            // accumulators' contributions, over all axes
  Combiner combiner;                 // kNone iff every axis is spatial; then accumulator j is body[j]
  bool exclusive = false;            // scan: outputs see the accumulators before this point is combined
  std::vector<Expr> result;          // value of each output, over spatial (and scan) axes and kAcc
  std::vector<StageOutput> outputs;  // parallel to `result`; the tensor's dtype is the type of the result

  int spatial_count() const;
  std::vector<int64_t> extents() const;
  bool has_reduction() const;        // any reduce axis
  bool has_scan() const;
};

}  // namespace tlm::ir
