// Loop IR: what a scheduled subgraph becomes before it is printed as C or CUDA C. Immutable statements.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "tlm/ir/tensor/expr.h"

namespace tlm::ir {

enum class LoopKind : uint8_t { kSerial, kParallel, kVector, kUnrolled, kBlock, kWarp, kThread };
enum class MemoryScope : uint8_t {
  kGlobal,     // a parameter of the kernel
  kWorkspace,  // scratch shared by all workers of a phase and between phases
  kWorker,     // scratch of one worker (CPU)
  kShared,     // shared memory of one block (GPU)
  kPrivate,    // a small array of one thread or of one loop body, addressed at run time
  kRegister,   // an array whose indices are all literals after unrolling: becomes named locals
};

enum class StmtKind : uint8_t {
  kBlock,    // body, in order
  kFor,      // var in [0, extent): body[0]. kParallel: outermost only; iterations are independent
  kIf,       // value: body[0], else body[1] if present
  kStore,    // buffer[offset] = value. value.lanes > 1: offset is a kRamp; `active` < lanes: only the first `active` lanes are stored
  kLet,      // local `var` = value, visible to the rest of the enclosing block, never assigned again
  kLocal,    // declares mutable local `var` with initial value
  kAssign,   // local `var` = value
  kAlloc,    // buffer `buffer` exists during body[0]
  kBarrier,  // all threads of the block (GPU)
  kPrefetch, // asks for the cache line of buffer[offset + value], which may lie beyond the buffer: nothing is read
  kComment,  // text
};

struct StmtNode;
using Stmt = std::shared_ptr<const StmtNode>;

struct StmtNode {
  StmtKind kind = StmtKind::kBlock;
  LoopKind loop = LoopKind::kSerial;
  int var = -1;              // kFor: kernel variable; kLet, kLocal, kAssign: kernel local
  int buffer = -1;           // kStore, kAlloc, kPrefetch: kernel buffer
  int active = 0;            // kStore: lanes stored (0: all). kFor of kind kVector: lanes executed (extent: lanes of the vector)
  Expr extent;               // kFor
  std::vector<Expr> indices; // kStore, kPrefetch: one for each dimension; after storage is placed: one offset
  Expr value;                // kIf, kStore, kLet, kLocal, kAssign; kPrefetch: elements further on, none once storage is placed
  std::vector<Stmt> body;
  std::string text;          // kComment
};

// A buffer that kernel code addresses. The first buffers are the subgraph's tensors, by the same numbers (kLoad.id).
struct Buffer {
  std::string name;
  DType dtype = DType::kF32;
  MemoryScope scope = MemoryScope::kGlobal;
  std::vector<int64_t> shape;    // extents; empty once placed
  std::vector<int64_t> strides;  // elements, by dimension (physical order decided by the schedule)
  int64_t offset = 0;            // elements: first element of the view; for workspace: from the start of the scratch, in bytes/size
  int64_t elements = 0;          // allocation size
  int param = -1;                // kGlobal: position in the kernel's arguments
};

// One parallel-for with a barrier after it (GPU: one launch).
struct Phase {
  Stmt body;               // a kFor of kind kParallel (CPU) or kBlock (GPU), or any statement (serial phase)
  int64_t extent = 1;      // iterations of the parallel loop; 1 for a serial phase
  int64_t grain = 1;       // iterations handed to a worker at once
  int threads = 0;         // GPU: threads of a block
};

// How a constant is stored for a kernel: physical dimensions, outermost first. Physical extent `extent` walks logical dimension
// `dim` with `step` (logical index += step). Elements outside the logical shape are zero. E.g. [co,ci] packed as [co/16][ci][16]:
// {0,⌈co/16⌉,16},{1,ci,1},{0,16,1}. Empty: row-major as is.
struct PackedDim {
  int dim = 0;
  int64_t extent = 1;
  int64_t step = 1;
  bool operator==(const PackedDim&) const = default;
};

struct KernelParam {
  int tensor = -1;                 // of the subgraph
  bool output = false;
  std::vector<PackedDim> packed;   // constants only
  int64_t elements = 0;            // size of the buffer the caller passes
};

struct Kernel {
  std::string name;
  std::vector<std::string> vars;       // names of kVar ids (unique identifiers)
  std::vector<std::string> locals;     // names of kLocal ids
  std::vector<DType> local_types;
  std::vector<int> local_lanes;
  std::vector<Buffer> buffers;
  std::vector<KernelParam> params;
  std::vector<Phase> phases;
  int64_t workspace_bytes = 0;         // shared scratch
  int64_t worker_bytes = 0;            // scratch for each worker
};

Stmt make_block(std::vector<Stmt> body);
Stmt make_for(int var, Expr extent, LoopKind kind, Stmt body);
Stmt make_if(Expr cond, Stmt then, Stmt otherwise = nullptr);
Stmt make_store(int buffer, std::vector<Expr> indices, Expr value, int active = 0);
Stmt make_let(int local, Expr value);
Stmt make_local(int local, Expr value);
Stmt make_assign(int local, Expr value);
Stmt make_alloc(int buffer, Stmt body);
Stmt make_barrier();
Stmt make_prefetch(int buffer, std::vector<Expr> indices, Expr further);
Stmt make_comment(std::string text);
Expr read_local(const Kernel& k, int local);
int new_var(Kernel& k, const std::string& hint);                          // unique name from the hint
int new_local(Kernel& k, const std::string& hint, DType t, int lanes);

std::string print(const Kernel& k);   // loop_text.cpp
// Invariants: ids in range, variables in scope, types and lanes agree, parallel loops outermost, barriers not in divergent code.
// Throws InternalError with the rule and the statement.
void verify(const Kernel& k);         // loop_verify.cpp

}  // namespace tlm::ir
