// What space, language and emitters may ask about the hardware, as numbers.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace tlm {

enum class DeviceKind : uint8_t { kCpu, kCuda };
enum class Numerics : uint8_t { kFast, kStrict };

struct Target {
  std::string name;                     // for people only: never in a hash, a sentence or a decision
  DeviceKind device = DeviceKind::kCpu;
  std::string arch = "x86-64";          // "x86-64" | "aarch64": selects the C compiler and the ABI
  std::vector<std::string> features;    // sorted ISA feature names as in /proc/cpuinfo ("avx2", "fma", …)
  int vector_bits = 128;                // widest vector of the ISA; 0: none
  int vector_registers = 16;
  bool fma = false;
  int l1_kb = 32, l2_kb = 512, l3_kb = 8192;  // data caches; L1, L2 per core, L3 shared
  int cores = 1;                        // cores that a schedule is for
  Numerics numerics = Numerics::kFast;
  // device == kCuda
  int sm = 0;                           // 75, 80, 86, 89, 90
  int multiprocessors = 0;
  int shared_kb = 0;                    // shared memory of one block
  int registers = 0;                    // 32-bit registers of one multiprocessor

  bool has(std::string_view feature) const;
  bool operator==(const Target&) const = default;
};

// The machine that runs this process.
Target host_target();
// "native", "x86-64", "x86-64-v2", "x86-64-v3", "x86-64-v4", "aarch64", "sm_75" … "sm_90".
// Throws Error(kUsage) that lists the names.
Target named_target(std::string_view name);
std::vector<std::string> target_names();
// A named target, or a path to a JSON file as written by target_json. Throws Error.
Target load_target(const std::string& name_or_file);
Target parse_target_json(std::string_view json, const std::string& where);
std::string target_json(const Target& target);  // deterministic, two-space indent
// ISA features that this CPU has and this OS lets programs use (CPUID, XGETBV), sorted.
std::vector<std::string> host_features();
// Cores that this process may use: the affinity mask, cut by a container's CPU quota. >= 1
int usable_cores();
// "x86-64" or "aarch64": what this process is built for.
std::string_view host_arch();
// Those of `required` that are not `available`, by name, in the order given; empty: code that requires them runs.
std::vector<std::string> missing_features(const std::vector<std::string>& required, const std::vector<std::string>& available);
// The same with the features of this machine.
std::vector<std::string> missing_features(const std::vector<std::string>& required);
// Is the target consistent (known arch and features, vectors that its features provide)? The reason if not; empty: it is.
std::string target_defect(const Target& target);
// Compiler flags for generated C (GCC and Clang); they derive from the target alone (-m…; never -march=native). A target with
// fewer vector registers than its instruction set is compiled so that code uses no others (-ffixed-xmm…, down to eight; Clang
// knows no such flag and is not given it). For a CUDA target, those of NVRTC.
std::vector<std::string> compiler_flags(const Target& target);

}  // namespace tlm
