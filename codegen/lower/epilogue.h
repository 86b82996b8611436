// Values at one point of a register tile, and the consumers that are computed on them before they are stored.
#pragma once

#include <vector>

#include "tlm/ir/tensor/stage.h"

namespace tlm::codegen {

// Axis variables of a stage's expression become positions.
ir::Expr at_position(const ir::Expr& e, const std::vector<ir::Expr>& position);
// kAcc j becomes acc[j].
ir::Expr with_accumulators(const ir::Expr& e, const std::vector<ir::Expr>& acc);
// The combined tuple of two tuples.
std::vector<ir::Expr> combine_exprs(const ir::Combiner& c, const std::vector<ir::Expr>& running,
                                    const std::vector<ir::Expr>& incoming);

// What has been computed at this point: tensor elements that need no load.
class PointValues {
 public:
  struct Element {
    int tensor;
    std::vector<ir::Expr> indices;
    ir::Expr value;
  };
  void define(int tensor, std::vector<ir::Expr> indices, ir::Expr value);
  const Element* find(int tensor) const;
  // Loads of elements that are known become their values. TLM_CHECKs that a load of such a tensor is of the known element.
  ir::Expr replace(const ir::Expr& e) const;

 private:
  std::vector<Element> elements_;
};

// Position of an epilogue stage's axes: where it reads exactly the elements known in `values`.
std::vector<ir::Expr> epilogue_position(const ir::Stage& s, const PointValues& values);

}  // namespace tlm::codegen
