#include "tlm/space/search/features.h"

#include <algorithm>
#include <cmath>

#include "tlm/core/error.h"
#include "tlm/space/search/nest_features.h"

namespace tlm::space {
namespace {

enum class Over { kSum, kMax };
enum class Scale { kLog, kRaw };

struct Column {
  const char* name;
  Over over;
  Scale scale;
};

constexpr Column kColumns[] = {
#define X(name, over, scale) {#name, Over::over, Scale::scale},
    TLM_NEST_FEATURES(X)
#undef X
};
static_assert(std::size(kColumns) == kNestFeatures);

constexpr const char* kWhole[] = {"stages",      "nests", "inlined", "on_accumulators",  "internal_bytes",
                                  "vector_bits", "l1_kb", "l2_kb",   "vector_registers", "cores"};

float log_of(double x) { return static_cast<float>(std::log2(1 + std::max(0.0, x))); }
float written(Scale scale, double x) { return scale == Scale::kLog ? log_of(x) : static_cast<float>(x); }

}  // namespace

const std::vector<std::string>& feature_names() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> out;
    for (const Column& c : kColumns) out.push_back(std::string("main.") + c.name);
    for (const Column& c : kColumns) out.push_back(std::string("all.") + c.name);
    for (const char* name : kWhole) out.push_back(name);
    return out;
  }();
  return names;
}

Features features(const Walk& w) {
  const SchedulePlan plan = w.plan();
  const ir::Subgraph& g = w.subgraph();
  const Target& t = w.space().target();
  NestFeatures main{}, all{};
  constexpr auto kCycles = static_cast<size_t>(NestFeature::cycles);
  double internal = 0, on_accumulators = 0;
  for (size_t n = 0; n < plan.nests.size(); ++n) {
    const NestPlan& nest = plan.nests[n];
    const NestInfo& info = w.nest_info(static_cast<int>(n));
    const NestFeatures f = nest_features(info, nest, plan, t);
    if (f[kCycles] >= main[kCycles]) main = f;
    for (size_t i = 0; i < kNestFeatures; ++i) {
      all[i] = kColumns[i].over == Over::kSum ? all[i] + f[i] : std::max(all[i], f[i]);
    }
    on_accumulators += static_cast<double>(nest.epilogue.size());
    for (const Access& s : info.stores) {
      if (s.tensor < 0 || g.tensors[static_cast<size_t>(s.tensor)].role != ir::TensorRole::kInternal) continue;
      internal += static_cast<double>(element_count(s.shape) * s.element_bytes);
    }
  }
  Features out;
  out.model_cycles = all[kCycles];
  for (size_t i = 0; i < kNestFeatures; ++i) out.values.push_back(written(kColumns[i].scale, main[i]));
  for (size_t i = 0; i < kNestFeatures; ++i) out.values.push_back(written(kColumns[i].scale, all[i]));
  const double inlined = static_cast<double>(std::count(plan.attach.begin(), plan.attach.end(), Attach::kInline));
  for (double x : {static_cast<double>(plan.attach.size()), static_cast<double>(plan.nests.size()), inlined, on_accumulators,
                   internal, static_cast<double>(t.vector_bits), static_cast<double>(t.l1_kb), static_cast<double>(t.l2_kb),
                   static_cast<double>(t.vector_registers), static_cast<double>(t.cores)})
    out.values.push_back(log_of(x));
  TLM_CHECK(out.values.size() == feature_names().size());
  return out;
}

std::vector<float> feature_row(const Features& f, const Features& anchor) {
  TLM_CHECK(f.values.size() == anchor.values.size());
  std::vector<float> row = f.values;
  for (size_t i = kNestFeatures; i < 2 * kNestFeatures; ++i) row[i] -= anchor.values[i];
  return row;
}

}  // namespace tlm::space
