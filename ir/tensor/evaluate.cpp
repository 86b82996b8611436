#include "tlm/ir/tensor/evaluate.h"

#include <algorithm>
#include <cstring>

#include "tlm/core/error.h"
#include "tlm/ir/tensor/row_program.h"

namespace tlm::ir {
namespace {

// The number of full and partial rows that a lane space needs to cover its axes, as an average of lanes in use.
double mean_lanes(const LaneSpace& s, const std::vector<int64_t>& extents) {
  if (s.axes.empty()) return 1;
  const int64_t extent = extents[static_cast<size_t>(s.axes[0])];
  const int64_t rows = (extent + s.chunk - 1) / s.chunk;
  return static_cast<double>(s.lanes) * static_cast<double>(extent) / static_cast<double>(rows * s.chunk);
}

// Nanoseconds for one lane, roughly: what decides which axes should be lanes.
class CostModel {
 public:
  CostModel(const Stage& s, const std::vector<RowTensor>& tensors) : extents_(s.extents()) {
    const auto collect = [&](const Expr& root) {
      visit(root, [&](const Expr& e) {
        nodes_ += e->args.empty() ? 0 : 1;
        if (e->op != Op::kLoad) return;
        RowAccess a;
        a.coef.assign(extents_.size(), 0);
        bool affine = true;
        for (size_t d = 0; d < e->args.size(); ++d) {
          const auto index = as_affine(e->args[d], static_cast<int>(extents_.size()));
          affine = affine && index;
          for (size_t i = 0; affine && i < extents_.size(); ++i)
            a.coef[i] += index->coef[i] * tensors[static_cast<size_t>(e->id)].strides[d];
        }
        if (affine) {
          loads_.push_back(std::move(a));
        } else {
          ++indexed_;
        }
      });
    };
    for (const Expr& e : s.body) collect(e);
    for (const Expr& e : s.combiner.combine) collect(e);
    const bool combines = s.combiner.kind != CombinerKind::kNone;
    if (combines) return;
    for (const Expr& e : s.result) collect(e);
    for (const StageOutput& o : s.outputs) {
      RowAccess a;
      a.coef.assign(extents_.size(), 0);
      for (size_t d = 0; d < o.indices.size(); ++d)
        if (const auto index = as_affine(o.indices[d], static_cast<int>(extents_.size())))
          for (size_t i = 0; i < extents_.size(); ++i)
            a.coef[i] += index->coef[i] * tensors[static_cast<size_t>(o.tensor)].strides[d];
      loads_.push_back(std::move(a));
    }
  }

  double of(const LaneSpace& space) {
    double per_lane = 0.25 * nodes_ + 1.5 * indexed_, per_row = 8 + 5 * (nodes_ + indexed_);
    for (RowAccess& a : loads_) {
      a.set_lanes(space, extents_);
      per_row += 5;
      switch (a.kind) {
        case RowAccess::Kind::kUniform: break;
        case RowAccess::Kind::kContiguous: per_lane += 0.1; break;
        case RowAccess::Kind::kStrided: per_lane += a.stride < 16 && a.stride > -16 ? 0.6 : 1.5; break;
        case RowAccess::Kind::kScattered: per_lane += 0.9; break;
      }
    }
    return per_lane + per_row / mean_lanes(space, extents_);
  }

