#include "tlm/kernels/preamble/preamble_c.h"

#include <algorithm>
#include <vector>

#include "tlm/core/error.h"
#include "tlm/kernels/preamble/scalar_types.h"

namespace tlm::kernels {

namespace {

// Value types in C. Half types are handled as bits; bool values are ints.
const char* scalar_name(DType t) {
  switch (t) {
    case DType::kF32: return "f32";
    case DType::kF64: return "f64";
    case DType::kF16:
    case DType::kBF16:
    case DType::kU16: return "u16";
    case DType::kI8: return "i8";
    case DType::kI16: return "i16";
    case DType::kI32:
    case DType::kBool: return "i32";
    case DType::kI64: return "i64";
    case DType::kU8: return "u8";
    case DType::kU32: return "u32";
    case DType::kU64: return "u64";
  }
  return "i32";
}

size_t value_bytes(DType t) { return t == DType::kBool ? 4 : dtype_size(t); }

DType mask_int(DType t) {
  switch (value_bytes(t)) {
    case 1: return DType::kI8;
    case 2: return DType::kI16;
    case 8: return DType::kI64;
    default: return DType::kI32;
  }
}

const std::string kInline = "static inline __attribute__((always_inline)) ";

std::string list(int lanes, const std::string& item) {  // item with $i
  std::string out = "{";
  for (int i = 0; i < lanes; ++i) out += (i ? ", " : "") + fill_in(item, {{"i", std::to_string(i)}});
  return out + "}";
}

}  // namespace

std::string fill_in(std::string text, const std::map<std::string, std::string>& values) {
  std::vector<std::string> names;
  for (const auto& [name, value] : values) names.push_back(name);
  std::stable_sort(names.begin(), names.end(), [](const std::string& a, const std::string& b) { return a.size() > b.size(); });
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    bool found = false;
    if (text[i] == '$')
      for (const std::string& name : names)
        if (text.compare(i + 1, name.size(), name) == 0) {
          out += values.at(name);
          i += name.size();
          found = true;
          break;
        }
    if (!found) out += text[i];
  }
  return out;
}

const std::string& PreambleC::declare(const std::string& name, const std::string& body) {
  auto [it, fresh] = done_.insert(name);
  if (fresh) text_ += body + "\n";
  return *it;
}

std::string PreambleC::type(DType t, int lanes) {
  const std::string scalar = scalar_name(t);
  if (lanes == 1) return scalar;
  const std::string name = scalar + "x" + std::to_string(lanes);
  return declare(name, "typedef " + scalar + " " + name + " __attribute__((vector_size(" +
                           std::to_string(value_bytes(t) * static_cast<size_t>(lanes)) + ")));");
}

std::string PreambleC::unaligned(DType t, int lanes) {
  std::string scalar = t == DType::kBool ? "u8" : scalar_name(t);
  const size_t bytes = dtype_size(t);
  const std::string name = scalar + "x" + std::to_string(lanes) + "u";
  return declare(name, "typedef " + scalar + " " + name + " __attribute__((vector_size(" +
                           std::to_string(bytes * static_cast<size_t>(lanes)) + "), aligned(" + std::to_string(bytes) +
                           "), may_alias));");
}

std::string PreambleC::broadcast(DType t, int lanes) {
  const std::string v = type(t, lanes), name = (t == DType::kBool ? "mask_bc_" : "bc_") + v;  // a mask is the negated bool
  if (declared(name)) return name;
  const std::string item = t == DType::kBool ? "-x" : "x";
  return declare(name, kInline + v + " " + name + "(" + type(t) + " x) { return (" + v + ")" + list(lanes, item) + "; }");
}

std::string PreambleC::mask_of(DType t, int lanes) {
  if (value_bytes(t) == 4) return "(" + type(DType::kBool, lanes) + ")";
  const std::string from = type(mask_int(t), lanes), to = type(DType::kBool, lanes), name = "mask_" + from;
  return declare(name, "#define " + name + "(m) __builtin_convertvector((" + from + ")(m), " + to + ")");
}

