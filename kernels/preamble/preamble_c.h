// What generated C may call: types, vector types and helper functions, printed only when a unit uses them.
#pragma once

#include <map>
#include <set>
#include <string>

#include "tlm/core/dtype.h"
#include "tlm/core/target.h"

namespace tlm::kernels {

// Asked for names while a unit is printed; `text` then declares everything asked for, dependencies first. Lanes are powers of
// two; 1 is a scalar. A vector of kBool is a mask: i32 lanes of 0 or -1; a scalar kBool is an int of 0 or 1.
class PreambleC {
 public:
  explicit PreambleC(const Target& target) : target_(target) {}

  std::string type(DType t, int lanes = 1);   // of a value: "f32", "f32x8"; f16 and bf16 values are their bits (u16)
  std::string unaligned(DType t, int lanes);  // a vector at any address in memory
  // Name of the function for an operation (named as in the expressions: "min", "exp", "floordiv", "fma" …) on `lanes` values of
  // type t.
  std::string function(const std::string& op, DType t, int lanes);
  std::string broadcast(DType t, int lanes);                  // vector of one scalar
  std::string blend(DType t, int lanes);                      // (mask, a, b): a where the mask is set
  std::string mask_of(DType t, int lanes);                    // comparison result of vectors of t → mask; empty: already one
  std::string cast(DType from, DType to, int lanes);          // value conversion; lanes 1: the value
  std::string partial_load(DType t, int lanes, int active);   // (pointer): the first `active` elements, then zeros
  std::string partial_store(DType t, int lanes, int active);  // (pointer, vector)
  std::string guarded_load(DType t, int lanes);  // (pointer, mask): value; zero where the mask is not set, and not read there

  std::string text() const { return text_; }

  // For the pieces themselves.
  const Target& target() const { return target_; }
  bool x86() const { return target_.arch == "x86-64"; }
  // Declares `body` (a whole function or typedef) once under `name`.
  bool declared(const std::string& name) const { return done_.count(name) > 0; }
  const std::string& declare(const std::string& name, const std::string& body);

 private:
  // Expressions that load from `p` and store `v` with a mask; empty vector type: the target has no such instruction.
  struct Masked {
    std::string vector, load, store;
  };
  Masked masked(DType t, int lanes, int active);
  static std::string lanewise_guard(DType t, int lanes);
  std::string define(const std::string& op, DType t, int lanes, const std::string& name);
  Target target_;
  std::set<std::string> done_;
  std::string text_;
};

// Fixed declarations at the top of each unit: scalar types and the kernel ABI.
std::string preamble_c_header();
// memcpy, memmove, memset, memcmp, which a compiler may call whatever the flags.
std::string preamble_c_memory();

// Replaces each `$NAME` of `values` (longest names first).
std::string fill_in(std::string text, const std::map<std::string, std::string>& values);

// Pieces, by file. Each returns the function's text (dependencies declared in `p`), or "" if it has none for this operation.
std::string piece_integer(PreambleC& p, const std::string& op, DType t, const std::string& name);
std::string piece_float(PreambleC& p, const std::string& op, DType t, int lanes,
                        const std::string& name);  // min, max, rounding, sqrt, fma, fmod
std::string piece_math_vector(PreambleC& p, const std::string& op, DType t, int lanes,
                              const std::string& name);                                    // f32: exp, log, tanh, erf
std::string piece_math_f32(PreambleC& p, const std::string& op, const std::string& name);  // scalars
std::string piece_math_f64(PreambleC& p, const std::string& op, const std::string& name);

}  // namespace tlm::kernels
