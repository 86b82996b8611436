// Expressions of loop IR as C.
#pragma once

#include <string>

#include "tlm/ir/loop/stmt.h"
#include "tlm/kernels/preamble/preamble_c.h"

namespace tlm::codegen {

// Prints an expression as one C expression. Scalars of kBool are ints, vectors of kBool masks (PreambleC).
class CExpr {
 public:
  CExpr(const ir::Kernel& k, kernels::PreambleC& preamble) : k_(k), preamble_(preamble) {}

  std::string text(const ir::Expr& e);                                                  // with the lanes that it has
  std::string vector(const ir::Expr& e, int lanes);                                     // broadcast if it is a scalar
  std::string shuffle(const ir::Expr& e);  // of a kVector node; "" if it is none
  std::string address(int buffer, const ir::Expr& offset);                              // "(b0 + x + 3)", the constant last
  std::string element(int buffer, const ir::Expr& offset);                              // "b0[x + 3]"
  std::string local(int id) const { return k_.locals[static_cast<size_t>(id)] + "_"; }  // no type or function ends so
  std::string var(int id) const { return k_.vars[static_cast<size_t>(id)] + "_"; }

 private:
  std::string load(const ir::Expr& e);
  std::string scalar_op(const ir::Expr& e);
  std::string vector_op(const ir::Expr& e);
  std::string compare(const ir::Expr& e, const char* op);

  const ir::Kernel& k_;
  kernels::PreambleC& preamble_;
};

}  // namespace tlm::codegen
