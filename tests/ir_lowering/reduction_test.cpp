// Reductions, places of extremes, scans, softmax and normalisation.
#include <gtest/gtest.h>

#include <cmath>

#include "run_graph.h"

namespace tlm::ir::test {
namespace {

constexpr DType F = DType::kF32, L = DType::kI64;
using Ints = std::vector<int64_t>;

TEST(Reduction, Kinds) {
  In x = f32({2, 3}, {1, -2, 3, -4, 5, -6});
  Attributes rows = {{"axes", Ints{1}}}, all = {{"axes", Ints{0, 1}}, {"keepdims", int64_t{0}}};
  auto row = [&](OpKind op, double a, double b) { return Case{"", op, {x}, rows, {tensor(F, {2, 1}, {a, b})}}; };
  check({
      row(OpKind::kReduceSum, 2, -5),
      row(OpKind::kReduceMean, 2.0 / 3, -5.0 / 3),
      row(OpKind::kReduceMax, 3, 5),
      row(OpKind::kReduceMin, -2, -6),
      row(OpKind::kReduceProd, -6, 120),
      row(OpKind::kReduceL1, 6, 15),
      row(OpKind::kReduceL2, std::sqrt(14.0), std::sqrt(77.0)),
      row(OpKind::kReduceSumSquare, 14, 77),
      row(OpKind::kReduceLogSumExp, std::log(std::exp(1) + std::exp(-2) + std::exp(3)),
          std::log(std::exp(-4) + std::exp(5) + std::exp(-6))),
      {"all", OpKind::kReduceSum, {x}, all, {tensor(F, {}, {-3})}},
      {"log sum", OpKind::kReduceLogSum, {f32({2, 1}, {1, 2})}, {{"axes", Ints{0}}}, {tensor(F, {1, 1}, {std::log(3.0)})}},
      {"large exponents",
       OpKind::kReduceLogSumExp,
       {f32({2}, {1000, 1000})},
       {{"axes", Ints{0}}},
       {tensor(F, {1}, {1000 + std::log(2.0)})}},
      {"integers",
       OpKind::kReduceMax,
       {input(tensor(DType::kI8, {2}, {-5, -7}))},
       {{"axes", Ints{0}}},
       {tensor(DType::kI8, {1}, {-5})}},
      {"extent 1", OpKind::kReduceSumSquare, {f32({1, 2}, {3, 4})}, {{"axes", Ints{0}}}, {tensor(F, {1, 2}, {9, 16})}},
      {"empty", OpKind::kReduceSum, {f32({0, 2}, {})}, {{"axes", Ints{0}}}, {tensor(F, {1, 2}, {0, 0})}},
      {"no axes",
       OpKind::kReduceSum,
       {f32({2}, {3, 4}), constant(Tensor(L, {0}))},
       {{"noop_with_empty_axes", int64_t{1}}},
       {tensor(F, {2}, {3, 4})}},
  });
}

TEST(Reduction, ArgMaxArgMin) {
  In x = f32({2, 3}, {1, 3, 3, -1, -2, -2});
  Attributes last = {{"axis", int64_t{1}}, {"select_last_index", int64_t{1}}}, first = {{"axis", int64_t{1}}};
  check({
      {"max", OpKind::kArgMax, {x}, first, {tensor(L, {2, 1}, {1, 0})}},
      {"last max", OpKind::kArgMax, {x}, last, {tensor(L, {2, 1}, {2, 0})}},
      {"min", OpKind::kArgMin, {x}, first, {tensor(L, {2, 1}, {0, 1})}},
      {"last min", OpKind::kArgMin, {x}, last, {tensor(L, {2, 1}, {0, 2})}},
      {"dimension dropped", OpKind::kArgMax, {x}, {{"axis", int64_t{0}}, {"keepdims", int64_t{0}}}, {tensor(L, {3}, {0, 0, 0})}},
      {"all -inf", OpKind::kArgMax, {f32({2}, {-INFINITY, -INFINITY})}, {}, {tensor(L, {1}, {0})}},
      {"extent 1", OpKind::kArgMax, {f32({1, 2}, {5, 6})}, {}, {tensor(L, {1, 2}, {0, 0})}},
  });
}

TEST(Reduction, CumSum) {
  In x = f32({2, 3}, {1, 2, 3, 4, 5, 6}), axis = constant(Tensor::scalar_i64(1)), axis0 = constant(Tensor::scalar_i64(0));
  Attributes exclusive = {{"exclusive", int64_t{1}}}, reverse = {{"reverse", int64_t{1}}};
  Attributes both = {{"exclusive", int64_t{1}}, {"reverse", int64_t{1}}};
  check({
      {"plain", OpKind::kCumSum, {x, axis}, {}, {tensor(F, {2, 3}, {1, 3, 6, 4, 9, 15})}},
      {"first axis", OpKind::kCumSum, {x, axis0}, {}, {tensor(F, {2, 3}, {1, 2, 3, 5, 7, 9})}},
      {"exclusive", OpKind::kCumSum, {x, axis}, exclusive, {tensor(F, {2, 3}, {0, 1, 3, 0, 4, 9})}},
      {"reverse", OpKind::kCumSum, {x, axis}, reverse, {tensor(F, {2, 3}, {6, 5, 3, 15, 11, 6})}},
      {"both", OpKind::kCumSum, {x, axis}, both, {tensor(F, {2, 3}, {5, 3, 0, 11, 6, 0})}},
      {"extent 1", OpKind::kCumSum, {f32({1}, {7}), axis0}, {}, {tensor(F, {1}, {7})}},
      {"extent 1, exclusive", OpKind::kCumSum, {f32({1}, {7}), axis0}, exclusive, {tensor(F, {1}, {0})}},
  });
}

TEST(Reduction, SoftmaxFamily) {
  In x = f32({2, 2}, {0, std::log(3.0), 1000, 1000});
  double l = std::log(0.5);
  check({
      {"softmax", OpKind::kSoftmax, {x}, {}, {tensor(F, {2, 2}, {0.25, 0.75, 0.5, 0.5})}},
      {"first axis",
       OpKind::kSoftmax,
       {f32({2, 1}, {0, std::log(3.0)})},
       {{"axis", int64_t{0}}},
       {tensor(F, {2, 1}, {0.25, 0.75})}},
      {"log", OpKind::kLogSoftmax, {x}, {}, {tensor(F, {2, 2}, {std::log(0.25), std::log(0.75), l, l})}},
      {"hard", OpKind::kHardmax, {x}, {}, {tensor(F, {2, 2}, {0, 1, 1, 0})}},
      {"f16", OpKind::kSoftmax, {input(tensor(DType::kF16, {2}, {4, 4}))}, {}, {tensor(DType::kF16, {2}, {0.5, 0.5})}},
  });
}

TEST(Reduction, Normalisation) {
  // Rows {1, 3} and {2, 6}: means 2 and 4, deviations 1 and 2.
  In x = f32({1, 2, 2}, {1, 3, 2, 6}), scale = f32({2}, {1, 10}), bias = f32({2}, {0, 5});
  Attributes exact = {{"epsilon", 0.0}};
  Attributes layer = {{"epsilon", 0.0}, {"axis", int64_t{2}}}, group = {{"epsilon", 0.0}, {"num_groups", int64_t{2}}};
  Tensor by_channel = tensor(F, {1, 2, 2}, {-1, 1, -5, 15});
  check({
      {"batch", OpKind::kBatchNormalization, {x, scale, bias, f32({2}, {2, 4}), f32({2}, {1, 4})}, exact, {by_channel}},
      {"instance", OpKind::kInstanceNormalization, {x, scale, bias}, exact, {by_channel}},
      {"group", OpKind::kGroupNormalization, {x, scale, bias}, group, {by_channel}},
      {"layer",
       OpKind::kLayerNormalization,
       {x, scale, bias},
       layer,
       {tensor(F, {1, 2, 2}, {-1, 15, -1, 15}), tensor(F, {1, 2, 1}, {2, 4}), tensor(F, {1, 2, 1}, {1, 0.5})}},
      {"mean, variance", OpKind::kMeanVarianceNormalization, {x}, {{"axes", Ints{0, 2}}}, {tensor(F, {1, 2, 2}, {-1, 1, -1, 1})}},
      {"lp 2", OpKind::kLpNormalization, {f32({1, 2}, {3, 4})}, {}, {tensor(F, {1, 2}, {0.6, 0.8})}},
      {"lp 1", OpKind::kLpNormalization, {f32({1, 2}, {1, -3})}, {{"p", int64_t{1}}}, {tensor(F, {1, 2}, {0.25, -0.75})}},
      {"batch, training",
       OpKind::kBatchNormalization,
       {x, scale, bias, f32({2}, {0, 0}), f32({2}, {1, 1})},
       {{"epsilon", 0.0}, {"training_mode", int64_t{1}}, {"momentum", 0.5}},
       {by_channel, tensor(F, {2}, {1, 2}), tensor(F, {2}, {1, 2.5})}},
  });
}

// Two groups of two channels: statistics over all of a group's elements.
TEST(Reduction, GroupNormalizationOfSeveralChannels) {
  In x = f32({1, 4, 1}, {1, 3, 2, 6}), scale = f32({4}, {1, 1, 10, 10}), bias = f32({4}, {0, 0, 5, 5});
  check({{"groups",
          OpKind::kGroupNormalization,
          {x, scale, bias},
          {{"epsilon", 0.0}, {"num_groups", int64_t{2}}},
          {tensor(F, {1, 4, 1}, {-1, 1, -5, 15})}}});
}

TEST(Reduction, Losses) {
  // Log probabilities of two samples of three classes; targets 0 and 2.
  In p = f32({2, 3}, {-1, -2, -3, -4, -5, -6}), t = i64({2}, {0, 2}), w = f32({3}, {1, 1, 3});
  Attributes none = {{"reduction", std::string("none")}}, sum = {{"reduction", std::string("sum")}};
  Attributes ignore = {{"ignore_index", int64_t{0}}}, far = {{"ignore_index", int64_t{-7}}};
  double z = std::log(std::exp(1.0) + std::exp(2.0));
  check({
      {"none", OpKind::kNegativeLogLikelihoodLoss, {p, t}, none, {tensor(F, {2}, {1, 6})}},
      {"sum", OpKind::kNegativeLogLikelihoodLoss, {p, t, w}, sum, {tensor(F, {}, {19})}},
      {"mean", OpKind::kNegativeLogLikelihoodLoss, {p, t}, {}, {tensor(F, {}, {3.5})}},
      {"weighted mean", OpKind::kNegativeLogLikelihoodLoss, {p, t, w}, {}, {tensor(F, {}, {4.75})}},
      {"ignored", OpKind::kNegativeLogLikelihoodLoss, {p, t}, ignore, {tensor(F, {}, {6})}},
      {"ignored, outside", OpKind::kNegativeLogLikelihoodLoss, {p, i64({2}, {-7, 1})}, far, {tensor(F, {}, {5})}},
      {"cross entropy",
       OpKind::kSoftmaxCrossEntropyLoss,
       {f32({1, 2}, {1, 2}), i64({1}, {0})},
       {},
       {tensor(F, {}, {z - 1}), tensor(F, {1, 2}, {1 - z, 2 - z})}},
  });
}

}  // namespace
}  // namespace tlm::ir::test
