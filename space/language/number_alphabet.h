// Numbers as tokens: one small alphabet for every number, so that none is unknown and near numbers look alike.
//
//   0 … 15          one token each: "0" … "15"
//   n >= 16         its magnitude "b<bits>" (length in bits), then the bits below the leading one in groups of four, high first:
//                   "x0" … "xf"; once all that is left is zero, one "z" ends it.   56 = 111000b → b6 xc z;  512 → b10 z
//   n < 0           "-", then -n
//   axis i < 16     "a0" … "a15"; axis i >= 16: "axis", then i
//
// No code is the beginning of another one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "tlm/space/language/vocabulary.h"

namespace tlm::space {

std::vector<std::string> number_words();
std::vector<std::string> axis_words();

void append_number(std::vector<Token>& out, int64_t n);   // any int64 but the smallest
void append_axis(std::vector<Token>& out, int axis);      // -1: "none"

// Reads the number that begins at `at` and moves `at` past it. Throws Error(kUsage) when none begins there.
int64_t read_number(const std::vector<Token>& tokens, size_t& at);
int read_axis(const std::vector<Token>& tokens, size_t& at);

}  // namespace tlm::space
