// Operators that are no stages: functions of the runtime that a package calls by name.
//
//   TopK             X, K (not read: the output's extent says it) -> values, indices
//                    numbers: axis, largest, sorted
//   ScatterElements  data, indices, updates -> result
//                    numbers: axis; strings: reduction
//   ScatterND        data, indices, updates -> result
//                    strings: reduction
//   LSTM             X, W, R, B?, sequence_lens?, initial_h?, initial_c?, P? -> Y?, Y_h?, Y_c?
//                    numbers: hidden_size, clip, layout, input_forget, activation_alpha, activation_beta
//                    strings: direction, activations
//   GRU              X, W, R, B?, sequence_lens?, initial_h? -> Y?, Y_h?
//                    as LSTM, with linear_before_reset instead of input_forget
//   RNN              X, W, R, B?, sequence_lens?, initial_h? -> Y?, Y_h?
//                    as LSTM, without input_forget
//
// Meaning as in ONNX, whose default holds for an attribute that is not given. A list of strings is one string, joined by commas.
// Optional tensors (?) that are not given have present = false; trailing ones may be left out.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tlm/core/runtime/manifest.h"

namespace tlm::runtime {

using CallNumbers = std::map<std::string, std::vector<double>>;

// How a call ended; no allocation, no exception.
struct CallStatus {
  const char* reason = nullptr;  // null: ok. Static text.
  int64_t value = 0, limit = 0;  // the index that is out of range and the extent, where the reason is that
  bool ok() const { return reason == nullptr; }
};

// What a runtime call is given. Tensors are dense row-major and do not overlap, but for an output equal to an input of the
// same size (in place).
struct CallContext {
  const StepDesc* step;
  void* const* buffers;  // parallel to step->tensors; null: not present
  void* workspace;       // step->workspace_bytes, 64-byte aligned
};

struct RuntimeCall {
  std::string_view name;
  // Throws Error(kBadModel) or Error(kUnsupported) unless types, shapes and attributes fit, so that `run` need not look.
  void (*check)(const StepDesc& step);
  uint64_t (*workspace)(std::span<const TensorDesc> tensors, const CallNumbers& numbers);
  CallStatus (*run)(const CallContext& context) noexcept;
};

// Null if there is none of that name.
const RuntimeCall* find_runtime_call(std::string_view name);
std::vector<std::string_view> runtime_call_names();
// Bytes of workspace that the call wants. `tensors`: inputs, then outputs, as in StepDesc. Throws Error(kUnsupported) for an
// unknown name.
uint64_t runtime_call_workspace(std::string_view name, std::span<const TensorDesc> tensors, const CallNumbers& numbers);
// Does the call take these tensors and attributes? Throws Error(kBadModel) or Error(kUnsupported) saying what does not fit.
void check_runtime_call(const StepDesc& step);

}  // namespace tlm::runtime
