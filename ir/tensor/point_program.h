// Expressions of one stage compiled into a flat list of instructions over scalar registers: the engine of the interpreter.
#pragma once

#include <cstddef>
#include <unordered_map>
#include <vector>

#include "tlm/core/shape.h"
#include "tlm/ir/tensor/scalar.h"
#include "tlm/ir/tensor/stage.h"

namespace tlm::ir {

// The memory of one tensor as the interpreter sees it: dense row-major, logical shape.
struct TensorMemory {
  DType dtype = DType::kF32;
  Shape shape;
  std::vector<int64_t> strides;
  std::byte* data = nullptr;
  std::vector<uint8_t> ready;  // lazy tensors: which elements have been computed; else empty
  std::vector<double> error;   // lazy tensors, when errors are asked for: bound of each element's rounding error
};

Scalar read_element(const std::byte* data, DType t, int64_t position);
void write_element(std::byte* data, DType t, int64_t position, Scalar v);

// Computes elements of lazy tensors on demand.
class ElementSource {
 public:
  virtual ~ElementSource() = default;
  virtual void compute(int tensor, int64_t position) = 0;
};

class PointProgram {
 public:
  // Axes occupy registers 0 … axes-1. `accumulators` further registers follow.
  PointProgram(const std::vector<int64_t>& extents, int accumulators, std::vector<TensorMemory>& tensors, ElementSource* source);

  int acc_register(int j) const { return static_cast<int>(extents_.size()) + j; }
  // Appends code for e and returns the register of its value. Accumulator j of the expression is register acc[j].
  int compile(const Expr& e, const std::vector<int>& acc);
  int temporary();  // a new register
  void add_move(int to, int from, DType t);
  void forget_shared();  // code compiled from here on reuses no earlier value (it runs separately)
  int size() const { return static_cast<int>(code_.size()); }

  Scalar& reg(int r) { return regs_[r]; }
  double& error(int r) { return errors_[r]; }  // only with track_errors
  void track_errors() { errors_.assign(regs_.size(), 0.0); }

  void seek();                            // after axis registers were set at will
  void advance(int axis, int64_t steps);  // moves an axis register and all addresses that depend on it
  void run(int from, int to);

 private:
  enum class Code : uint8_t {
    kApply,
    kAddF32,
    kMulF32,
    kAddF64,
    kAddI64,
    kMulI64,
    kCast,
    kMove,
    kJump,
    kJumpIfNot,
    kLoad,
    kLoadF32,
    kSelectError
  };
  struct Instr {
    Code code;
    Op op;
    DType type;  // of the result
    DType arg_type;
    int dst, a, b, c;
  };
  struct Site {  // a load in the code
    int tensor;
    bool affine;  // then `address` follows the axes; else `indices` are registers
    int64_t base = 0, address = 0;
    std::vector<int64_t> coef;  // by axis, in elements
    std::vector<int> indices;
  };

  int compile_node(const Expr& e, const std::vector<int>& acc);
  int compile_load(const Expr& e, const std::vector<int>& acc);
  int compile_select(const Expr& e, const std::vector<int>& acc);
  int64_t locate(const Site& s) const;
  void load(const Instr& i);
  template <bool kErrors>
  void execute(int from, int to);
  double propagate(const Instr& i) const;

  std::vector<int64_t> extents_;
  std::vector<TensorMemory>& tensors_;
  ElementSource* source_;
  std::vector<Instr> code_;
  std::vector<Site> sites_;
  std::vector<std::vector<int>> sites_of_axis_;
  std::vector<Scalar> regs_;
  std::vector<double> errors_;
  std::unordered_map<const ExprNode*, int> shared_;
  std::vector<const ExprNode*> shared_order_;  // to forget what an arm of a select computed
  std::vector<Expr> kept_;
};

}  // namespace tlm::ir
