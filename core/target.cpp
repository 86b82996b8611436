#include "tlm/core/target.h"

#include <algorithm>
#include <array>

#include "tlm/core/error.h"
#include "tlm/core/file.h"

namespace tlm {
namespace {

struct Feature {
  std::string_view name;  // as in /proc/cpuinfo
  std::string_view flag;  // of GCC and Clang; empty: part of the baseline or of no interest to a compiler
  int level;              // x86-64 level that brings it: 2, 3, 4; 0: beyond the levels
};

// Sorted by name.
constexpr std::array kX86Features = {
    Feature{"abm", "-mlzcnt", 3},
    Feature{"avx", "-mavx", 3},
    Feature{"avx2", "-mavx2", 3},
    Feature{"avx512_bf16", "-mavx512bf16", 0},
    Feature{"avx512_fp16", "-mavx512fp16", 0},
    Feature{"avx512_vnni", "-mavx512vnni", 0},
    Feature{"avx512bw", "-mavx512bw", 4},
    Feature{"avx512cd", "-mavx512cd", 4},
    Feature{"avx512dq", "-mavx512dq", 4},
    Feature{"avx512f", "-mavx512f", 4},
    Feature{"avx512vl", "-mavx512vl", 4},
    Feature{"avx_vnni", "-mavxvnni", 0},
    Feature{"bmi1", "-mbmi", 3},
    Feature{"bmi2", "-mbmi2", 3},
    Feature{"cx16", "-mcx16", 2},
    Feature{"f16c", "-mf16c", 3},
    Feature{"fma", "-mfma", 3},
    Feature{"lahf_lm", "-msahf", 2},
    Feature{"movbe", "-mmovbe", 3},
    Feature{"pni", "-msse3", 2},
    Feature{"popcnt", "-mpopcnt", 2},
    Feature{"sse4_1", "-msse4.1", 2},
    Feature{"sse4_2", "-msse4.2", 2},
    Feature{"ssse3", "-mssse3", 2},
};

constexpr std::array kArmFeatures = {
    Feature{"asimd", "", 0},
    Feature{"fp", "", 0},
};

const Feature* find_feature(std::string_view arch, std::string_view name) {
  const auto search = [name](const auto& table) -> const Feature* {
    for (const Feature& f : table)
      if (f.name == name) return &f;
    return nullptr;
  };
  return arch == "aarch64" ? search(kArmFeatures) : search(kX86Features);
}

int isa_vector_registers(const Target& t) { return t.arch == "aarch64" || t.has("avx512vl") ? 32 : 16; }

Target x86_level(int level) {
  Target t;
  t.name = level == 1 ? "x86-64" : "x86-64-v" + std::to_string(level);
  for (const Feature& f : kX86Features)
    if (f.level != 0 && f.level <= level) t.features.emplace_back(f.name);
  t.vector_bits = level >= 4 ? 512 : level == 3 ? 256 : 128;
  t.vector_registers = level >= 4 ? 32 : 16;
  t.fma = level >= 3;
  return t;
}

Target armv8() {
  Target t;
  t.name = "aarch64";
  t.arch = "aarch64";
  for (const Feature& f : kArmFeatures) t.features.emplace_back(f.name);
  t.vector_registers = 32;
  t.fma = true;
  return t;
}

// One CUDA architecture with the numbers of a data-centre or desktop part of that generation (CUDA C++ Programming Guide,
// "Technical specifications per compute capability"). `shared_kb`: the most that one block may have.
struct SmRow {
  int sm, multiprocessors, shared_kb, l2_kb;
};
constexpr std::array kSmRows = {
    SmRow{75, 40, 64, 4096},   SmRow{80, 108, 163, 40960}, SmRow{86, 82, 99, 6144},
    SmRow{89, 128, 99, 73728}, SmRow{90, 132, 227, 51200},
};

Target cuda(const SmRow& row) {
  Target t;
  t.name = "sm_" + std::to_string(row.sm);
  t.device = DeviceKind::kCuda;
  t.arch = host_arch();
  t.vector_bits = 128;  // widest load of one thread
  t.vector_registers = 0;
  t.fma = true;
  t.l1_kb = row.shared_kb;
  t.l2_kb = row.l2_kb;
  t.l3_kb = 0;
  t.sm = row.sm;
  t.multiprocessors = row.multiprocessors;
  t.shared_kb = row.shared_kb;
  t.registers = 65536;
  return t;
}

const SmRow* find_sm(int sm) {
  for (const SmRow& row : kSmRows)
    if (row.sm == sm) return &row;
  return nullptr;
}

}  // namespace

bool Target::has(std::string_view feature) const {
  return std::find(features.begin(), features.end(), feature) != features.end();
}

std::vector<std::string> target_names() {
  std::vector<std::string> names = {"native", "x86-64", "x86-64-v2", "x86-64-v3", "x86-64-v4", "aarch64"};
  for (const SmRow& row : kSmRows) names.push_back("sm_" + std::to_string(row.sm));
  return names;
}

Target named_target(std::string_view name) {
  if (name == "native") return host_target();
  if (name == "aarch64") return armv8();
  if (name == "x86-64") return x86_level(1);
  for (int level = 2; level <= 4; ++level)
    if (name == "x86-64-v" + std::to_string(level)) return x86_level(level);
  for (const SmRow& row : kSmRows)
    if (name == "sm_" + std::to_string(row.sm)) return cuda(row);
  std::string names;
  for (const std::string& n : target_names()) names += (names.empty() ? "" : ", ") + n;
  throw Error(ErrorCode::kUsage, "unknown target '" + std::string(name) + "'", "", "one of " + names + ", or a JSON file");
}

Target load_target(const std::string& name_or_file) {
  const std::vector<std::string> names = target_names();
  if (std::find(names.begin(), names.end(), name_or_file) != names.end()) return named_target(name_or_file);
  std::error_code ignored;
  if (!std::filesystem::exists(name_or_file, ignored)) return named_target(name_or_file);  // throws with the list of names
  return parse_target_json(read_file(name_or_file, size_t{1} << 20), name_or_file);
}

std::string target_defect(const Target& t) {
  if (t.device == DeviceKind::kCuda) {
    if (!find_sm(t.sm)) return "unknown SM version " + std::to_string(t.sm);
    if (t.multiprocessors < 1 || t.shared_kb < 16 || t.registers < 1024)
      return "a CUDA target needs multiprocessors, shared_kb, registers";
    return {};
  }
  if (t.arch != "x86-64" && t.arch != "aarch64") return "unknown arch '" + t.arch + "' (x86-64 and aarch64 are known)";
  for (const std::string& name : t.features)
    if (!find_feature(t.arch, name)) return "unknown feature '" + name + "' of " + t.arch;
  for (size_t i = 1; i < t.features.size(); ++i)
    if (t.features[i - 1] >= t.features[i]) return "features are not sorted and distinct";
  const bool v512 = t.has("avx512f") && t.has("avx512bw") && t.has("avx512dq") && t.has("avx512vl");
  const int widest = t.arch == "aarch64" ? 128 : v512 ? 512 : t.has("avx2") ? 256 : 128;
  if (t.vector_bits != 0 && t.vector_bits != 128 && t.vector_bits != 256 && t.vector_bits != 512)
    return "vector_bits must be 0, 128, 256 or 512";
  if (t.vector_bits > widest)
    return "vectors of " + std::to_string(t.vector_bits) + " bits, but the features give " + std::to_string(widest);
  const int registers = isa_vector_registers(t);
  if (t.vector_registers < 1 || t.vector_registers > registers)
    return "vector_registers must be 1 to " + std::to_string(registers) + " with these features";
  if (t.fma && t.arch == "x86-64" && !t.has("fma")) return "fma is true, but the feature 'fma' is not listed";
  if (t.l1_kb < 1 || t.l2_kb < 0 || t.l3_kb < 0) return "cache sizes must be positive";
  if (t.cores < 1 || t.cores > 4096) return "cores must be 1 to 4096";
  return {};
}

std::vector<std::string> missing_features(const std::vector<std::string>& required, const std::vector<std::string>& available) {
  std::vector<std::string> missing;
  for (const std::string& name : required)
    if (std::find(available.begin(), available.end(), name) == available.end()) missing.push_back(name);
  return missing;
}

std::vector<std::string> missing_features(const std::vector<std::string>& required) {
  return missing_features(required, host_features());
}

std::vector<std::string> compiler_flags(const Target& t) {
  const std::string defect = target_defect(t);
  TLM_CHECK(defect.empty()) << defect;
  if (t.device == DeviceKind::kCuda) return {"--gpu-architecture=sm_" + std::to_string(t.sm), "--fmad=false"};
  std::vector<std::string> flags;
  if (t.arch == "aarch64") {
    flags = {"-march=armv8-a"};
  } else {
    flags = {"-march=x86-64", "-mtune=generic"};
    for (const std::string& name : t.features) {
      const Feature* feature = find_feature(t.arch, name);
      if (!feature->flag.empty()) flags.emplace_back(feature->flag);
    }
    // Fewer vector registers than the instruction set has: the others are left alone. The first eight hold arguments.
    for (int r = std::max(8, t.vector_registers); r < isa_vector_registers(t); ++r)
      flags.push_back("-ffixed-xmm" + std::to_string(r));
  }
  flags.emplace_back("-ffp-contract=off");  // a fused multiply-add is written where it is meant
  return flags;
}

}  // namespace tlm
