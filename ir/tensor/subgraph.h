// A DAG of stages over tensors: what is scheduled, compiled, cached and measured.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "tlm/core/shape.h"
#include "tlm/ir/tensor/stage.h"

namespace tlm::ir {

enum class TensorRole : uint8_t {
  kInput,     // activations from outside
  kOutput,    // written by stages, visible outside
  kConstant,  // bound at package time; a schedule may choose its physical layout
  kInternal,  // produced and consumed inside
};

// A logical index (i0, i1, …) of a tensor lies at element offset + Σ i_d·strides[d] of its buffer.
// Layout (channels-last, say), slices and halos are all expressed by offset and strides.
struct TensorDecl {
  std::string name;  // for people; not part of the hash
  DType dtype = DType::kF32;
  Shape shape;                   // logical extents
  std::vector<int64_t> strides;  // elements; meaningless for kConstant and kInternal until the schedule places them
                                 // (kInternal: a dense permutation is the default physical order)
  int64_t offset = 0;            // elements
  TensorRole role = TensorRole::kInternal;
  int64_t buffer_elements = 0;  // elements of the whole buffer (>= the largest address + 1)
};

struct Subgraph;

// A constant that is computed from another one before anything runs (transformed weights).
struct DerivedConstant {
  int tensor = -1;                         // kConstant
  int source = -1;                         // kConstant with a smaller number; may itself be derived
  std::shared_ptr<const Subgraph> recipe;  // tensor 0: the source (kInput, row-major); tensor 1: the result (kOutput, row-major)
};

struct Subgraph {
  std::string name;  // for people
  std::vector<TensorDecl> tensors;
  std::vector<Stage> stages;             // topological order
  std::vector<DerivedConstant> derived;  // only where stages were replaced by others: no part of text or hash

  std::vector<int> writers(int tensor) const;  // stage numbers
  std::vector<int> readers(int tensor) const;
};

// Every tensor that stage `s` loads, each once, in order of first use.
std::vector<int> loaded_tensors(const Stage& s);

// Multiply-adds count as two; every other arithmetic node as one for each point.
double flops(const Subgraph& g);
double flops(const Stage& s);
// Bytes of all inputs, outputs and constants, each once: what has to cross the memory of a machine that keeps nothing else.
double port_bytes(const Subgraph& g);

// Deterministic text, parse(print(g)) == g including names. Errors: Error(kBadModel) with the line.
std::string print(const Subgraph& g);
std::string print(const Expr& e, const std::vector<std::string>& vars, const std::vector<std::string>& tensors);
Subgraph parse_subgraph(const std::string& text);
// Structure only: names do not matter; extents, strides, types and roles do.
uint64_t workload_hash(const Subgraph& g);
// Invariants: ids in range, topological order, types, loads inside bounds (where decidable), outputs injective, every output
// written entirely. Throws InternalError naming stage and rule.
void verify(const Subgraph& g);

}  // namespace tlm::ir
