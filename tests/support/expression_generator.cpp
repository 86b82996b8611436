#include "tests/support/expression_generator.h"

#include <algorithm>
#include <optional>

#include "tests/support/generated_access.h"
#include "tests/support/generated_axes.h"
#include "tests/support/generated_expr.h"
#include "tlm/core/error.h"
#include "tlm/core/rng.h"

namespace tlm::test {
namespace {

using namespace ir;

class ProgramGenerator : private AxisDraft {
 public:
  ProgramGenerator(Rng rng, const GeneratorOptions& options) : AxisDraft(rng, options.max_rank), o_(options) {}

  GeneratedProgram run() {
    exact_ = o_.mode == GeneratorOptions::Mode::kExact || (o_.mode == GeneratorOptions::Mode::kMixed && rng_.below(3) != 0);
    p_.exact = exact_;
    p_.g.name = exact_ ? "exact" : "float";
    const int stages = static_cast<int>(rng_.between(1, o_.max_stages));
    while (static_cast<int>(p_.g.stages.size()) < stages) {
      const bool two_writers = stages - static_cast<int>(p_.g.stages.size()) >= 2 && chance(10);
      two_writers ? concat() : single();
    }
    finish_roles();
    bind();
    return std::move(p_);
  }

 private:
  void single() {
    const bool scan = o_.scans && chance(10);
    make_stage(scan ? Kind::kScan : chance(50) ? Kind::kReduce : Kind::kMap);
  }

  // ── Axes ──────────────────────────────────────────────────────────────────────────────────────────────────────────────

  void charge() {
    work_ += points();
    if (work_ > o_.work_budget) throw TooLarge();
  }

  // A tensor that was written and not read yet, most recent first.
  int pending() {
    for (size_t t = p_.g.tensors.size(); t-- > 0;)
      if (p_.g.tensors[t].role == TensorRole::kInternal && p_.g.readers(static_cast<int>(t)).empty() && chance(85))
        return static_cast<int>(t);
    return -1;
  }

  // ── Tensors ───────────────────────────────────────────────────────────────────────────────────────────────────────────

  int add_tensor(TensorRole role, DType t, Shape shape, double bound) {
    if (element_count(shape) > 2 * o_.work_budget + 100) throw TooLarge();
    TensorDecl d;
    constexpr const char* kLetters[] = {"X", "Y", "W", "M"};
    d.name = kLetters[static_cast<int>(role)] + std::to_string(p_.g.tensors.size());
    d.dtype = t;
    d.shape = std::move(shape);
    d.strides = row_major_strides(d.shape);
    d.role = role;
    d.buffer_elements = element_count(d.shape);
    p_.g.tensors.push_back(d);
    bounds_.push_back(bound);
    return static_cast<int>(p_.g.tensors.size()) - 1;
  }

  DType input_type(DType compute) {
    if (!o_.other_types || chance(80)) return compute;
    constexpr DType kTypes[] = {DType::kF32, DType::kF16,  DType::kI32,  DType::kU8, DType::kI64,
                                DType::kI8,  DType::kBool, DType::kBF16, DType::kF64};
    return kTypes[rng_.below(std::size(kTypes))];
  }

  // A new input or constant, read through a random pattern over the axes. The pattern comes first, the shape follows.
  Access new_operand(DType compute) {
    Access a;
    const int rank = static_cast<int>(rng_.between(axes_.empty() ? 0 : 1, std::min<int64_t>(4, o_.max_rank)));
    std::vector<int> pool;
    for (size_t i = 0; i < axes_.size(); ++i) pool.push_back(static_cast<int>(i));
    for (size_t i = pool.size(); i > 1; --i)
      if (chance(40)) std::swap(pool[i - 1], pool[rng_.below(i)]);
    for (int r = 0; r < rank && !pool.empty() && static_cast<int>(a.dims.size()) < o_.max_rank; ++r) {
      a.dims.push_back(new_dim(pool));
      if (static_cast<int>(a.dims.size()) < o_.max_rank && chance(4)) a.dims.push_back(a.dims.back());  // diagonal
    }
    if (static_cast<int>(a.dims.size()) < o_.max_rank && chance(8)) {
      Dim constant;
      constant.offset = rng_.between(0, 2);
      constant.extent = constant.offset + rng_.between(1, 2);
      a.dims.insert(a.dims.begin() + static_cast<std::ptrdiff_t>(rng_.below(a.dims.size() + 1)), constant);
    }
    Shape shape;
    for (const Dim& d : a.dims) shape.push_back(d.extent);
    a.tensor = add_tensor(chance(35) ? TensorRole::kConstant : TensorRole::kInput, input_type(compute), shape, 4);
    if (o_.gathers && !a.dims.empty() && chance(8)) gather_through(a);
    return a;
  }