 private:
  std::vector<int64_t> extents_;
  std::vector<RowAccess> loads_;
  double nodes_ = 0, indexed_ = 0;
};

// Lanes over the last spatial axes, or over the last reduction axes (then partial accumulators are folded at the end).
LaneSpace choose_lanes(const Stage& s, const std::vector<RowTensor>& tensors) {
  const std::vector<int64_t> extents = s.extents();
  CostModel model(s, tensors);
  LaneSpace best;
  double best_cost = model.of(best);
  const auto try_group = [&](int first, int last, double penalty) {  // axes first … last-1, growing from the end
    std::vector<int> axes;
    for (int a = last - 1; a >= first; --a) {
      if (extents[static_cast<size_t>(a)] == 1) continue;
      axes.insert(axes.begin(), a);
      int64_t inner = 1;
      for (size_t i = 1; i < axes.size(); ++i) inner *= extents[static_cast<size_t>(axes[i])];
      if (inner > kMaxLanes / 2) return;
      const LaneSpace space = make_lane_space(axes, extents);
      const double cost = model.of(space) + penalty;
      if (cost < best_cost) best = space, best_cost = cost;
    }
  };
  const int spatial = s.spatial_count();
  try_group(0, spatial, 0);
  if (s.has_reduction() && !s.has_scan() && s.combiner.associative && s.combiner.commutative)
    try_group(spatial, static_cast<int>(extents.size()), 0.05);
  return best;
}

// A loop over an axis in steps; the axis of a lane space that is cut into chunks steps by chunks.
struct Loop {
  int axis;
  int64_t step;
};

class StageEvaluator {
 public:
  StageEvaluator(const Stage& s, std::vector<RowTensor>& tensors)
      : s_(s), tensors_(tensors), extents_(s.extents()), space_(choose_lanes(s, tensors)), program_(extents_, space_, tensors) {
    for (size_t a = 0; a < extents_.size(); ++a) {
      const AxisKind kind = s.axes[a].kind;
      if (space_.has(static_cast<int>(a))) {
        lanes_reduce_ = kind == AxisKind::kReduce;
        if (space_.axes[0] != static_cast<int>(a)) continue;
        (lanes_reduce_ ? reduce_loops_ : spatial_loops_).push_back({static_cast<int>(a), space_.chunk});
      } else if (kind != AxisKind::kScan) {
        (kind == AxisKind::kReduce ? reduce_loops_ : spatial_loops_).push_back({static_cast<int>(a), 1});
      }
    }
    compile();
    for (const StageOutput& o : s.outputs) stores_.push_back(store_access(o));
  }

  void run() {
    for (size_t a = 0; a < extents_.size(); ++a) program_.set_axis(static_cast<int>(a), 0);
    for (;;) {
      block();
      size_t k = spatial_loops_.size();
      while (k > 0) {
        const Loop& l = spatial_loops_[k - 1];
        const int64_t next = program_.axis(l.axis) + l.step;
        program_.set_axis(l.axis, next < extents_[static_cast<size_t>(l.axis)] ? next : 0);
        if (next < extents_[static_cast<size_t>(l.axis)]) break;
        --k;
      }
      if (k == 0) return;
    }
  }

 private:
  bool combines() const { return s_.combiner.kind != CombinerKind::kNone; }

  // Lanes of the row that starts at the current position.
  int64_t lanes_here() const {
    if (space_.axes.empty()) return 1;
    const int64_t left = extents_[static_cast<size_t>(space_.axes[0])] - program_.axis(space_.axes[0]);
    return left >= space_.chunk ? space_.lanes : space_.lanes / space_.chunk * left;
  }

  void compile() {
    std::vector<int> values;
    if (!combines()) {
      for (const Expr& e : s_.body) values.push_back(program_.compile(e, {}));
      step_end_ = program_.size();
    } else {
      // Accumulators are rows even of one lane, so that operators may write into them.
      for (const Expr& e : s_.body) acc_.push_back(program_.add_register(e->dtype, false));
      std::vector<int> both = acc_;
      for (const Expr& e : s_.body) both.push_back(program_.compile(e, {}));
      combine_into(acc_, both);
      step_end_ = program_.size();
      compile_fold();
      program_.forget_shared();
      for (size_t j = 0; j < acc_.size(); ++j)
        values.push_back(lanes_reduce_ ? program_.add_register(s_.body[j]->dtype, true) : acc_[j]);
      result_acc_ = values;
    }
    result_begin_ = program_.size();
    for (const Expr& e : s_.result) results_.push_back(program_.compile(e, values));
    result_end_ = program_.size();
  }

  // target[j] = combine[j](both)
  void combine_into(const std::vector<int>& target, const std::vector<int>& both) {
    std::vector<int> fresh;
    for (const Expr& e : s_.combiner.combine) fresh.push_back(program_.compile(e, both));
    if (fresh.size() == 1) return program_.write_to(target[0], fresh[0]);
    // Every new value is a register of its own before the first accumulator changes.
    for (size_t j = 0; j < fresh.size(); ++j) {
      if (std::find(target.begin(), target.end(), fresh[j]) == target.end()) continue;
      const int copy = program_.add_register(s_.body[j]->dtype, false);
      program_.copy_to(copy, fresh[j]);
      fresh[j] = copy;
    }
    for (size_t j = 0; j < fresh.size(); ++j) program_.copy_to(target[j], fresh[j]);
  }

  // Lanes of a reduction: code that combines the accumulators' first lanes with their last ones.
  void compile_fold() {
    if (!lanes_reduce_) return;
    program_.forget_shared();
    for (const Expr& e : s_.body) upper_.push_back(program_.add_register(e->dtype, false));
    std::vector<int> both = acc_;
    both.insert(both.end(), upper_.begin(), upper_.end());
    fold_begin_ = program_.size();
    combine_into(acc_, both);
    fold_end_ = program_.size();
  }

