// ScatterElements: result = data; result[…, indices[p], …] ∘= updates[p] for each position p, the index standing on `axis`.
#include "tlm/core/runtime/calls/scatter.h"

namespace tlm::runtime::calls {
namespace {

void check(const StepDesc& step) {
  check_scatter(step);
  const Shape &data = step.tensors[kData].shape, &indices = step.tensors[kIndices].shape;
  require(!data.empty() && indices.size() == data.size() && step.tensors[kUpdates].shape == indices, step,
          "data " + to_string(data) + ", indices " + to_string(indices) + ", updates " + to_string(step.tensors[kUpdates].shape));
  const size_t axis = check_axis(step, static_cast<int64_t>(data.size()), 0);
  for (size_t d = 0; d < data.size(); ++d)
    require(d == axis || indices[d] <= data[d], step, "indices " + to_string(indices) + " exceed data " + to_string(data));
}

template <typename T, Reduction kReduction>
CallStatus run_typed(const CallContext& context) {
  const StepDesc& step = *context.step;
  const Shape &data = step.tensors[kData].shape, &shape = step.tensors[kIndices].shape;
  const DType index_type = step.tensors[kIndices].dtype;
  const void* indices = context.buffers[kIndices];
  const auto* updates = static_cast<const T*>(context.buffers[kUpdates]);
  auto* result = static_cast<T*>(context.buffers[kResult]);
  const size_t rank = data.size(), axis = axis_of(step, rank, 0);

  int64_t strides[kMaxRank], position[kMaxRank] = {};
  int64_t stride = 1;
  for (size_t d = rank; d-- > 0; stride *= data[d]) strides[d] = stride;
  int64_t base = 0;  // of the position, the axis left out
  const int64_t count = product(shape);
  for (int64_t p = 0; p < count; ++p) {
    int64_t index = index_at(indices, index_type, p);
    if (index < -data[axis] || index >= data[axis]) return {"index out of range", index, data[axis]};
    if (index < 0) index += data[axis];
    T& element = result[base + index * strides[axis]];
    element = combine<kReduction>(element, updates[p]);
    for (size_t d = rank; d-- > 0;) {  // the next position
      const int64_t step_size = d == axis ? 0 : strides[d];
      base += step_size;
      if (++position[d] < shape[d]) break;
      base -= position[d] * step_size;
      position[d] = 0;
    }
  }
  return {};
}

CallStatus run(const CallContext& context) noexcept {
  copy_data(context);
  return with_scatter(*context.step, [&]<typename T, Reduction R>() { return run_typed<T, R>(context); });
}

}  // namespace

const RuntimeCall kScatterElements = {"ScatterElements", check, no_workspace, run};

}  // namespace tlm::runtime::calls