std::string PreambleC::blend(DType t, int lanes) {
  const std::string v = type(t, lanes), m = type(DType::kBool, lanes), name = "blend_" + v;
  if (declared(name)) return name;
  const std::string wide = type(mask_int(t), lanes);
  const std::string mask = value_bytes(t) == 4 ? "m" : "__builtin_convertvector(m, " + wide + ")";
  const size_t bytes = value_bytes(t) * static_cast<size_t>(lanes);
  std::string builtin;
  if (x86() && t == DType::kF32 && bytes == 16 && target_.has("sse4_1")) builtin = "__builtin_ia32_blendvps";
  if (x86() && t == DType::kF32 && bytes == 32 && target_.has("avx")) builtin = "__builtin_ia32_blendvps256";
  if (x86() && t == DType::kF64 && bytes == 16 && target_.has("sse4_1")) builtin = "__builtin_ia32_blendvpd";
  if (x86() && t == DType::kF64 && bytes == 32 && target_.has("avx")) builtin = "__builtin_ia32_blendvpd256";
  std::string body = kInline + v + " " + name + "(" + m + " m, " + v + " a, " + v + " b) { ";
  if (!builtin.empty()) {
    body += "return " + builtin + "(b, a, (" + v + ")" + mask + "); }";
  } else {
    body += wide + " k = " + mask + "; return (" + v + ")(((" + wide + ")a & k) | ((" + wide + ")b & ~k)); }";
  }
  return declare(name, body);
}

std::string PreambleC::function(const std::string& op, DType t, int lanes) {
  const std::string name = op + "_" + type(t, lanes);
  if (declared(name)) return name;
  return declare(name, define(op, t, lanes, name));
}

std::string PreambleC::define(const std::string& op, DType t, int lanes, const std::string& name) {
  const std::string v = type(t, lanes);
  const bool real = t == DType::kF32 || t == DType::kF64;
  if (real) {
    if (std::string s = piece_float(*this, op, t, lanes, name); !s.empty()) return s;
    const bool as_vector = t == DType::kF32 && (op == "exp" || op == "log" || op == "tanh" || op == "erf");
    if (as_vector && lanes > 1) return piece_math_vector(*this, op, t, lanes, name);
    if (as_vector) {
      const std::string wide = function(op, t, 4), bc = broadcast(t, 4);
      return "static " + v + " " + name + "(" + v + " x) { return " + wide + "(" + bc + "(x))[0]; }";
    }
  }
  if (lanes == 1) {
    std::string s = !real              ? piece_integer(*this, op, t, name)
                    : t == DType::kF32 ? piece_math_f32(*this, op, name)
                                       : piece_math_f64(*this, op, name);
    TLM_CHECK(!s.empty()) << "no C for " << op << " of " << dtype_name(t);
    return s;
  }
  // Lane by lane.
  const std::string one = function(op, t, 1);
  const bool binary = op == "div" || op == "mod" || op == "floordiv" || op == "floormod" || op == "pow" || op == "shl" ||
                      op == "shr" || op == "min" || op == "max";
  if (binary)
    return kInline + v + " " + name + "(" + v + " a, " + v + " b) { return (" + v + ")" + list(lanes, one + "(a[$i], b[$i])") +
           "; }";
  return kInline + v + " " + name + "(" + v + " a) { return (" + v + ")" + list(lanes, one + "(a[$i])") + "; }";
}

