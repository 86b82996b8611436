// ScatterND: result = data; result[indices[p]] ∘= updates[p], where an index is a tuple that selects an element or a slice.
#include "tlm/core/runtime/calls/scatter.h"

namespace tlm::runtime::calls {
namespace {

void check(const StepDesc& step) {
  check_scatter(step);
  const Shape &data = step.tensors[kData].shape, &indices = step.tensors[kIndices].shape;
  const std::string shapes =
      "data " + to_string(data) + ", indices " + to_string(indices) + ", updates " + to_string(step.tensors[kUpdates].shape);
  require(!indices.empty() && indices.back() <= static_cast<int64_t>(data.size()), step, shapes);
  Shape wanted(indices.begin(), indices.end() - 1);
  wanted.insert(wanted.end(), data.begin() + indices.back(), data.end());
  require(step.tensors[kUpdates].shape == wanted, step, shapes);
}

template <typename T, Reduction kReduction>
CallStatus run_typed(const CallContext& context) {
  const StepDesc& step = *context.step;
  const Shape &data = step.tensors[kData].shape, &shape = step.tensors[kIndices].shape;
  const DType index_type = step.tensors[kIndices].dtype;
  const void* indices = context.buffers[kIndices];
  const auto* updates = static_cast<const T*>(context.buffers[kUpdates]);
  auto* result = static_cast<T*>(context.buffers[kResult]);
  const auto tuple = static_cast<size_t>(shape.back());
  const int64_t tuples = product(shape, 0, shape.size() - 1), slice = product(data, tuple, data.size());
  for (int64_t p = 0; p < tuples; ++p) {
    int64_t at = 0;
    for (size_t d = 0; d < tuple; ++d) {
      int64_t index = index_at(indices, index_type, p * shape.back() + static_cast<int64_t>(d));
      if (index < -data[d] || index >= data[d]) return {"index out of range", index, data[d]};
      if (index < 0) index += data[d];
      at = at * data[d] + index;
    }
    T* target = result + at * slice;
    const T* update = updates + p * slice;
    for (int64_t e = 0; e < slice; ++e) target[e] = combine<kReduction>(target[e], update[e]);
  }
  return {};
}

CallStatus run(const CallContext& context) noexcept {
  copy_data(context);
  return with_scatter(*context.step, [&]<typename T, Reduction R>() { return run_typed<T, R>(context); });
}

}  // namespace

const RuntimeCall kScatterND = {"ScatterND", check, no_workspace, run};

}  // namespace tlm::runtime::calls