  int take(std::vector<int>& pool) {
    const size_t i = rng_.below(std::min<size_t>(pool.size(), 2));
    const int axis = pool[pool.size() - 1 - i];
    pool.erase(pool.end() - 1 - static_cast<std::ptrdiff_t>(i));
    return axis;
  }

  Dim new_dim(std::vector<int>& pool) {
    Dim d;
    d.a = take(pool);
    const int64_t e = axes_[static_cast<size_t>(d.a)].extent;
    switch (rng_.below(14)) {
      case 0:  // strided, shifted
        d.a_scale = rng_.between(1, 3);
        d.offset = rng_.between(0, 2);
        break;
      case 1:
      case 2:  // window over two axes
        if (pool.empty()) break;
        d.b = take(pool);
        d.a_scale = rng_.between(1, 2);
        d.b_scale = rng_.between(1, 2);
        break;
      case 3: d.div = rng_.between(2, 4); break;
      case 4: d.mod = rng_.between(1, std::max<int64_t>(e - 1, 1)); break;
      case 5:
        d.a_scale = -1;
        d.offset = e - 1;
        break;
      case 6:
        d.guarded = true;
        d.offset = -rng_.between(0, std::max<int64_t>(e - 2, 0));
        d.extent = std::max<int64_t>(1, e + d.offset - rng_.between(0, 2));
        return d;
      default: break;
    }
    d.extent = highest(d, axes_) + 1 + (chance(15) ? rng_.between(1, 3) : 0);
    return d;
  }

  // One dimension's index comes from a tensor instead.
  void gather_through(Access& a) {
    Dim& d = a.dims[rng_.below(a.dims.size())];
    if (d.a < 0 || d.guarded) return;
    Dim plain;
    plain.a = d.a;
    plain.extent = axes_[static_cast<size_t>(d.a)].extent;
    const DType t = chance(70) ? DType::kI64 : DType::kI32;
    d.index_tensor = add_tensor(TensorRole::kInput, t, {plain.extent}, 4);
    d.a = plain.a, d.b = -1;
    index_range_.resize(p_.g.tensors.size(), 0);
    index_range_[static_cast<size_t>(d.index_tensor)] = d.extent;
  }

  // Any earlier tensor again, where its shape fits the axes.
  std::optional<Access> old_operand() {
    if (p_.g.tensors.empty()) return std::nullopt;
    const int t = static_cast<int>(rng_.below(p_.g.tensors.size()));
    if ((t < static_cast<int>(index_range_.size()) && index_range_[static_cast<size_t>(t)])) return std::nullopt;
    Access a;
    a.tensor = t;
    for (int64_t e : p_.g.tensors[static_cast<size_t>(t)].shape) {
      Dim d;
      d.extent = e;
      for (size_t x = 0; x < axes_.size(); ++x)
        if (axes_[x].extent <= e && (d.a < 0 || axes_[x].extent == e)) d.a = static_cast<int>(x);
      if (d.a < 0) d.offset = rng_.between(0, e - 1);
      a.dims.push_back(d);
    }
    return a;
  }

  // ── Stages ────────────────────────────────────────────────────────────────────────────────────────────────────────────

  DType compute_type() {
    if (!o_.other_types || chance(80)) return DType::kF32;
    constexpr DType kExactTypes[] = {DType::kI32, DType::kI64, DType::kF64, DType::kI32};
    return exact_ ? kExactTypes[rng_.below(std::size(kExactTypes))] : chance(70) ? DType::kF64 : DType::kF32;
  }

