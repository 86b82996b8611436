// Expressions of one stage compiled into instructions over rows of lanes: the engine of evaluate. A row runs over `lanes` points
// of one or more axes at once; what does not depend on them is uniform and computed once for a row.
#pragma once

#include <memory>
#include <unordered_map>
#include <vector>

#include "tlm/core/shape.h"
#include "tlm/ir/tensor/row_ops.h"

namespace tlm::ir {

constexpr int64_t kMaxLanes = 1024;

// The points of a row: the last axis runs fastest; the first may be cut into chunks, so that a row may be shorter at its end.
struct LaneSpace {
  std::vector<int> axes;
  int64_t chunk = 1;  // steps of axes[0] in one row
  int64_t lanes = 1;  // chunk × extents of the other axes
  bool has(int axis) const;
};
LaneSpace make_lane_space(const std::vector<int>& axes, const std::vector<int64_t>& extents);

// Dense row-major memory of a tensor.
struct RowTensor {
  DType dtype = DType::kF32;
  Shape shape;
  std::vector<int64_t> strides;
  std::byte* data = nullptr;
  int64_t size = 0;
};

// Addresses of the lanes of an affine access: base (from the axes' values) + offset of each lane.
struct RowAccess {
  enum class Kind : uint8_t { kUniform, kContiguous, kStrided, kScattered };
  int64_t constant = 0;
  std::vector<int64_t> coef;  // by axis
  Kind kind = Kind::kUniform;
  int64_t stride = 0;           // kStrided
  std::vector<int64_t> offset;  // by lane
  void set_lanes(const LaneSpace& space, const std::vector<int64_t>& extents);
};

class RowProgram {
 public:
  // Accumulators: registers acc_register(0 …), one for each type; uniform ones hold one value.
  RowProgram(const std::vector<int64_t>& extents, LaneSpace space, std::vector<RowTensor>& tensors);

  int add_register(DType t, bool uniform);
  int compile(const Expr& e, const std::vector<int>& acc);
  void forget_shared();
  // Makes the last instruction write into `target`, if it computes `value` and nothing else uses it; else adds a copy.
  // A product summed into an accumulator becomes one instruction.
  void write_to(int target, int value);
  void copy_to(int target, int value);  // adds a copy
  int size() const { return static_cast<int>(code_.size()); }

  bool uniform(int r) const { return regs_[r].uniform; }
  Operand operand(int r) const { return {regs_[r].at, regs_[r].uniform}; }
  Lane lane(int r) const { return regs_[r].lane; }
  void* buffer(int r) { return regs_[r].buffer.get(); }
  void point_at(int r, void* memory) { regs_[r].at = memory; }  // accumulators: their lanes from some lane on
  // The register's next value is computed straight into `memory`, if an operator computes it; false: it is not.
  bool redirect(int r, void* memory);

  void set_axis(int axis, int64_t value) { axis_[axis] = value; }
  int64_t axis(int a) const { return axis_[a]; }
  void seek();  // after set_axis
  void advance(int axis, int64_t steps);
  void run(int from, int to, int64_t lanes);

 private:
  enum class Code : uint8_t { kOp, kMultiplyAdd, kCast, kAxis, kLoadAffine, kLoadIndexed, kSelect, kCopy };
  struct Instr {
    Code code;
    Op op;
    DType type;  // of the operands; kLoad…: of the tensor
    DType to;    // of the result
    int dst, a, b, c;
    int then_end = 0, else_end = 0;  // kSelect: code of the arms follows; a: condition, b and c: their values
  };
  struct Register {
    Lane lane = Lane::kInt;
    bool uniform = false;
    std::unique_ptr<std::byte[]> buffer;
    void* at = nullptr;      // where the value is: the buffer, or the tensor's memory itself
    void* target = nullptr;  // where operators write
    bool computed = false;   // by an operator (and not a literal, load, accumulator …)
  };
  struct Site {
    int tensor;
    RowAccess access;
    int64_t base = 0;
    bool guarded = false;  // in range only where its arm of a select is chosen
    std::vector<int> indices;
    std::vector<int64_t> address;
  };

  int compile_node(const Expr& e, const std::vector<int>& acc);
  int compile_load(const Expr& e, const std::vector<int>& acc);
  int compile_select(const Expr& e, const std::vector<int>& acc);
  int add_instr(Code code, Op op, DType type, DType to, bool uniform, int a, int b = 0, int c = 0);
  void execute(int from, int to, int64_t lanes, const uint8_t* mask);
  int select(const Instr& i, int pc, int64_t lanes, const uint8_t* mask);
  void load_affine(const Instr& i, int64_t lanes, const uint8_t* mask);
  void load_indexed(const Instr& i, int64_t lanes, const uint8_t* mask);
  void adopt(int dst, int value, int64_t lanes);

  std::vector<int64_t> extents_;
  LaneSpace space_;
  std::vector<RowTensor>& tensors_;
  std::vector<Instr> code_;
  std::vector<Register> regs_;
  std::vector<Site> sites_;
  std::vector<std::vector<int>> sites_of_axis_;
  std::vector<std::vector<int64_t>> axis_offset_;  // by axis of the lane space
  std::vector<int64_t> axis_;                      // current values (of lane axes: of the first lane)
  std::vector<std::vector<uint8_t>> masks_;        // two for each level of nested selects
  size_t mask_depth_ = 0;
  std::unordered_map<const ExprNode*, int> shared_;
  std::vector<const ExprNode*> shared_order_;
  std::vector<Expr> kept_;
};

}  // namespace tlm::ir
