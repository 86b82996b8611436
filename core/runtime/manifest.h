// What a package says about itself: the JSON manifest as a value.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "tlm/core/dtype.h"
#include "tlm/core/shape.h"

namespace tlm::runtime {

enum class BufferSpace : uint8_t { kInput, kOutput, kArena, kWeights };

// `bytes` bytes at `offset`: of input/output number `index`, of the arena, or of the weights section.
struct BufferRef {
  BufferSpace space = BufferSpace::kArena;
  int index = 0;
  uint64_t offset = 0;
  uint64_t bytes = 0;
  bool operator==(const BufferRef&) const = default;
};

struct PhaseDesc {
  uint32_t entry = 0;     // number in TlmModule::phases
  int64_t extent = 1;     // iterations
  int64_t grain = 1;      // iterations handed out at once; extent: serial
};

// A dense row-major tensor handed to a runtime call.
struct TensorDesc {
  DType dtype = DType::kF32;
  Shape shape;
  bool present = true;    // optional input that is not given
};

struct StepDesc {
  std::string name;                      // for reports
  uint64_t workload = 0;                 // hash; equal for equal subgraphs
  double flops = 0;
  double bytes = 0;                      // of inputs, outputs and constants, each once; 0: not known
  std::vector<BufferRef> args;           // generated: TlmKernelArgs::buffers. call: inputs, then outputs
  std::vector<PhaseDesc> phases;         // generated code
  std::vector<int64_t> ints;             // run-time integers
  uint64_t workspace_offset = 0;         // in the arena
  uint64_t workspace_bytes = 0;
  uint64_t worker_bytes = 0;             // scratch for each worker
  std::string call;                      // name of a runtime call; empty: generated code
  int call_inputs = 0;
  std::vector<TensorDesc> tensors;       // call: parallel to args
  std::map<std::string, std::vector<double>> numbers;   // call: attributes
  std::map<std::string, std::string> strings;
};

struct PortDesc {
  std::string name;
  DType dtype = DType::kF32;
  Shape shape;            // row-major in the caller's memory
};

// One way to run the model; several targets may share the weight sections.
struct VariantDesc {
  std::string target_json;               // as Target::target_json
  std::string arch;
  std::vector<std::string> features;     // required of the CPU
  int code_section = -1;                 // ELF shared object image
  int weights_section = -1;              // -1: none
  uint64_t arena_bytes = 0;
  std::vector<StepDesc> steps;
};

struct Manifest {
  std::string engine_version;
  std::string compiler;                  // "gcc 12.2.0" …
  std::string model_name;
  std::map<std::string, std::string> metadata;
  std::vector<PortDesc> inputs, outputs;
  std::vector<VariantDesc> variants;     // best first
};

std::string manifest_json(const Manifest& m);                       // deterministic
Manifest parse_manifest(const std::string& json);                   // Error(kBadModel)

}  // namespace tlm::runtime