  RowAccess store_access(const StageOutput& o) const {
    RowAccess a;
    a.coef.assign(extents_.size(), 0);
    const RowTensor& t = tensors_[static_cast<size_t>(o.tensor)];
    for (size_t d = 0; d < o.indices.size(); ++d) {
      const auto index = as_affine(o.indices[d], static_cast<int>(extents_.size()));
      const auto range = bounds(o.indices[d], extents_);
      TLM_CHECK(index && range && range->lo >= 0 && range->hi < t.shape[d]) << "output index " << d << " of stage " << s_.name;
      a.constant += index->constant * t.strides[d];
      for (size_t i = 0; i < extents_.size(); ++i) a.coef[i] += index->coef[i] * t.strides[d];
    }
    if (lanes_reduce_) {
      a.offset = {0};
    } else {
      a.set_lanes(space_, extents_);
    }
    return a;
  }

  // Everything at the current spatial position.
  void block() {
    const int64_t lanes = lanes_reduce_ ? 1 : lanes_here();
    program_.seek();
    if (!combines()) {
      redirect();
      program_.run(0, result_end_, lanes);
      store(lanes);
      return;
    }
    const int64_t reset_lanes = lanes_reduce_ ? space_.lanes : lanes;
    for (size_t j = 0; j < acc_.size(); ++j) reset(acc_[j], s_.combiner.identity[j], reset_lanes);
    if (!s_.has_scan()) {
      reduce();
      finish(lanes);
      return;
    }
    const int scan = static_cast<int>(extents_.size()) - 1;
    for (int64_t i = 0; i < extents_.back(); ++i) {
      program_.set_axis(scan, i);
      program_.seek();
      if (s_.exclusive) finish(lanes);
      reduce();
      if (!s_.exclusive) finish(lanes);
    }
    program_.set_axis(scan, 0);
  }

  void reset(int r, const Expr& identity, int64_t lanes) {
    const float f = static_cast<float>(identity->fval);
    const void* value = identity->op == Op::kInt           ? static_cast<const void*>(&identity->ival)
                        : program_.lane(r) == Lane::kFloat ? static_cast<const void*>(&f)
                                                           : &identity->fval;
    row_fill(program_.lane(r), program_.buffer(r), value, lanes);
  }

  void reduce() {
    for (const Loop& l : reduce_loops_)
      if (extents_[static_cast<size_t>(l.axis)] == 0) return;
    for (int a : space_.axes)
      if (extents_[static_cast<size_t>(a)] == 0) return;
    const int64_t spatial_lanes = lanes_here();
    for (;;) {
      program_.run(0, step_end_, lanes_reduce_ ? lanes_here() : spatial_lanes);
      size_t k = reduce_loops_.size();
      while (k > 0) {
        const Loop& l = reduce_loops_[k - 1];
        const int64_t at = program_.axis(l.axis);
        if (at + l.step < extents_[static_cast<size_t>(l.axis)]) {
          program_.advance(l.axis, l.step);
          break;
        }
        program_.advance(l.axis, -at);
        --k;
      }
      if (k == 0) return;
    }
  }

  // n lanes become one: the first half takes in the last half (a middle lane waits), until one is left.
  void fold() {
    for (int64_t n = space_.lanes; n > 1; n -= n / 2) {
      const int64_t half = n / 2;
      for (size_t j = 0; j < acc_.size(); ++j)
        program_.point_at(upper_[j], static_cast<std::byte*>(program_.buffer(acc_[j])) +
                                         static_cast<int64_t>(lane_size(program_.lane(acc_[j]))) * (n - half));
      program_.run(fold_begin_, fold_end_, half);
    }
    for (size_t j = 0; j < acc_.size(); ++j)
      std::memcpy(program_.buffer(result_acc_[j]), program_.buffer(acc_[j]), lane_size(program_.lane(acc_[j])));
  }

  void finish(int64_t lanes) {
    if (lanes_reduce_) fold();
    redirect();
    program_.run(result_begin_, result_end_, lanes);
    store(lanes);
  }

  int64_t store_base(const RowAccess& a) const {
    int64_t base = a.constant;
    for (size_t i = 0; i < extents_.size(); ++i) base += a.coef[i] * program_.axis(static_cast<int>(i));
    return base;
  }

  static bool stored_as_lane(DType t) { return t == DType::kF32 || t == DType::kF64 || t == DType::kI64 || t == DType::kU64; }

