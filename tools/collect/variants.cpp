#include "tlm/tools/collect/variants.h"

#include <algorithm>
#include <string_view>

#include "tlm/core/error.h"

namespace tlm::collect {
namespace {

// The caches of `machine` under another instruction set.
Target with_instructions(const Target& machine, std::string_view level) {
  Target t = named_target(level);
  t.l1_kb = machine.l1_kb;
  t.l2_kb = machine.l2_kb;
  t.l3_kb = machine.l3_kb;
  return t;
}

}  // namespace

std::vector<Variant> hardware_variants(const Target& machine) {
  const Target avx2 = with_instructions(machine, "x86-64-v3");
  Target few = avx2;
  few.vector_registers = 8;
  Target avx = avx2;  // with the integer instructions of AVX2
  std::erase(avx.features, "fma");
  avx.fma = false;
  const struct {
    const char* name;
    Target target;
    bool main, one_held_out, two_held_out;
  } rows[] = {
      {"native", machine, true, false, false},
      {"avx2", avx2, false, false, false},
      {"avx2-8", few, false, false, true},
      {"avx", avx, false, true, true},
      {"sse2", with_instructions(machine, "x86-64"), false, false, false},
  };
  std::vector<Variant> out;
  for (const auto& row : rows) {
    if (row.target.arch != machine.arch || !missing_features(row.target.features, machine.features).empty()) continue;
    for (const int cores : {1, 2}) {
      Variant v{row.name + std::string("-") + std::to_string(cores), row.target, row.main,
                cores == 1 ? row.one_held_out : row.two_held_out};
      v.target.name = v.name;
      v.target.cores = cores;
      out.push_back(std::move(v));
    }
  }
  return out;
}

std::vector<Variant> chosen_variants(const Target& machine, const std::vector<std::string>& names) {
  const std::vector<Variant> all = hardware_variants(machine);
  std::vector<Variant> out;
  const auto take = [&](const Variant& v) {
    if (std::none_of(out.begin(), out.end(), [&](const Variant& o) { return o.name == v.name; })) out.push_back(v);
  };
  for (const std::string& name : names) {
    bool known = name == "training" || name == "all";
    for (const Variant& v : all) {
      if (name != "all" && name != v.name && !(name == "training" && !v.held_out)) continue;
      known = true;
      take(v);
    }
    if (known) continue;
    std::string hint = "training, all";
    for (const Variant& v : all) hint += ", " + v.name;
    throw Error(ErrorCode::kUsage, "this machine has no variant '" + name + "'", "", "choose among: " + hint);
  }
  return out;
}

std::optional<Variant> variant_of(const Target& t) {
  Target machine = named_target("x86-64-v4");  // has all variants
  machine.l1_kb = t.l1_kb, machine.l2_kb = t.l2_kb, machine.l3_kb = t.l3_kb;
  for (Variant& v : hardware_variants(machine)) {
    Target a = v.target, b = t;
    a.name = b.name = "";
    a.numerics = b.numerics;
    if (!v.main && a == b) return std::move(v);
  }
  return std::nullopt;
}

}  // namespace tlm::collect
