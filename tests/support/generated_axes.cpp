#include "tests/support/generated_axes.h"

#include <algorithm>

namespace tlm::test {

using namespace ir;

int64_t AxisDraft::extent() {
  switch (rng_.below(10)) {
    case 0: return 1;
    case 1: return rng_.between(15, 18);
    case 2: return rng_.between(24, 70);
    default: return rng_.between(2, 9);
  }
}

int AxisDraft::add_axis(AxisKind kind, int64_t n) {
  axes_.push_back({"", n, kind});
  return static_cast<int>(axes_.size()) - 1;
}

int AxisDraft::spatial_axes() const {
  return static_cast<int>(std::count_if(axes_.begin(), axes_.end(), [](const Axis& a) { return a.kind != AxisKind::kReduce; }));
}

void AxisDraft::axes_over(int tensor, const Shape& shape, Kind kind) {
  Access a;
  a.tensor = tensor;
  for (int64_t e : shape) {
    Dim d;
    d.extent = e;
    const bool room = spatial_axes() < max_rank_ - 1;
    const int choice = static_cast<int>(rng_.below(20));
    if (!room || (kind == Kind::kReduce && choice < 6)) {
      if (room || kind == Kind::kReduce) {
        d.a = add_axis(AxisKind::kReduce, e);
      } else {
        d.offset = rng_.between(0, e - 1);
      }
    } else if (kind == Kind::kReduce && choice < 9 && e >= 3) {  // window
      const int64_t width = rng_.between(2, std::min<int64_t>(e, 4)), dilation = (width - 1) * 2 < e && chance(30) ? 2 : 1;
      const int64_t stride = chance(40) ? 2 : 1;
      d.a = add_axis(AxisKind::kSpatial, (e - 1 - (width - 1) * dilation) / stride + 1);
      d.b = add_axis(AxisKind::kReduce, width);
      d.a_scale = stride, d.b_scale = dilation;
    } else if (choice < 10) {  // padded
      const int64_t before = rng_.between(0, 2), after = rng_.between(before ? 0 : 1, 2);
      d.a = add_axis(AxisKind::kSpatial, e + before + after);
      d.offset = -before;
      d.guarded = true;
    } else if (choice == 10) {  // repeated: each element, or the whole
      const int64_t times = rng_.between(2, 3);
      d.a = add_axis(AxisKind::kSpatial, e * times);
      if (chance(50)) {
        d.div = times;
      } else {
        d.mod = e;
      }
    } else if (choice == 11) {  // a slice
      const int64_t step = e >= 4 && chance(50) ? 2 : 1;
      d.offset = rng_.between(0, e / 2);
      d.a_scale = step;
      d.a = add_axis(AxisKind::kSpatial, (e - 1 - d.offset) / step + 1);
    } else if (choice == 12) {  // backwards
      d.a = add_axis(AxisKind::kSpatial, e);
      d.a_scale = -1;
      d.offset = e - 1;
    } else {
      d.a = add_axis(AxisKind::kSpatial, e);
    }
    a.dims.push_back(d);
  }
  accesses_.push_back(a);
}

void AxisDraft::free_axes(Kind kind) {
  const int fewest = kind == Kind::kReduce && chance(10) ? 0 : 1;
  const int rank =
      static_cast<int>(max_rank_ >= 5 && chance(10) ? rng_.between(5, max_rank_) : rng_.between(fewest, std::min(4, max_rank_)));
  for (int i = 0; i < rank; ++i) add_axis(AxisKind::kSpatial, rank >= 5 ? rng_.between(1, 4) : extent());
}

void AxisDraft::sort_axes() {
  std::vector<int> order(axes_.size()), place(axes_.size());
  for (size_t i = 0; i < order.size(); ++i) order[i] = static_cast<int>(i);
  std::stable_sort(order.begin(), order.end(),
                   [&](int a, int b) { return axes_[static_cast<size_t>(a)].kind < axes_[static_cast<size_t>(b)].kind; });
  std::vector<Axis> sorted;
  constexpr const char* kLetters[] = {"i", "r", "s"};
  for (size_t i = 0; i < order.size(); ++i) {
    place[static_cast<size_t>(order[i])] = static_cast<int>(i);
    Axis a = axes_[static_cast<size_t>(order[i])];
    a.name = kLetters[static_cast<int>(a.kind)] + std::to_string(i);
    sorted.push_back(a);
  }
  axes_ = sorted;
  for (Access& a : accesses_)
    for (Dim& d : a.dims) {
      if (d.a >= 0) d.a = place[static_cast<size_t>(d.a)];
      if (d.b >= 0) d.b = place[static_cast<size_t>(d.b)];
    }
}

int64_t AxisDraft::points() const {
  int64_t n = 1;
  for (const Axis& a : axes_)
    if (__builtin_mul_overflow(n, a.extent, &n)) throw TooLarge();
  return n;
}

}  // namespace tlm::test
