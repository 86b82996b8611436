#include "tlm/ir/tensor/interpret.h"

#include <algorithm>
#include <cmath>
#include <memory>

#include "tlm/core/error.h"
#include "tlm/ir/tensor/point_program.h"

namespace tlm::ir {
namespace {

// One output index: scale·axis + offset.
struct OutputIndex {
  int axis = -1;
  int64_t scale = 0, offset = 0;
};

struct Mode {
  bool wide = false;    // float sums in double
  bool errors = false;  // bounds of rounding errors, too
};

// Computes a stage at one point of its spatial axes (with a scan axis: all of its positions).
class StageRunner {
 public:
  StageRunner(const Stage& s, std::vector<TensorMemory>& tensors, ElementSource* source, Mode mode)
      : s_(s),
        tensors_(tensors),
        mode_(mode),
        accumulators_(static_cast<int>(s.body.size())),
        extents_(s.extents()),
        program_(extents_, accumulators_ + 1, tensors, source) {
    for (size_t a = 0; a < s.axes.size(); ++a)
      if (s.axes[a].kind == AxisKind::kReduce) reduce_.push_back(static_cast<int>(a));
    compile();
    for (const StageOutput& o : s.outputs) {
      auto& indices = outputs_.emplace_back();
      for (const Expr& e : o.indices) indices.push_back(output_index(e));
    }
    if (mode.errors) program_.track_errors();
  }

  // Axis values of the point that writes `position` through output `o`; false if none does.
  bool find_point(int o, int64_t position, std::vector<int64_t>& point) const {
    point.assign(extents_.size(), 0);
    const TensorMemory& t = tensors_[static_cast<size_t>(s_.outputs[static_cast<size_t>(o)].tensor)];
    for (size_t d = 0; d < t.shape.size(); ++d) {
      const OutputIndex& x = outputs_[static_cast<size_t>(o)][d];
      const int64_t i = position / t.strides[d] % t.shape[d] - x.offset;
      if (x.axis < 0) {
        if (i != 0) return false;
        continue;
      }
      if (i % x.scale != 0) return false;
      const int64_t v = i / x.scale;
      if (v < 0 || v >= extents_[static_cast<size_t>(x.axis)]) return false;
      point[static_cast<size_t>(x.axis)] = v;
    }
    return true;
  }

  void run_point(const std::vector<int64_t>& point) {
    for (size_t a = 0; a < point.size(); ++a) program_.reg(static_cast<int>(a)).i = point[a];
    for (int r : reduce_) program_.reg(r).i = 0;
    reset();
    if (!s_.has_scan()) {
      program_.seek();
      if (s_.combiner.kind == CombinerKind::kNone) {
        program_.run(0, step_end_);
      } else {
        reduce();
      }
      finish();
      return;
    }
    const int scan = static_cast<int>(extents_.size()) - 1;
    for (int64_t i = 0; i < extents_.back(); ++i) {
      program_.reg(scan).i = i;
      program_.seek();
      if (s_.exclusive) finish();
      reduce();
      if (!s_.exclusive) finish();
    }
  }

  void run_all() {
    std::vector<int64_t> point(extents_.size(), 0);
    const int spatial = s_.spatial_count();
    for (size_t a = 0; a < extents_.size(); ++a)
      if (extents_[a] == 0 && s_.axes[a].kind != AxisKind::kReduce) return;
    for (;;) {
      run_point(point);
      int a = spatial - 1;
      while (a >= 0 && ++point[static_cast<size_t>(a)] == extents_[static_cast<size_t>(a)]) point[static_cast<size_t>(a--)] = 0;
      if (a < 0) return;
    }
  }

 private:
  // A float sum is kept in double, or with its error bound: not by the combiner's expression, but directly.
  bool sums_directly() const {
    return s_.combiner.kind == CombinerKind::kSum && is_float(s_.body[0]->dtype) && (mode_.wide || mode_.errors);
  }

