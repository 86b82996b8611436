// Shapes of no network in particular, odd ones among them.
#include <iterator>

#include "tlm/tools/collect/families.h"

namespace tlm::collect {
namespace {

using ir::OpKind;
using ir::ValueId;
using Kind = space::WorkloadKind;

Activation any_activation(Sizes& z) { return static_cast<Activation>(z.rng().below(9)); }

// Both operands in either order, constant or not.
void product(LayerBuilder& b, Sizes& z) {
  const int64_t m = z.size(2, 1024), n = z.size(2, 1024), k = z.size(2, 2048);
  const bool ta = z.chance(20), tb = z.chance(50), constant = z.chance(60);
  const ValueId x = b.input(ta ? Shape{k, m} : Shape{m, k});
  const Shape right = tb ? Shape{n, k} : Shape{k, n};
  ValueId y =
      b.op(OpKind::kGemm, {x, constant ? b.constant(right) : b.input(right)}, {{"transA", int64_t{ta}}, {"transB", int64_t{tb}}});
  if (z.chance(40)) y = b.activation(y, any_activation(z));
  b.output(y);
}

void products(LayerBuilder& b, Sizes& z) {
  const int64_t batch = z.size(2, 32), m = z.size(2, 384), n = z.size(2, 384), k = z.size(2, 512);
  ValueId left = b.input({batch, m, k}), right = b.input(z.chance(50) ? Shape{batch, n, k} : Shape{batch, k, n});
  if (b.shape(right)[1] == n && b.shape(right)[2] == k) right = b.transpose(right, {0, 2, 1});
  b.output(b.op(OpKind::kMatMul, {left, right}));
}

void vector_product(LayerBuilder& b, Sizes& z) {
  const int64_t n = z.size(4, 2048), k = z.size(4, 2048);
  const bool tb = z.chance(60);
  const Shape right = tb ? Shape{n, k} : Shape{k, n};
  const ValueId w = z.chance(70) ? b.constant(right) : b.input(right);
  b.output(b.op(OpKind::kGemm, {b.input({1, k}), w}, {{"transB", int64_t{tb}}}));
}

// Channels-first: the model's own input and output.
void window_of_ports(LayerBuilder& b, Sizes& z) {
  const int64_t h = z.size(5, 96), w = z.size(5, 96);
  WindowShape s = WindowShape::square(z.size(1, 128), 3);
  s.kernel_h = z.one_of({1, 2, 3, 3, 4, 5});
  s.kernel_w = z.one_of({2, 3, 3, 4, 5, 6});
  s.stride = z.one_of({1, 1, 1, 2, 3});
  s.padded = z.chance(50);
  b.output(b.activation(b.window(b.input({1, z.size(1, 128), h + 6, w + 6}), s), any_activation(z)));
}

void chain(LayerBuilder& b, Sizes& z) {
  const int64_t rows = z.size(1, 1024), columns = z.size(8, 4096);
  ValueId x = b.input({rows, columns});
  const int steps = static_cast<int>(z.rng().between(1, 4));
  for (int i = 0; i < steps; ++i) {
    switch (z.rng().below(5)) {
      case 0: x = b.add(x, b.input({rows, columns})); break;
      case 1: x = b.multiply(x, b.constant({columns})); break;
      case 2: x = b.multiply(x, b.input({rows, 1})); break;
      default: x = b.activation(x, any_activation(z)); break;
    }
  }
  b.output(b.add(x, b.constant({columns})));
}

void permutation(LayerBuilder& b, Sizes& z) {
  const std::vector<std::vector<int64_t>> perms = {{0, 2, 1}, {1, 0, 2}, {2, 1, 0}, {1, 2, 0}, {2, 0, 1}};
  const ValueId x = b.input({z.size(2, 64), z.size(2, 256), z.size(2, 256)});
  b.output(b.transpose(x, perms[z.rng().below(perms.size())]));
}

void reduction(LayerBuilder& b, Sizes& z) {
  const OpKind kinds[] = {OpKind::kReduceSum, OpKind::kReduceMean, OpKind::kReduceMax, OpKind::kReduceL2,
                          OpKind::kReduceSumSquare};
  const ValueId x = b.input({z.size(2, 64), z.size(4, 256), z.size(4, 256)});
  const std::vector<std::vector<int64_t>> axes = {{0}, {1}, {2}, {2}, {1, 2}, {0, 1}};
  ValueId y =
      b.op(kinds[z.rng().below(std::size(kinds))], {x}, {{"axes", axes[z.rng().below(axes.size())]}, {"keepdims", int64_t{1}}});
  if (z.chance(40)) y = b.op(OpKind::kSub, {x, y});
  b.output(y);
}

const Family kFamilies[] = {
    {"random-product", 3, {Kind::kProduct}, product},
    {"random-products", 3, {Kind::kBatchedProduct}, products},
    {"random-vector-product", 2, {Kind::kMatrixVector}, vector_product},
    {"random-window", 1, {Kind::kWindow, Kind::kWindowOther}, window_of_ports},
    {"random-chain", 3, {Kind::kMap}, chain},
    {"random-permutation", 1, {Kind::kMap}, permutation},
    {"random-reduction", 2, {Kind::kRowWise}, reduction},
};

}  // namespace

std::span<const Family> random_families() { return kFamilies; }

}  // namespace tlm::collect
