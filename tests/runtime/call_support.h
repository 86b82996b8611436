// Runs one runtime call on vectors, as a session would.
#pragma once

#include <cstring>
#include <optional>
#include <string>
#include <vector>

#include "tlm/core/runtime/runtime_calls.h"

namespace tlm::runtime::test {

// A tensor's type, shape and bytes.
struct CallTensor {
  TensorDesc desc;
  std::vector<std::byte> bytes;
};

template <typename T>
CallTensor tensor_of(DType dtype, Shape shape, const std::vector<T>& values) {
  const auto* p = reinterpret_cast<const std::byte*>(values.data());
  return {{dtype, std::move(shape), true}, {p, p + values.size() * sizeof(T)}};
}
inline CallTensor f32(Shape shape, const std::vector<float>& values) { return tensor_of(DType::kF32, std::move(shape), values); }
inline CallTensor f64(Shape shape, const std::vector<double>& values) { return tensor_of(DType::kF64, std::move(shape), values); }
inline CallTensor i64(Shape shape, const std::vector<int64_t>& values) {
  return tensor_of(DType::kI64, std::move(shape), values);
}
inline CallTensor i32(Shape shape, const std::vector<int32_t>& values) {
  return tensor_of(DType::kI32, std::move(shape), values);
}
inline CallTensor absent() { return {{DType::kF32, {}, false}, {}}; }

template <typename T>
std::vector<T> values_of(const CallTensor& t) {
  std::vector<T> values(t.bytes.size() / sizeof(T));
  if (!t.bytes.empty()) std::memcpy(values.data(), t.bytes.data(), t.bytes.size());
  return values;
}

struct Call {
  std::string name;
  std::vector<CallTensor> inputs;
  std::vector<TensorDesc> outputs;
  CallNumbers numbers = {};
  std::map<std::string, std::string> strings = {};

  StepDesc step() const {
    StepDesc s;
    s.call = name;
    s.call_inputs = static_cast<int>(inputs.size());
    for (const CallTensor& t : inputs) s.tensors.push_back(t.desc);
    for (const TensorDesc& t : outputs) s.tensors.push_back(t);
    s.numbers = numbers;
    s.strings = strings;
    return s;
  }
};

struct CallResult {
  std::vector<CallTensor> outputs;
  CallStatus status;
};

// Every buffer has its exact size, so that a sanitizer sees what lies beside it; outputs start as 0xab.
inline CallResult run_call(const Call& call) {
  const StepDesc step = call.step();
  check_runtime_call(step);
  CallResult result;
  std::vector<std::vector<std::byte>> inputs;
  for (const CallTensor& t : call.inputs) inputs.push_back(t.bytes);
  std::vector<void*> buffers;
  for (size_t i = 0; i < inputs.size(); ++i) buffers.push_back(call.inputs[i].desc.present ? inputs[i].data() : nullptr);
  result.outputs.reserve(call.outputs.size());
  for (const TensorDesc& t : call.outputs) {
    const size_t bytes = static_cast<size_t>(element_count(t.shape)) * dtype_size(t.dtype);
    result.outputs.push_back({t, std::vector<std::byte>(t.present ? bytes : 0, std::byte{0xab})});
    buffers.push_back(t.present ? result.outputs.back().bytes.data() : nullptr);
  }
  std::vector<std::byte> workspace(runtime_call_workspace(call.name, step.tensors, step.numbers), std::byte{0xcd});
  result.status = find_runtime_call(call.name)->run({&step, buffers.data(), workspace.data()});
  return result;
}

}  // namespace tlm::runtime::test
