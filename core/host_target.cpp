// Reads the machine that runs this process.
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>

#include "tlm/core/target.h"

#if defined(__x86_64__)
#include <cpuid.h>
#elif defined(__aarch64__)
#include <asm/hwcap.h>
#include <sys/auxv.h>
#else
#error "tlm runs on x86-64 and aarch64"
#endif

namespace tlm {
namespace {

// Data caches of the first core, in KB; 0: not known.
struct Caches {
  int l1 = 0, l2 = 0, l3 = 0;
  void set(int level, int kb) {
    if (level == 1) l1 = kb;
    if (level == 2) l2 = kb;
    if (level == 3) l3 = kb;
  }
};

Caches caches_from_sysfs() {
  Caches caches;
  for (int index = 0; index < 8; ++index) {
    const std::string folder = "/sys/devices/system/cpu/cpu0/cache/index" + std::to_string(index) + "/";
    const auto read = [&folder](const char* name) {
      std::string text;
      std::getline(std::ifstream(folder + name), text);
      return text;
    };
    const std::string type = read("type");
    if (type != "Data" && type != "Unified") continue;
    const std::string size = read("size");  // "48K", "32M"
    char* end = nullptr;
    const long number = std::strtol(size.c_str(), &end, 10);
    if (number <= 0 || number > (1L << 24)) continue;
    caches.set(std::atoi(read("level").c_str()), static_cast<int>(*end == 'M' ? number * 1024 : number));
  }
  return caches;
}

#if defined(__x86_64__)

struct Registers {
  unsigned eax = 0, ebx = 0, ecx = 0, edx = 0;
};

Registers cpuid(unsigned leaf, unsigned subleaf = 0) {
  Registers r;
  __get_cpuid_count(leaf, subleaf, &r.eax, &r.ebx, &r.ecx, &r.edx);  // leaves zeros where the leaf does not exist
  return r;
}

// XCR0: which register states the OS saves.
uint64_t xgetbv() {
  uint32_t low, high;
  __asm__("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return static_cast<uint64_t>(high) << 32 | low;
}

// Leaf 4 (Intel) or 0x8000001d (AMD): deterministic cache parameters.
Caches caches_from_cpuid() {
  Caches caches;
  for (const unsigned leaf : {0x8000001du, 4u}) {
    for (unsigned i = 0; i < 8; ++i) {
      const Registers r = cpuid(leaf, i);
      const unsigned type = r.eax & 31;  // 1 data, 2 instruction, 3 unified
      if (type == 0) break;
      if (type == 2) continue;
      const uint64_t bytes =
          uint64_t{(r.ebx >> 22) + 1} * ((r.ebx >> 12 & 0x3ff) + 1) * ((r.ebx & 0xfff) + 1) * (uint64_t{r.ecx} + 1);
      caches.set(static_cast<int>(r.eax >> 5 & 7), static_cast<int>(std::min<uint64_t>(bytes / 1024, 1 << 24)));
    }
    if (caches.l1 > 0) break;
  }
  return caches;
}

std::vector<std::string> detect_features() {
  std::vector<std::string> names;
  const auto add = [&names](bool present, const char* name) {
    if (present) names.emplace_back(name);
  };
  const auto bit = [](unsigned word, int position) { return (word >> position & 1) != 0; };
  const Registers one = cpuid(1), seven = cpuid(7), seven_one = cpuid(7, 1), extended = cpuid(0x80000001u);
  const uint64_t saved = bit(one.ecx, 27) ? xgetbv() : 0;  // OSXSAVE
  const bool ymm = (saved & 0x06) == 0x06;                 // SSE and AVX state
  const bool zmm = (saved & 0xe6) == 0xe6;                 // and opmask, upper halves, upper registers
  add(bit(one.ecx, 0), "pni");
  add(bit(one.ecx, 9), "ssse3");
  add(bit(one.ecx, 13), "cx16");
  add(bit(one.ecx, 19), "sse4_1");
  add(bit(one.ecx, 20), "sse4_2");
  add(bit(one.ecx, 22), "movbe");
  add(bit(one.ecx, 23), "popcnt");
  add(bit(extended.ecx, 0), "lahf_lm");
  add(bit(extended.ecx, 5), "abm");
  add(bit(seven.ebx, 3), "bmi1");
  add(bit(seven.ebx, 8), "bmi2");
  const bool avx = ymm && bit(one.ecx, 28);
  add(avx, "avx");
  add(avx && bit(one.ecx, 12), "fma");
  add(avx && bit(one.ecx, 29), "f16c");
  add(avx && bit(seven.ebx, 5), "avx2");
  add(avx && bit(seven_one.eax, 4), "avx_vnni");
  const bool avx512 = avx && zmm && bit(seven.ebx, 16);
  add(avx512, "avx512f");
  add(avx512 && bit(seven.ebx, 17), "avx512dq");
  add(avx512 && bit(seven.ebx, 28), "avx512cd");
  add(avx512 && bit(seven.ebx, 30), "avx512bw");
  add(avx512 && bit(seven.ebx, 31), "avx512vl");
  add(avx512 && bit(seven.ecx, 11), "avx512_vnni");
  add(avx512 && bit(seven_one.eax, 5), "avx512_bf16");
  add(avx512 && bit(seven.edx, 23), "avx512_fp16");
  std::sort(names.begin(), names.end());
  return names;
}

#else

Caches caches_from_cpuid() { return {}; }

std::vector<std::string> detect_features() {
  std::vector<std::string> names;
  const unsigned long capabilities = getauxval(AT_HWCAP);
  if (capabilities & HWCAP_ASIMD) names.emplace_back("asimd");
  if (capabilities & HWCAP_FP) names.emplace_back("fp");
  return names;
}

#endif

}  // namespace

int usable_cores() {
  cpu_set_t set;
  int cores = 1;
  if (sched_getaffinity(0, sizeof set, &set) == 0) {
    cores = CPU_COUNT(&set);
  } else {
    cores = static_cast<int>(sysconf(_SC_NPROCESSORS_ONLN));
  }
  std::ifstream quota_file("/sys/fs/cgroup/cpu.max");  // "200000 100000": µs of CPU time for each period; or "max 100000"
  double quota = 0, period = 0;
  if (quota_file >> quota >> period && quota > 0 && period > 0)
    cores = std::min(cores, static_cast<int>((quota + period - 1) / period));
  return std::max(cores, 1);
}

std::string_view host_arch() {
#if defined(__x86_64__)
  return "x86-64";
#else
  return "aarch64";
#endif
}

std::vector<std::string> host_features() { return detect_features(); }

Target host_target() {
  Target t;
  t.name = "native";
  t.arch = host_arch();
  t.features = host_features();
  if (t.arch == "aarch64") {
    t.vector_registers = 32;
    t.fma = true;
  } else {
    const bool wide = t.has("avx512f") && t.has("avx512bw") && t.has("avx512dq") && t.has("avx512vl");
    t.vector_bits = wide ? 512 : t.has("avx2") ? 256 : 128;
    t.vector_registers = wide ? 32 : 16;
    t.fma = t.has("fma");
  }
  const Caches listed = caches_from_sysfs();
  const Caches asked = caches_from_cpuid();
  const auto choose = [](int first, int second, int fallback) { return first > 0 ? first : second > 0 ? second : fallback; };
  t.l1_kb = choose(listed.l1, asked.l1, t.l1_kb);
  t.l2_kb = choose(listed.l2, asked.l2, t.l2_kb);
  t.l3_kb = choose(listed.l3, asked.l3, listed.l1 > 0 || asked.l1 > 0 ? 0 : t.l3_kb);  // a machine may have no L3
  t.cores = usable_cores();
  return t;
}

}  // namespace tlm