  void draft_axes(Kind kind) {
    axes_.clear();
    accesses_.clear();
    const int driver = pending();
    if (driver >= 0) {
      axes_over(driver, p_.g.tensors[static_cast<size_t>(driver)].shape, kind);
    } else {
      free_axes(kind);
    }
    if (spatial_axes() < o_.max_rank - 1 && chance(15)) add_axis(AxisKind::kSpatial, rng_.between(2, 5));  // broadcast
    if (kind == Kind::kReduce) {
      const auto reductions = static_cast<int>(axes_.size()) - spatial_axes();
      const int wanted = static_cast<int>(rng_.between(1, 3));
      for (int i = reductions; i < wanted; ++i) add_axis(AxisKind::kReduce, i == 0 ? extent() : rng_.between(1, 5));
    }
    if (kind == Kind::kScan) {
      std::vector<size_t> spatial;
      for (size_t i = 0; i < axes_.size(); ++i)
        if (axes_[i].kind == AxisKind::kSpatial) spatial.push_back(i);
      if (spatial.empty()) {
        add_axis(AxisKind::kScan, extent());
      } else {
        axes_[spatial[rng_.below(spatial.size())]].kind = AxisKind::kScan;
      }
      if (chance(15)) add_axis(AxisKind::kReduce, rng_.between(2, 4));
    }
    sort_axes();
    charge();
  }

  // Loads for one body: the driver's first, then one or two more.
  std::vector<Value> operands(DType compute) {
    std::vector<Value> v;
    std::vector<Access> accesses = std::move(accesses_);
    accesses_.clear();
    const int more = static_cast<int>(accesses.empty() ? rng_.between(1, 2) : rng_.between(0, 2));
    for (int i = 0; i < more; ++i) {
      std::optional<Access> a;
      if (chance(15)) a = old_operand();
      accesses.push_back(a ? *a : new_operand(compute));
    }
    for (const Access& a : accesses) {
      const auto bound = bounds_[static_cast<size_t>(a.tensor)];
      v.push_back({make_cast(build_load(a, p_.g), compute), bound});
    }
    return v;
  }

  int64_t reduced_points(const Stage& s) const {
    int64_t n = 1;
    for (const Axis& a : s.axes)
      if (a.kind != AxisKind::kSpatial) n *= a.extent;
    return n;
  }

  // Body and combiner; returns the accumulators as values for the results.
  std::vector<Value> fill(Stage& s, Kind kind, DType compute) {
    ExprMaker maker(rng_, exact_, s.axes);
    Value body = maker.combine(operands(compute));
    if (kind == Kind::kMap) {
      s.body = {body.e};
      std::vector<Value> acc = {{make_acc(0, compute), body.bound}};
      if (o_.tuples && chance(12)) {
        const Value second = maker.combine({body, {make_const(2, compute), 2}});
        s.body.push_back(second.e);
        acc.push_back({make_acc(1, compute), second.bound});
      }
      return acc;
    }
    if (kind == Kind::kScan) s.exclusive = chance(40);
    return o_.tuples && chance(20) ? maker.tuple_combiner(s, body, reduced_points(s))
                                   : maker.plain_combiner(s, body, reduced_points(s));
  }

  // Shape and indices of an output over the spatial and scan axes: often in order, sometimes permuted, rarely with a unit
  // dimension.
  StageOutput output_over(const Stage& s, std::vector<int>& order, Shape& shape) {
    if (order.empty()) {
      for (size_t i = 0; i < s.axes.size(); ++i)
        if (s.axes[i].kind != AxisKind::kReduce && (s.axes[i].extent > 1 || !chance(20))) order.push_back(static_cast<int>(i));
      if (chance(30))
        for (size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[rng_.below(i)]);
      if (static_cast<int>(order.size()) < o_.max_rank && chance(10))
        order.insert(order.begin() + static_cast<std::ptrdiff_t>(rng_.below(order.size() + 1)), -1);
    }
    StageOutput o;
    for (int a : order) {
      shape.push_back(a < 0 ? 1 : s.axes[static_cast<size_t>(a)].extent);
      o.indices.push_back(a < 0 ? make_int(0) : make_var(a));
    }
    return o;
  }