  void compile() {
    std::vector<int> acc, step_acc, fresh;
    for (int j = 0; j < accumulators_; ++j) acc.push_back(program_.acc_register(j));
    if (s_.combiner.kind == CombinerKind::kNone) {
      for (int j = 0; j < accumulators_; ++j) acc[static_cast<size_t>(j)] = program_.compile(s_.body[static_cast<size_t>(j)], {});
    } else {
      step_acc = acc;
      for (const Expr& e : s_.body) step_acc.push_back(program_.compile(e, {}));
      if (sums_directly()) {
        term_ = step_acc.back();
      } else {
        for (const Expr& e : s_.combiner.combine) fresh.push_back(program_.compile(e, step_acc));
        for (int j = 0; mode_.errors && j < accumulators_; ++j)
          if (adds(j)) sums_.push_back({j, step_acc[static_cast<size_t>(accumulators_ + j)], 0});
        // All new values first: none of them may see another's.
        for (int j = 0; j < accumulators_; ++j) {
          const bool is_acc = std::find(acc.begin(), acc.end(), fresh[j]) != acc.end();
          if (!is_acc || fresh[j] == acc[j]) continue;
          const int copy = program_.temporary();
          program_.add_move(copy, fresh[j], s_.body[j]->dtype);
          fresh[j] = copy;
        }
        for (int j = 0; j < accumulators_; ++j) program_.add_move(acc[j], fresh[j], s_.body[j]->dtype);
      }
    }
    step_end_ = program_.size();
    if (s_.combiner.kind != CombinerKind::kNone) program_.forget_shared();
    for (const Expr& e : s_.result) results_.push_back(program_.compile(e, acc));
    end_ = program_.size();
  }

  // Does accumulator `j` of a tuple take in sums of floats, which may come in any order?
  bool adds(int j) const {
    const Expr& e = s_.combiner.combine[static_cast<size_t>(j)];
    return s_.combiner.associative && e->op == Op::kAdd && is_float(e->dtype) && e->args[0]->op == Op::kAcc &&
           e->args[1]->op == Op::kAcc && std::min(e->args[0]->id, e->args[1]->id) == j &&
           std::max(e->args[0]->id, e->args[1]->id) == accumulators_ + j;
  }

  OutputIndex output_index(const Expr& e) const {
    const auto affine = as_affine(e, static_cast<int>(extents_.size()));
    TLM_CHECK(affine.has_value()) << "output index of stage " << s_.name;
    OutputIndex x;
    x.offset = affine->constant;
    for (size_t a = 0; a < affine->coef.size(); ++a)
      if (affine->coef[a]) x.axis = static_cast<int>(a), x.scale = affine->coef[a];
    return x;
  }

  void reset() {
    for (size_t j = 0; j < s_.combiner.identity.size(); ++j) {
      const Expr& e = s_.combiner.identity[j];
      Scalar& r = program_.reg(program_.acc_register(static_cast<int>(j)));
      if (e->op == Op::kInt) {
        r.i = e->ival;
      } else {
        r.f = e->fval;
      }
      if (mode_.errors) program_.error(program_.acc_register(static_cast<int>(j))) = 0;
    }
    for (TupleSum& s : sums_) s.magnitude = 0;
    magnitude_ = term_errors_ = wide_sum_ = 0;
    terms_ = 0;
  }

  // Combines all points of the reduction axes into the accumulators.
  void reduce() {
    for (int r : reduce_)
      if (extents_[static_cast<size_t>(r)] == 0) return;
    const bool direct = sums_directly();
    for (;;) {
      program_.run(0, step_end_);
      if (direct) add_term();
      for (TupleSum& s : sums_) s.magnitude += std::fabs(program_.reg(s.term).f);
      terms_ += !sums_.empty();
      int k = static_cast<int>(reduce_.size()) - 1;
      for (; k >= 0; --k) {
        const int axis = reduce_[static_cast<size_t>(k)];
        const int64_t extent = extents_[static_cast<size_t>(axis)];
        if (program_.reg(axis).i + 1 < extent) {
          program_.advance(axis, 1);
          break;
        }
        program_.advance(axis, 1 - extent);
      }
      if (k < 0) break;
    }
    if (direct) publish_sum();
    for (const TupleSum& s : sums_)
      program_.error(program_.acc_register(s.accumulator)) +=
          reordering_error(s_.body[static_cast<size_t>(s.accumulator)]->dtype, s.magnitude);
  }

