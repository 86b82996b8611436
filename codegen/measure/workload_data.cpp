#include "tlm/codegen/measure/workload_data.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>

#include "tlm/codegen/random_tensor.h"
#include "tlm/core/error.h"
#include "tlm/ir/tensor/interpret.h"

namespace tlm::codegen {
namespace {

constexpr int64_t kPeriod = 1000003;
constexpr int64_t kPoints = 32;

// For each tensor the values that stay inside when it is used as an index, INT64_MAX: it is not.
std::vector<int64_t> index_limits(const ir::Subgraph& g) {
  std::vector<int64_t> limit(g.tensors.size(), INT64_MAX);
  const auto lower_to = [&](const ir::Expr& e, int64_t value) {
    ir::visit(e, [&](const ir::Expr& x) {
      if (x->op == ir::Op::kLoad) limit[static_cast<size_t>(x->id)] = std::min(limit[static_cast<size_t>(x->id)], value);
    });
  };
  for (auto stage = g.stages.rbegin(); stage != g.stages.rend(); ++stage) {  // readers before writers
    const auto look = [&](const ir::Expr& e) {
      ir::visit(e, [&](const ir::Expr& x) {
        if (x->op != ir::Op::kLoad) return;
        for (size_t d = 0; d < x->args.size(); ++d) lower_to(x->args[d], g.tensors[static_cast<size_t>(x->id)].shape[d]);
      });
    };
    for (const ir::Expr& e : stage->body) look(e);
    for (const ir::Expr& e : stage->result) look(e);
    for (const ir::StageOutput& o : stage->outputs)
      if (const int64_t value = limit[static_cast<size_t>(o.tensor)]; value != INT64_MAX)
        for (const auto* list : {&stage->body, &stage->result})
          for (const ir::Expr& e : *list) lower_to(e, value);
  }
  return limit;
}

Tensor fill(const ir::TensorDecl& decl, int64_t limit, Rng& rng) {
  Tensor t(decl.dtype, decl.shape);
  const Tensor period = random_tensor(decl.dtype, {std::min(t.size(), kPeriod)}, rng);
  if (t.size() == 0) return t;
  for (size_t at = 0; at < t.bytes(); at += period.bytes())
    std::memcpy(t.mutable_data() + at, period.data(), std::min(period.bytes(), t.bytes() - at));
  if (limit < 8 && !is_float(decl.dtype))
    for (int64_t i = 0; i < t.size(); ++i) t.set_i64(i, t.at_i64(i) % std::max<int64_t>(limit, 1));
  return t;
}

// Of the largest |expected|: what sums in another order, Winograd and fast functions may differ by.
double tolerance(DType t) {
  if (t == DType::kF16) return 1e-2;
  if (t == DType::kBF16) return 4e-2;
  return 2e-3;
}

struct Difference {
  int64_t wrong = 0;
  int64_t first = -1;
  double got = 0, expected = 0;
  void add(int64_t position, double a, double b) {
    if (wrong++ == 0) first = position, got = a, expected = b;
  }
  std::string text() const {
    char line[96];
    std::snprintf(line, sizeof line, "element %lld is %.6g instead of %.6g", static_cast<long long>(first), got, expected);
    return line;
  }
};

bool near(double a, double b, double allowed) {
  if (std::isnan(a) || std::isnan(b)) return std::isnan(a) && std::isnan(b);
  return a == b || std::abs(a - b) <= allowed;
}

double largest(const Tensor& t) {
  double scale = 0;
  for (int64_t i = 0; i < t.size(); ++i)
    if (const double x = std::abs(t.at_f64(i)); std::isfinite(x)) scale = std::max(scale, x);
  return scale;
}

// Floats: within the tolerance of the largest expected value, or of `scale` where that is more. Integers come from rounding floats, or from comparing them: they
// may differ by one, and a few by more.
template <typename Expected>
std::string compare(const Tensor& got, int64_t count, double scale, const Expected& expected_at) {
  const bool floats = is_float(got.dtype());
  for (int64_t k = 0; floats && k < count; ++k)
    if (const double e = std::abs(expected_at(k).second); std::isfinite(e)) scale = std::max(scale, e);
  const double allowed = floats ? tolerance(got.dtype()) * scale : got.dtype() == DType::kBool ? 0 : 1;
  Difference difference;
  for (int64_t k = 0; k < count; ++k) {
    const auto [position, expected] = expected_at(k);
    const double value = got.at_f64(position);
    if (!near(value, expected, allowed)) difference.add(position, value, expected);
  }
  const int64_t exceptions = floats ? 0 : count / 64;
  return difference.wrong > exceptions ? difference.text() : "";
}

}  // namespace

WorkloadData make_workload_data(const ir::Subgraph& g, uint64_t seed) {
  WorkloadData data;
  data.workload_hash = ir::workload_hash(g);
  Rng rng = Rng(seed).split(data.workload_hash);
  const std::vector<int64_t> limits = index_limits(g);
  data.values.resize(g.tensors.size());
  for (size_t t = 0; t < g.tensors.size(); ++t) {
    const ir::TensorRole role = g.tensors[t].role;
    if (role == ir::TensorRole::kInput || role == ir::TensorRole::kConstant) data.values[t] = fill(g.tensors[t], limits[t], rng);
  }
  for (size_t t = 0; t < g.tensors.size(); ++t) {
    if (g.tensors[t].role != ir::TensorRole::kOutput) continue;
    ExpectedPoints points{static_cast<int>(t), {}, {}};
    const int64_t n = element_count(g.tensors[t].shape);
    if (n > 0) points.positions = {0, n - 1};
    while (n > 0 && static_cast<int64_t>(points.positions.size()) < kPoints)
      points.positions.push_back(static_cast<int64_t>(rng.below(static_cast<uint64_t>(n))));
    points.values = ir::interpret_points(g, data.values, points.tensor, points.positions);
    data.expected.push_back(std::move(points));
  }
  return data;
}

std::string compare_points(const Tensor& got, const ExpectedPoints& expected) {
  // The points may all be small ones of a tensor with larger elements.
  constexpr double kShare = 0.01;
  const double scale = is_float(got.dtype()) ? kShare * largest(got) : 0;
  return compare(got, static_cast<int64_t>(expected.positions.size()), scale, [&](int64_t k) {
    return std::pair(expected.positions[static_cast<size_t>(k)], expected.values[static_cast<size_t>(k)]);
  });
}

std::string compare_all(const Tensor& got, const Tensor& other) {
  if (got.bytes() == other.bytes() && std::memcmp(got.data(), other.data(), got.bytes()) == 0) return "";
  return compare(got, got.size(), 0, [&](int64_t k) { return std::pair(k, other.at_f64(k)); });
}

}  // namespace tlm::codegen
