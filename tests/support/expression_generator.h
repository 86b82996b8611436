// Seeded random programs of tensor expressions: the correctness of everything that reads stages is shown on them.
// One to four stages, chained: elementwise producers and consumers, reductions, scans, several writers of a tensor, tuple
// outputs; rank up to 6; strided, dilated, transposed, reversed, broadcast, diagonal, wrapped, padded and gathered accesses.
#pragma once

#include <cstdint>
#include <vector>

#include "tlm/core/tensor.h"
#include "tlm/ir/tensor/subgraph.h"

namespace tlm::test {

struct GeneratorOptions {
  enum class Mode {
    kMixed,  // by the seed: two thirds exact
    kExact,  // small integers only, so that results are bit-equal in any order of evaluation
    kFloat,  // normal values, all functions
  };
  Mode mode = Mode::kMixed;
  int max_stages = 4;
  int max_rank = 6;
  int64_t work_budget = 200000;  // evaluations of bodies, all stages together
  bool scans = true;
  bool gathers = true;
  bool tuples = true;       // tuple combiners and stages with two outputs
  bool other_types = true;  // besides f32
  bool views = true;        // inputs and outputs with permuted or padded strides and offsets
};

struct GeneratedProgram {
  ir::Subgraph g;
  std::vector<Tensor> inputs_and_constants;  // by tensor, logical and row-major; others have no elements
  bool exact = false;                        // results do not depend on the order of evaluation
};

// The same seed and options give the same program. It passes ir::verify.
GeneratedProgram generate_program(uint64_t seed, const GeneratorOptions& options = {});

// Values that suit an input or constant of a generated program (index tensors: any i64 or i32 in [-extent, extent) is wrapped and
// clamped by the program itself, so other data may be bound as well).
Tensor random_tensor(uint64_t seed, DType t, const Shape& shape, bool integers);

}  // namespace tlm::test