  void add_term() {
    const double v = program_.reg(term_).f;
    wide_sum_ = mode_.wide ? wide_sum_ + v : round_float(wide_sum_ + v, s_.body[0]->dtype);
    magnitude_ += std::fabs(v);
    ++terms_;
    if (mode_.errors) term_errors_ += program_.error(term_);
  }

  void publish_sum() {
    const DType t = s_.body[0]->dtype;
    program_.reg(program_.acc_register(0)).f = round_float(wide_sum_, t);
    if (mode_.errors) program_.error(program_.acc_register(0)) = term_errors_ + reordering_error(t, magnitude_);
  }

  // Of a sum of terms_ terms, in whatever order, whose sizes add up to `magnitude`.
  double reordering_error(DType t, double magnitude) const {
    return static_cast<double>(terms_ + 8) * (t == DType::kF64 ? 0x1p-53 : 0x1p-24) * magnitude;
  }

  // Computes the results from the accumulators and stores them.
  void finish() {
    program_.run(step_end_, end_);
    for (size_t o = 0; o < outputs_.size(); ++o) {
      TensorMemory& t = tensors_[static_cast<size_t>(s_.outputs[o].tensor)];
      int64_t position = 0;
      for (size_t d = 0; d < outputs_[o].size(); ++d) {
        const OutputIndex& x = outputs_[o][d];
        const int64_t i = x.offset + (x.axis < 0 ? 0 : x.scale * program_.reg(x.axis).i);
        TLM_CHECK(i >= 0 && i < t.shape[d]) << "output index " << i << " of stage " << s_.name << " in " << to_string(t.shape);
        position += i * t.strides[d];
      }
      write_element(t.data, t.dtype, position, program_.reg(results_[o]));
      if (!t.ready.empty()) t.ready[static_cast<size_t>(position)] = 1;
      if (!t.error.empty()) t.error[static_cast<size_t>(position)] = program_.error(results_[o]);
    }
  }

  const Stage& s_;
  std::vector<TensorMemory>& tensors_;
  Mode mode_;
  int accumulators_;
  std::vector<int64_t> extents_;
  PointProgram program_;
  std::vector<int> reduce_;  // reduction axes, outermost first
  std::vector<std::vector<OutputIndex>> outputs_;
  std::vector<int> results_;    // registers
  int step_end_ = 0, end_ = 0;  // code: [0, step_end_) one term, [step_end_, end_) the results
  int term_ = -1;               // register of a directly summed term
  struct TupleSum {
    int accumulator, term;  // register of what is added
    double magnitude;
  };
  std::vector<TupleSum> sums_;
  double wide_sum_ = 0, magnitude_ = 0, term_errors_ = 0;
  int64_t terms_ = 0;
};

// The memory of all tensors; internal and output ones are allocated.
std::vector<TensorMemory> make_memory(const Subgraph& g, const std::vector<Tensor>& bound, std::vector<Tensor>& made, bool lazy,
                                      bool errors) {
  std::vector<TensorMemory> memory(g.tensors.size());
  made.resize(g.tensors.size());
  for (size_t t = 0; t < g.tensors.size(); ++t) {
    const TensorDecl& d = g.tensors[t];
    TensorMemory& m = memory[t];
    m.dtype = d.dtype;
    m.shape = d.shape;
    m.strides = row_major_strides(d.shape);
    if (d.role == TensorRole::kInput || d.role == TensorRole::kConstant) {
      TLM_CHECK(t < bound.size() && bound[t].dtype() == d.dtype && bound[t].shape() == d.shape)
          << "tensor " << t << " `" << d.name << "` is not bound to " << dtype_name(d.dtype) << to_string(d.shape);
      m.data = const_cast<std::byte*>(bound[t].data());  // only read: no stage writes inputs
      continue;
    }
    made[t] = Tensor(d.dtype, d.shape);
    m.data = made[t].mutable_data();
    if (lazy) m.ready.assign(static_cast<size_t>(made[t].size()), 0);
    if (errors) m.error.assign(static_cast<size_t>(made[t].size()), 0.0);
  }
  return memory;
}

class PointInterpreter : public ElementSource {
 public:
  PointInterpreter(const Subgraph& g, const std::vector<Tensor>& bound, bool errors)
      : g_(g), memory_(make_memory(g, bound, made_, true, errors)), mode_{true, errors}, runners_(g.stages.size()) {
    for (size_t s = 0; s < g.stages.size(); ++s)
      for (size_t o = 0; o < g.stages[s].outputs.size(); ++o)
        writers_.emplace(g.stages[s].outputs[o].tensor, std::pair(static_cast<int>(s), static_cast<int>(o)));
  }