  // The accumulators made into one stored value.
  Value result_of(const Stage& s, std::vector<Value> acc, bool operand_allowed) {
    ExprMaker maker(rng_, exact_, result_axes(s));
    const DType t = acc[0].e->dtype;
    for (Value& v : acc) v.e = make_cast(v.e, t);
    if (operand_allowed && chance(30)) {  // an operand of the epilogue: bias, residual
      std::vector<Axis> keep = axes_;
      axes_ = result_axes(s);
      if (!axes_.empty()) {
        const Access a = new_operand(t);
        acc.push_back({make_cast(build_load(a, p_.g), t), bounds_[static_cast<size_t>(a.tensor)]});
      }
      axes_ = keep;
    }
    Value v = acc.size() > 1 || chance(30) ? maker.combine(acc) : acc[0];
    if (exact_ && v.bound > 64) v = maker.clamp(v, 8);
    if (o_.other_types && chance(12)) {
      constexpr DType kStored[] = {DType::kF16, DType::kF64, DType::kF32, DType::kI32, DType::kI64, DType::kU8, DType::kBool};
      const DType stored = kStored[rng_.below(exact_ ? std::size(kStored) : 3)];  // a rounded integer would not be continuous
      if (stored == DType::kU8) v = {make_op(Op::kAbs, {v.e}), v.bound};
      v.e = make_cast(v.e, stored);
      if (stored == DType::kBool) v.bound = 1;
    }
    return v;
  }

  // Axes that a result may use. Reduction axes keep their place, so they only need to be last: a scan axis behind them is left
  // out.
  static std::vector<Axis> result_axes(const Stage& s) {
    std::vector<Axis> axes;
    for (const Axis& a : s.axes)
      if (a.kind == AxisKind::kSpatial) axes.push_back(a);
    return axes;
  }

  void make_stage(Kind kind) {
    draft_axes(kind);
    Stage s;
    s.name = "stage" + std::to_string(p_.g.stages.size());
    s.axes = axes_;
    const std::vector<Value> acc = fill(s, kind, compute_type());
    const bool two = acc.size() > 1 && chance(60);
    std::vector<int> order;
    for (int i = 0; i < (two ? 2 : 1); ++i) {
      const Value v = result_of(s, two ? std::vector<Value>{acc[static_cast<size_t>(i)]} : acc, true);
      Shape shape;
      StageOutput o = output_over(s, order, shape);
      o.tensor = add_tensor(TensorRole::kInternal, v.e->dtype, shape, v.bound);
      s.result.push_back(v.e);
      s.outputs.push_back(o);
    }
    p_.g.stages.push_back(s);
  }

  // Two stages that write halves of one tensor, end to end or interleaved.
  void concat() {
    const Kind kind = chance(30) ? Kind::kReduce : Kind::kMap;
    draft_axes(kind);
    Stage first;
    first.name = "stage" + std::to_string(p_.g.stages.size());
    first.axes = axes_;
    if (first.spatial_count() == 0) throw TooLarge();
    const Value a = result_of(first, fill(first, kind, compute_type()), true);
    std::vector<int> order;
    Shape shape;
    StageOutput o = output_over(first, order, shape);
    std::vector<size_t> dims;
    for (size_t d = 0; d < order.size(); ++d)
      if (order[d] >= 0) dims.push_back(d);
    if (dims.empty()) throw TooLarge();
    const size_t d = dims[rng_.below(dims.size())];
    const auto axis = static_cast<size_t>(order[d]);
    const bool interleaved = chance(30);
    const int64_t e1 = axes_[axis].extent, e2 = interleaved ? e1 : rng_.between(1, 6);
    shape[d] = e1 + e2;
    // The second stage: the same axes, one of another extent; operands of its own.
    axes_[axis].extent = e2;
    charge();
    Stage second;
    second.name = "stage" + std::to_string(p_.g.stages.size() + 1);
    second.axes = axes_;
    accesses_.clear();
    Value b = result_of(second, fill(second, kind, DType::kF32), true);
    b.e = make_cast(b.e, a.e->dtype);
    o.tensor = add_tensor(TensorRole::kInternal, a.e->dtype, shape, std::max(a.bound, b.bound));
    StageOutput o2 = o;
    if (interleaved) {
      o.indices[d] = make_var(static_cast<int>(axis)) * 2;
      o2.indices[d] = make_var(static_cast<int>(axis)) * 2 + 1;
    } else {
      o2.indices[d] = make_var(static_cast<int>(axis)) + e1;
    }
    first.result = {a.e};
    first.outputs = {o};
    second.result = {b.e};
    second.outputs = {o2};
    p_.g.stages.push_back(first);
    p_.g.stages.push_back(second);
  }

