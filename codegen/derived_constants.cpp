#include "tlm/codegen/derived_constants.h"

#include <algorithm>

#include "tlm/core/error.h"
#include "tlm/ir/tensor/evaluate.h"

namespace tlm::codegen {

ConstantOrigin constant_origin(const ir::Subgraph& g, int tensor) {
  ConstantOrigin origin{tensor, {}};
  for (;;) {
    const auto step = std::find_if(g.derived.begin(), g.derived.end(), [&](const auto& d) { return d.tensor == origin.tensor; });
    if (step == g.derived.end()) return origin;
    TLM_CHECK(step->source < origin.tensor) << "constant " << origin.tensor << " derives from a later one";
    origin.tensor = step->source;
    origin.recipes.insert(origin.recipes.begin(), step->recipe);
  }
}

Tensor derive(Tensor source, const std::vector<std::shared_ptr<const ir::Subgraph>>& recipes) {
  for (const auto& recipe : recipes) {
    std::vector<Tensor> values(recipe->tensors.size());
    values.at(0) = std::move(source);
    ir::evaluate(*recipe, values);
    source = std::move(values.at(1));
  }
  return source;
}

}  // namespace tlm::codegen
