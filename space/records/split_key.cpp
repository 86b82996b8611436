#include "tlm/space/records/split_key.h"

#include <algorithm>
#include <cstdlib>
#include <numeric>

#include "tlm/core/hash.h"

namespace tlm::space {
namespace {

using ir::Axis;
using ir::Expr;
using ir::Op;

bool uses(const Expr& e, int var) {
  bool found = false;
  ir::visit(e, [&](const Expr& x) { found = found || (x->op == Op::kVar && x->id == var); });
  return found;
}

// The batch axis: the first spatial axis of at least three, where it is the first index of the output and of every operand that
// depends on it at all, and of one at least. -1: none.
int batch_axis(const ir::Stage& s) {
  if (s.spatial_count() < 3) return -1;
  for (const ir::StageOutput& o : s.outputs)
    if (o.indices.empty() || o.indices[0]->op != Op::kVar || o.indices[0]->id != 0) return -1;
  bool plain = true, some = false;
  for (const Expr& e : s.body)
    ir::visit(e, [&](const Expr& x) {
      if (x->op != Op::kLoad) return;
      for (size_t d = 0; d < x->args.size(); ++d) {
        if (!uses(x->args[d], 0)) continue;
        some = true;
        plain = plain && d == 0 && x->args[d]->op == Op::kVar;
      }
    });
  return plain && some ? 0 : -1;
}

// Whole numbers of a structure: up to this one they are factors and offsets of windows, beyond it they follow from extents.
constexpr int64_t kSmallNumber = 8;

class KeyText {
 public:
  KeyText(const ir::Subgraph& g, bool with_sizes)
      : g_(g), stage_(g.stages[static_cast<size_t>(main_stage(g))]), with_sizes_(with_sizes) {
    const int batch = batch_axis(stage_);
    int next = 0;
    for (size_t a = 0; a < stage_.axes.size(); ++a) {
      const Axis& axis = stage_.axes[a];
      const bool dropped = static_cast<int>(a) == batch || axis.extent == 1;
      number_.push_back(dropped ? -1 : next++);
      if (dropped) continue;
      extents_.push_back(axis.extent);
      text_ += axis_letter(axis.kind) + (with_sizes_ ? std::to_string(axis.extent) : "") + " ";
    }
    text_ += "| " + std::to_string(static_cast<int>(stage_.combiner.kind));
    for (const Expr& e : stage_.combiner.combine) add(e);
    for (const Expr& e : stage_.body) add(e);
    for (const ir::StageOutput& o : stage_.outputs) add_output(o);
  }
  std::string take() { return std::move(text_); }
  std::vector<int64_t> extents() const { return extents_; }

 private:
  static std::string axis_letter(ir::AxisKind kind) {
    return kind == ir::AxisKind::kSpatial ? "s" : kind == ir::AxisKind::kReduce ? "r" : "c";
  }

  bool moves(const Expr& index) const {
    bool found = false;
    ir::visit(index, [&](const Expr& x) {
      found = found || x->op == Op::kLoad || (x->op == Op::kVar && number_[static_cast<size_t>(x->id)] >= 0);
    });
    return found;
  }

  void add(const Expr& e) {
    text_ += " (";
    text_ += ir::op_name(e->op);
    switch (e->op) {
      case Op::kInt:  // of indices and guards: part of the access
        text_ += with_sizes_ || std::abs(e->ival) <= kSmallNumber ? " " + std::to_string(e->ival) : " n";
        break;
      case Op::kFloat: break;
      case Op::kVar: {
        const int n = number_[static_cast<size_t>(e->id)];
        text_ += n < 0 ? " 0" : " v" + std::to_string(n);
        break;
      }
      case Op::kAcc: text_ += " " + std::to_string(e->id); break;
      case Op::kLoad: add_load(e); break;
      default:
        if (e->op == Op::kCast) text_ += " " + std::string(dtype_name(e->dtype));
        for (const Expr& a : e->args) add(a);
    }
    text_ += ")";
  }

  void add_load(const Expr& e) {
    const ir::TensorDecl& t = g_.tensors[static_cast<size_t>(e->id)];
    text_ += " " + std::string(dtype_name(t.dtype));
    const bool placed = t.role != ir::TensorRole::kConstant && t.strides.size() == e->args.size();
    for (size_t d = 0; d < e->args.size(); ++d) {
      if (!moves(e->args[d])) continue;  // the batch, or an extent of 1
      if (placed && with_sizes_) text_ += " x" + std::to_string(t.strides[d]);
      add(e->args[d]);
    }
  }

  // The result may be stored or go on into an epilogue: of its place only the order of the dimensions counts.
  void add_output(const ir::StageOutput& o) {
    const ir::TensorDecl& t = g_.tensors[static_cast<size_t>(o.tensor)];
    std::vector<size_t> order(o.indices.size());
    std::iota(order.begin(), order.end(), 0);
    if (t.strides.size() == order.size())
      std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) { return t.strides[a] > t.strides[b]; });
    text_ += " >";
    for (const size_t d : order)
      if (moves(o.indices[d])) add(o.indices[d]);
  }

  const ir::Subgraph& g_;
  const ir::Stage& stage_;
  const bool with_sizes_;
  std::vector<int> number_;  // of each axis in the key; -1: left out
  std::vector<int64_t> extents_;
  std::string text_;
};

}  // namespace

int main_stage(const ir::Subgraph& g) {
  int best = 0;
  double most = -1;
  for (size_t s = 0; s < g.stages.size(); ++s) {
    const double f = ir::flops(g.stages[s]);
    // A reduction before an elementwise stage of as many operations.
    const double weight = g.stages[s].has_reduction() || g.stages[s].has_scan() ? 2 * f : f;
    if (weight > most) most = weight, best = static_cast<int>(s);
  }
  return best;
}

std::string split_key_text(const ir::Subgraph& g) { return g.stages.empty() ? "" : KeyText(g, true).take(); }

std::string key_structure(const ir::Subgraph& g) { return g.stages.empty() ? "" : KeyText(g, false).take(); }

std::vector<int64_t> key_extents(const ir::Subgraph& g) {
  return g.stages.empty() ? std::vector<int64_t>() : KeyText(g, false).extents();
}

uint64_t split_key(const ir::Subgraph& g) { return Hasher().text("split 1").text(split_key_text(g)).value(); }

Split split_of(uint64_t key) {
  const uint64_t place = Hasher().text("split of a key 1").number(static_cast<int64_t>(key)).value() % 100;
  return place < 80 ? Split::kTrain : place < 90 ? Split::kDev : Split::kTest;
}

std::string_view split_name(Split s) { return s == Split::kTrain ? "train" : s == Split::kDev ? "dev" : "test"; }

}  // namespace tlm::space