  void compute(int tensor, int64_t position) override {
    std::vector<int64_t> point;
    for (auto [w, end] = writers_.equal_range(tensor); w != end; ++w) {
      const auto [stage, output] = w->second;
      auto& runner = runners_[static_cast<size_t>(stage)];
      if (!runner) runner = std::make_unique<StageRunner>(g_.stages[static_cast<size_t>(stage)], memory_, this, mode_);
      if (!runner->find_point(output, position, point)) continue;
      runner->run_point(point);
      return;
    }
    TLM_CHECK(false) << "no stage writes element " << position << " of `" << g_.tensors[static_cast<size_t>(tensor)].name << "`";
  }

  double value(int tensor, int64_t position) {
    TensorMemory& t = memory_[static_cast<size_t>(tensor)];
    if (!t.ready.empty() && !t.ready[static_cast<size_t>(position)]) compute(tensor, position);
    const Scalar s = read_element(t.data, t.dtype, position);
    return is_float(t.dtype)        ? s.f
           : t.dtype == DType::kU64 ? static_cast<double>(static_cast<uint64_t>(s.i))
                                    : static_cast<double>(s.i);
  }

  double error(int tensor, int64_t position) const {
    const TensorMemory& t = memory_[static_cast<size_t>(tensor)];
    return t.error.empty() ? 0 : t.error[static_cast<size_t>(position)];
  }

 private:
  const Subgraph& g_;
  std::vector<Tensor> made_;
  std::vector<TensorMemory> memory_;
  Mode mode_;
  std::vector<std::unique_ptr<StageRunner>> runners_;
  std::multimap<int, std::pair<int, int>> writers_;  // tensor → stage, output
};

}  // namespace

void interpret(const Subgraph& g, std::vector<Tensor>& bound, bool wide) {
  std::vector<Tensor> made;
  std::vector<TensorMemory> memory = make_memory(g, bound, made, false, false);
  for (const Stage& s : g.stages) StageRunner(s, memory, nullptr, {wide, false}).run_all();
  bound.resize(g.tensors.size());
  for (size_t t = 0; t < g.tensors.size(); ++t)
    if (g.tensors[t].role != TensorRole::kInput && g.tensors[t].role != TensorRole::kConstant) bound[t] = std::move(made[t]);
}

std::vector<double> interpret_points(const Subgraph& g, const std::vector<Tensor>& bound, int t,
                                     std::span<const int64_t> positions, std::vector<double>* error_scale) {
  TLM_CHECK(t >= 0 && t < static_cast<int>(g.tensors.size())) << "tensor " << t;
  PointInterpreter interpreter(g, bound, error_scale != nullptr);
  const int64_t count = element_count(g.tensors[static_cast<size_t>(t)].shape);
  std::vector<double> values;
  values.reserve(positions.size());
  if (error_scale) error_scale->clear();
  for (int64_t p : positions) {
    TLM_CHECK(p >= 0 && p < count) << "position " << p << " of " << count;
    values.push_back(interpreter.value(t, p));
    if (error_scale) error_scale->push_back(interpreter.error(t, p));
  }
  return values;
}

}  // namespace tlm::ir
