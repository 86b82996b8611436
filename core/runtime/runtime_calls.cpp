#include "tlm/core/runtime/runtime_calls.h"

#include "tlm/core/runtime/calls/call_support.h"

namespace tlm::runtime {
namespace {

const RuntimeCall* const kCalls[] = {&calls::kTopK, &calls::kScatterElements, &calls::kScatterND, &calls::kLstm, &calls::kGru,
                                     &calls::kRnn};

const RuntimeCall& known_call(std::string_view name) {
  if (const RuntimeCall* call = find_runtime_call(name)) return *call;
  throw Error(ErrorCode::kUnsupported, "this runtime has no call '" + std::string(name) + "'", {}, "update the tlm runtime");
}

}  // namespace

const RuntimeCall* find_runtime_call(std::string_view name) {
  for (const RuntimeCall* call : kCalls)
    if (call->name == name) return call;
  return nullptr;
}

std::vector<std::string_view> runtime_call_names() {
  std::vector<std::string_view> names;
  for (const RuntimeCall* call : kCalls) names.push_back(call->name);
  return names;
}

uint64_t runtime_call_workspace(std::string_view name, std::span<const TensorDesc> tensors, const CallNumbers& numbers) {
  return known_call(name).workspace(tensors, numbers);
}

void check_runtime_call(const StepDesc& step) { known_call(step.call).check(step); }

namespace calls {

size_t check_axis(const StepDesc& step, int64_t rank, double otherwise) {
  const double axis = number(step.numbers, "axis", otherwise);
  require(axis == std::floor(axis) && axis >= static_cast<double>(-rank) && axis < static_cast<double>(rank), step,
          "axis " + std::to_string(axis) + " of a tensor of rank " + std::to_string(rank));
  return axis_of(step, static_cast<size_t>(rank), otherwise);
}

}  // namespace calls
}  // namespace tlm::runtime
