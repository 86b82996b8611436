// The axes of a stage that is being drafted, and the accesses that brought them.
#pragma once

#include <vector>

#include "tests/support/generated_access.h"
#include "tlm/core/rng.h"
#include "tlm/core/shape.h"

namespace tlm::test {

// Thrown when a draft turns out too large; the next attempt of the same seed is drawn.
struct TooLarge {};

enum class Kind { kMap, kReduce, kScan };  // what a stage computes

class AxisDraft {
 protected:
  AxisDraft(Rng rng, int max_rank) : rng_(rng), max_rank_(max_rank) {}

  bool chance(int percent) { return static_cast<int>(rng_.below(100)) < percent; }
  int64_t extent();  // a random one, mostly small
  int add_axis(ir::AxisKind kind, int64_t n);
  int spatial_axes() const;  // scan axes, too: what an output is indexed by
  // Axes that walk over a tensor: identical, windows, padded, repeated, sliced, backwards. The access is remembered.
  void axes_over(int tensor, const Shape& shape, Kind kind);
  void free_axes(Kind kind);
  void sort_axes();  // spatial, then reduction, then scan; renumbers the accesses
  int64_t points() const;

  Rng rng_;
  int max_rank_;
  std::vector<ir::Axis> axes_;
  std::vector<Access> accesses_;
};

}  // namespace tlm::test