// Masked instructions of x86: lanes that are not active do not fault. The builtins speak of vectors of their own element types.
PreambleC::Masked PreambleC::masked(DType t, int lanes, int active) {
  Masked out;
  const size_t bytes = dtype_size(t), all = bytes * static_cast<size_t>(lanes);
  if (!x86() || (bytes != 4 && bytes != 8)) return out;
  const bool narrow = bytes == 4;
  if (all == 64 && target_.has("avx512f")) {
    const std::string scalar = narrow ? "float" : "double", mask = std::to_string((1u << active) - 1),
                      builtin = narrow ? "ups512_mask" : "upd512_mask";
    out.vector = declare(narrow ? "raw_f32x16" : "raw_f64x8", "typedef " + scalar + " " + (narrow ? "raw_f32x16" : "raw_f64x8") +
                                                                  " __attribute__((vector_size(64)));");
    out.load = "__builtin_ia32_load" + builtin + "((const " + scalar + "*)p, (" + out.vector + "){}, " + mask + ")";
    out.store = "__builtin_ia32_store" + builtin + "((" + scalar + "*)p, (" + out.vector + ")v, " + mask + ")";
  } else if ((all == 16 || all == 32) && target_.has("avx2")) {
    const std::string name = std::string("raw_i") + (narrow ? "32" : "64") + "x" + std::to_string(lanes);
    out.vector = declare(name, "typedef " + std::string(narrow ? "int" : "long long") + " " + name +
                                   " __attribute__((vector_size(" + std::to_string(all) + ")));");
    std::string mask = "(" + out.vector + "){";
    for (int i = 0; i < lanes; ++i) mask += std::string(i ? ", " : "") + (i < active ? "-1" : "0");
    const std::string suffix = std::string(narrow ? "d" : "q") + (all == 32 ? "256" : "");
    out.load = "__builtin_ia32_maskload" + suffix + "((const " + out.vector + "*)p, " + mask + "})";
    out.store = "__builtin_ia32_maskstore" + suffix + "((" + out.vector + "*)p, " + mask + "}, (" + out.vector + ")v)";
  }
  return out;
}

std::string PreambleC::partial_load(DType t, int lanes, int active) {
  const std::string memory = unaligned(t, lanes), element = t == DType::kBool ? "u8" : scalar_name(t);
  const std::string name = "load_" + memory + "_" + std::to_string(active);
  if (declared(name)) return name;
  if (const Masked m = masked(t, lanes, active); !m.vector.empty())
    return declare(name, kInline + memory + " " + name + "(const " + element + "* p) { return (" + memory + ")" + m.load + "; }");
  std::string items;
  for (int i = 0; i < lanes; ++i) items += (i ? ", " : "") + (i < active ? "p[" + std::to_string(i) + "]" : std::string("0"));
  return declare(name, kInline + memory + " " + name + "(const " + element + "* p) { return (" + memory + "){" + items + "}; }");
}

std::string PreambleC::guarded_load(DType t, int lanes) {
  const std::string v = type(t, lanes), element = t == DType::kBool ? "u8" : scalar_name(t), m = type(DType::kBool, lanes);
  const std::string name = "guarded_" + std::string(dtype_name(t)) + "x" + std::to_string(lanes);
  if (declared(name)) return name;
  const size_t bytes = dtype_size(t), all = bytes * static_cast<size_t>(lanes);
  const std::string head = kInline + v + " " + name + "(const " + element + "* p, " + m + " m) { return (" + v + ")";
  if (const Masked k = masked(t, lanes, lanes); !k.vector.empty()) {
    if (all == 64) {
      const std::string bits = lanes == 16 ? "__builtin_ia32_cvtd2mask512" : "__builtin_ia32_cvtd2mask256";
      if (!target_.has("avx512dq") || !target_.has("avx512vl")) return declare(name, head + lanewise_guard(t, lanes) + "; }");
      const std::string builtin =
          bytes == 4 ? "__builtin_ia32_loadups512_mask((const float*)p" : "__builtin_ia32_loadupd512_mask((const double*)p";
      const std::string raw =
          declare("raw_mask" + std::to_string(lanes), "typedef int raw_mask" + std::to_string(lanes) +
                                                          " __attribute__((vector_size(" + std::to_string(lanes * 4) + ")));");
      return declare(name, head + builtin + ", (" + k.vector + "){}, " + bits + "((" + raw + ")m)); }");
    }
    const std::string wide = bytes == 4 ? "m" : "__builtin_convertvector(m, " + type(DType::kI64, lanes) + ")";
    const std::string builtin = std::string("__builtin_ia32_maskload") + (bytes == 4 ? "d" : "q") + (all == 32 ? "256" : "");
    return declare(name, head + builtin + "((const " + k.vector + "*)p, (" + k.vector + ")" + wide + "); }");
  }
  return declare(name, head + lanewise_guard(t, lanes) + "; }");
}