  // Contiguous results are computed where they belong.
  void redirect() {
    direct_.assign(stores_.size(), false);
    for (size_t o = 0; o < stores_.size(); ++o) {
      const RowTensor& t = tensors_[static_cast<size_t>(s_.outputs[o].tensor)];
      const bool first = std::find(results_.begin(), results_.begin() + static_cast<std::ptrdiff_t>(o), results_[o]) ==
                         results_.begin() + static_cast<std::ptrdiff_t>(o);
      direct_[o] = first && stores_[o].kind == RowAccess::Kind::kContiguous && stored_as_lane(t.dtype) &&
                   program_.redirect(results_[o], t.data + store_base(stores_[o]) * static_cast<int64_t>(dtype_size(t.dtype)));
    }
  }

  void store(int64_t lanes) {
    for (size_t o = 0; o < stores_.size(); ++o) {
      if (direct_[o]) continue;
      const RowTensor& t = tensors_[static_cast<size_t>(s_.outputs[o].tensor)];
      const RowAccess& a = stores_[o];
      std::byte* p = t.data + store_base(a) * static_cast<int64_t>(dtype_size(t.dtype));
      const bool regular = a.kind == RowAccess::Kind::kContiguous || a.kind == RowAccess::Kind::kStrided || lanes == 1;
      row_store(t.dtype, p, regular ? nullptr : a.offset.data(), lanes == 1 ? 1 : a.stride, program_.operand(results_[o]), lanes);
    }
  }

  const Stage& s_;
  std::vector<RowTensor>& tensors_;
  std::vector<int64_t> extents_;
  LaneSpace space_;
  RowProgram program_;
  bool lanes_reduce_ = false;
  std::vector<Loop> spatial_loops_, reduce_loops_;
  std::vector<int> acc_, upper_, result_acc_, results_;  // registers
  int step_end_ = 0, fold_begin_ = 0, fold_end_ = 0, result_begin_ = 0, result_end_ = 0;
  std::vector<RowAccess> stores_;
  std::vector<bool> direct_;
};

}  // namespace

void evaluate(const Subgraph& g, std::vector<Tensor>& bound) {
  bound.resize(g.tensors.size());
  std::vector<int> last_reader(g.tensors.size(), -1), last_writer(g.tensors.size(), -1);
  for (size_t s = 0; s < g.stages.size(); ++s) {
    for (int t : loaded_tensors(g.stages[s])) last_reader[static_cast<size_t>(t)] = static_cast<int>(s);
    for (const StageOutput& o : g.stages[s].outputs) last_writer[static_cast<size_t>(o.tensor)] = static_cast<int>(s);
  }
  std::vector<RowTensor> rows(g.tensors.size());
  for (size_t t = 0; t < g.tensors.size(); ++t) {
    const TensorDecl& d = g.tensors[t];
    rows[t] = {d.dtype, d.shape, row_major_strides(d.shape), nullptr, element_count(d.shape)};
    if (d.role != TensorRole::kInput && d.role != TensorRole::kConstant) {
      bound[t] = Tensor();
      continue;
    }
    TLM_CHECK(bound[t].dtype() == d.dtype && bound[t].shape() == d.shape)
        << "tensor " << t << " `" << d.name << "` is not bound to " << dtype_name(d.dtype) << to_string(d.shape);
    rows[t].data = const_cast<std::byte*>(bound[t].data());  // only read: no stage writes inputs
  }
  const auto allocate = [&](size_t t) {
    if (rows[t].data) return;
    bound[t] = Tensor(g.tensors[t].dtype, g.tensors[t].shape);
    rows[t].data = bound[t].mutable_data();
  };
  for (size_t s = 0; s < g.stages.size(); ++s) {
    for (const StageOutput& o : g.stages[s].outputs) allocate(static_cast<size_t>(o.tensor));
    const auto empty = [](const Axis& a) { return a.extent == 0 && a.kind != AxisKind::kReduce; };
    if (std::none_of(g.stages[s].axes.begin(), g.stages[s].axes.end(), empty)) StageEvaluator(g.stages[s], rows).run();
    for (size_t t = 0; t < g.tensors.size(); ++t)
      if (g.tensors[t].role == TensorRole::kInternal && rows[t].data &&
          std::max(last_reader[t], last_writer[t]) <= static_cast<int>(s))
        bound[t] = Tensor(), rows[t].data = nullptr;
  }
  for (size_t t = 0; t < g.tensors.size(); ++t)
    if (g.tensors[t].role == TensorRole::kOutput) allocate(t);  // of no elements, and so without a stage that ran
}

}  // namespace tlm::ir