  // ── The whole ─────────────────────────────────────────────────────────────────────────────────────────────────────────

  // What nobody reads is an output; so is, now and then, what somebody reads.
  void finish_roles() {
    for (size_t t = 0; t < p_.g.tensors.size(); ++t) {
      TensorDecl& d = p_.g.tensors[t];
      if (d.role == TensorRole::kInternal && (p_.g.readers(static_cast<int>(t)).empty() || chance(12)))
        d.role = TensorRole::kOutput;
      if (o_.views && (d.role == TensorRole::kInput || d.role == TensorRole::kOutput) && chance(30)) make_view(d);
    }
  }

  // Another physical order, gaps between rows, elements before and behind.
  void make_view(TensorDecl& d) {
    std::vector<size_t> order(d.shape.size());
    for (size_t i = 0; i < order.size(); ++i) order[i] = i;
    if (chance(60))
      for (size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[rng_.below(i)]);
    int64_t step = 1;
    for (size_t i = order.size(); i-- > 0;) {
      d.strides[order[i]] = step;
      step *= d.shape[order[i]] + (chance(25) ? rng_.between(1, 3) : 0);
    }
    d.offset = chance(30) ? rng_.between(1, 20) : 0;
    int64_t last = d.offset;
    for (size_t i = 0; i < d.shape.size(); ++i) last += (d.shape[i] - 1) * d.strides[i];
    d.buffer_elements = last + 1 + (chance(30) ? rng_.between(1, 9) : 0);
  }

  void bind() {
    p_.inputs_and_constants.resize(p_.g.tensors.size());
    index_range_.resize(p_.g.tensors.size(), 0);
    for (size_t t = 0; t < p_.g.tensors.size(); ++t) {
      const TensorDecl& d = p_.g.tensors[t];
      if (d.role != TensorRole::kInput && d.role != TensorRole::kConstant) continue;
      if (const int64_t n = index_range_[t]) {
        Tensor index(d.dtype, d.shape);
        for (int64_t i = 0; i < index.size(); ++i) index.set_i64(i, rng_.between(-n, n - 1));
        p_.inputs_and_constants[t] = index;
      } else {
        p_.inputs_and_constants[t] = random_tensor(rng_.next(), d.dtype, d.shape, exact_);
      }
    }
  }

  const GeneratorOptions& o_;
  bool exact_ = false;
  GeneratedProgram p_;
  int64_t work_ = 0;
  std::vector<double> bounds_;        // by tensor: exact mode, the largest absolute value
  std::vector<int64_t> index_range_;  // by tensor: extent that it indexes, 0: no index tensor
};

}  // namespace

Tensor random_tensor(uint64_t seed, DType t, const Shape& shape, bool integers) {
  Rng rng(seed);
  Tensor x(t, shape);
  for (int64_t i = 0; i < x.size(); ++i) {
    if (t == DType::kBool) {
      x.set_i64(i, static_cast<int64_t>(rng.below(2)));
    } else if (is_float(t) && !integers) {
      x.set_f64(i, rng.normal());
    } else {
      x.set_i64(i, rng.between(is_signed_int(t) || is_float(t) ? -4 : 0, 4));
    }
  }
  return x;
}

GeneratedProgram generate_program(uint64_t seed, const GeneratorOptions& options) {
  for (uint64_t attempt = 0;; ++attempt) {
    TLM_CHECK(attempt < 1000) << "no program within the budget for seed " << seed;
    try {
      GeneratedProgram p = ProgramGenerator(Rng(seed).split(attempt), options).run();
      verify(p.g);
      return p;
    } catch (const TooLarge&) {
    }
  }
}

}  // namespace tlm::test