std::string PreambleC::lanewise_guard(DType t, int lanes) {
  return list(lanes, t == DType::kBool ? "m[$i] ? -(i32)p[$i] : 0" : "m[$i] ? p[$i] : 0");
}

std::string PreambleC::partial_store(DType t, int lanes, int active) {
  const std::string memory = unaligned(t, lanes), element = t == DType::kBool ? "u8" : scalar_name(t);
  const std::string name = "store_" + memory + "_" + std::to_string(active);
  if (declared(name)) return name;
  if (const Masked m = masked(t, lanes, active); !m.vector.empty())
    return declare(name, kInline + "void " + name + "(" + element + "* p, " + memory + " v) { " + m.store + "; }");
  std::string items;
  for (int i = 0; i < active; ++i) items += " p[" + std::to_string(i) + "] = v[" + std::to_string(i) + "];";
  return declare(name, kInline + "void " + name + "(" + element + "* p, " + memory + " v) {" + items + " }");
}

std::string PreambleC::cast(DType from, DType to, int lanes) {
  const std::string a = type(from, lanes), b = type(to, lanes);
  const std::string name =
      "cast_" + std::string(dtype_name(from)) + "_" + std::string(dtype_name(to)) + "_" + std::to_string(lanes);
  if (declared(name)) return name;
  const std::string head = kInline + b + " " + name + "(" + a + " x) { ";
  const bool half_from = from == DType::kF16 || from == DType::kBF16, half_to = to == DType::kF16 || to == DType::kBF16;
  // Half types by way of f32.
  if ((half_from && to != DType::kF32) || (half_to && from != DType::kF32)) {
    const std::string first = cast(from, DType::kF32, lanes), second = cast(DType::kF32, to, lanes);
    return declare(name, head + "return " + second + "(" + first + "(x)); }");
  }
  if (half_from || half_to) {
    const std::string op =
        half_from ? (from == DType::kF16 ? "decode_f16" : "decode_bf16") : (to == DType::kF16 ? "encode_f16" : "encode_bf16");
    const std::string f = type(DType::kF32, lanes), u = type(DType::kU32, lanes), h = type(DType::kU16, lanes);
    if (lanes == 1) {
      const std::string wide = cast(from, to, 4), in = type(from, 4);
      return declare(name, head + "return " + wide + "((" + in + "){x})[0]; }");
    }
    const bool f16c = x86() && target_.has("f16c") && (lanes == 4 || lanes == 8);
    if (f16c && op == "decode_f16") {
      const std::string in = declare("raw_i16x8", "typedef short raw_i16x8 __attribute__((vector_size(16)));");
      if (lanes == 8) return declare(name, head + "return __builtin_ia32_vcvtph2ps256((" + in + ")x); }");
      return declare(
          name, head + "return __builtin_ia32_vcvtph2ps((" + in + "){(short)x[0], (short)x[1], (short)x[2], (short)x[3]}); }");
    }
    if (f16c && op == "encode_f16") {
      const std::string out = declare("raw_i16x8", "typedef short raw_i16x8 __attribute__((vector_size(16)));");
      if (lanes == 8) return declare(name, head + "return (" + h + ")__builtin_ia32_vcvtps2ph256(x, 0); }");
      return declare(name, head + out + " r = __builtin_ia32_vcvtps2ph(x, 0); return (" + h +
                               "){(u16)r[0], (u16)r[1], (u16)r[2], (u16)r[3]}; }");
    }
    const std::map<std::string, std::string> names = {{"F", f}, {"U", u}, {"H", h}, {"I", type(DType::kI32, lanes)}};
    std::string body;
    if (op == "decode_f16") {  // exponent and mantissa in place, rebias by a multiplication (exact, also for subnormals)
      body =
          "$U w = __builtin_convertvector(x, $U), m = (w & 0x7fff) << 13, s = (w & 0x8000) << 16; "
          "$U r = ($U)(($F)m * 0x1p112f); return ($F)(s | r | (($U)(m >= 0xf800000) & 0x7f800000)); }";
    } else if (op == "decode_bf16") {
      body = "return ($F)(__builtin_convertvector(x, $U) << 16); }";
    } else if (op == "encode_f16") {  // round to nearest even: subnormals by adding 0.5, others by carrying into the exponent
      body =
          "$U w = ($U)x, s = (w >> 16) & 0x8000, a = w & 0x7fffffff; "
          "$U small = ($U)(($F)a + 0.5f) - 0x3f000000; "
          "$U big = (a - 0x38000000 + 0xfff + ((a >> 13) & 1)) >> 13; "
          "$U under = ($U)(a < 0x38800000), over = ($U)(a >= 0x477ff000), nan = ($U)(a > 0x7f800000); "
          "$U r = (small & under) | (big & ~under); r = (r & ~over) | (0x7c00 & over); r = (r & ~nan) | (0x7e00 & nan); "
          "return __builtin_convertvector(r | s, $H); }";
    } else {
      body =
          "$U w = ($U)x, r = (w + 0x7fff + ((w >> 16) & 1)) >> 16, nan = ($U)((w & 0x7fffffff) > 0x7f800000); "
          "r = (r & ~nan) | (((w >> 16) | 0x40) & nan); return __builtin_convertvector(r, $H); }";
    }
    return declare(name, head + fill_in(body, names));
  }
  if (to == DType::kBool) {
    if (lanes == 1) return declare(name, head + "return x != 0; }");
    const std::string mask = mask_of(from, lanes);
    return declare(name, head + "return " + mask + "(x != (" + a + "){}); }");
  }
  if (from == DType::kBool) {
    if (lanes == 1) return declare(name, head + "return (" + b + ")x; }");
    return declare(name, head + "return __builtin_convertvector(-x, " + b + "); }");
  }
  if (is_float(from) && !is_float(to)) {
    if (lanes > 1) {
      const std::string one = cast(from, to, 1);
      return declare(name, head + "return (" + b + ")" + list(lanes, one + "(x[$i])") + "; }");
    }
    const int bits = static_cast<int>(dtype_size(to)) * 8;
    const bool sign = is_signed_int(to);
    const std::string suffix = from == DType::kF32 ? "f" : "";
    const std::string top = "0x1p" + std::to_string(sign ? bits - 1 : bits) + suffix, low = sign ? "-" + top : "0";
    std::string most = sign ? "(" + b + ")((1ull << " + std::to_string(bits - 1) + ") - 1)" : "(" + b + ")-1";
    std::string least = sign ? "(" + b + ")(-1ll << " + std::to_string(bits - 1) + ")" : "0";
    return declare(
        name, head + "return x != x ? 0 : x >= " + top + " ? " + most + " : x <= " + low + " ? " + least + " : (" + b + ")x; }");
  }
  if (lanes == 1) return declare(name, head + "return (" + b + ")x; }");
  return declare(name, head + "return __builtin_convertvector(x, " + b + "); }");
}

std::string preamble_c_header() {
  return std::string(kScalarTypes) + R"(typedef struct { void* const* buffers; const i64* ints; void* workspace; } TlmKernelArgs;
)";
}

std::string preamble_c_memory() {
  return R"(typedef __SIZE_TYPE__ size_type;
#define MEMORY __attribute__((visibility("hidden")))
MEMORY void* memcpy(void* to, const void* from, size_type n) {
  unsigned char* a = to;
  const unsigned char* b = from;
  while (n--) *a++ = *b++;
  return to;
}
MEMORY void* memmove(void* to, const void* from, size_type n) {
  unsigned char* a = to;
  const unsigned char* b = from;
  if ((size_type)(a - b) >= n) {
    while (n--) *a++ = *b++;
  } else {
    while (n--) a[n] = b[n];
  }
  return to;
}
MEMORY void* memset(void* to, int value, size_type n) {
  unsigned char* a = to;
  while (n--) *a++ = (unsigned char)value;
  return to;
}
MEMORY int memcmp(const void* x, const void* y, size_type n) {
  const unsigned char *a = x, *b = y;
  for (; n--; ++a, ++b)
    if (*a != *b) return *a - *b;
  return 0;
}
)";
}

}  // namespace tlm::kernels
