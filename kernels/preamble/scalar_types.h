// The names of scalar types in generated C and CUDA C.
#pragma once

namespace tlm::kernels {

inline constexpr char kScalarTypes[] = R"(typedef float f32;
typedef double f64;
typedef signed char i8;
typedef short i16;
typedef int i32;
typedef long long i64;
typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned int u32;
typedef unsigned long long u64;
)";

}  // namespace tlm::kernels
