// Runtime calls against results computed by hand.
#include <gtest/gtest.h>
#include <cmath>
#include <limits>

#include "call_support.h"
#include "support.h"

namespace tlm::runtime::test {
namespace {

const float kNan = std::numeric_limits<float>::quiet_NaN();

// ---- TopK

struct TopKCase {
  const char* name;
  Shape shape;
  std::vector<float> x;
  int axis;
  int64_t k;
  bool largest;
  std::vector<float> values;
  std::vector<int64_t> indices;
};

TEST(RuntimeCalls, TopK) {
  const std::vector<TopKCase> cases = {
      {"largest", {2, 4}, {1, 4, 2, 3, 8, 5, 6, 7}, -1, 2, true, {4, 3, 8, 7}, {1, 3, 0, 3}},
      {"smallest", {2, 4}, {1, 4, 2, 3, 8, 5, 6, 7}, 1, 3, false, {1, 2, 3, 5, 6, 7}, {0, 2, 3, 1, 2, 3}},
      {"first axis", {3, 2}, {1, 9, 5, 2, 3, 4}, 0, 2, true, {5, 9, 3, 4}, {1, 0, 2, 2}},
      {"equal elements keep their order", {5}, {2, 1, 2, 1, 2}, 0, 4, true, {2, 2, 2, 1}, {0, 2, 4, 1}},
      {"equal elements, smallest", {5}, {2, 1, 2, 1, 2}, -1, 3, false, {1, 1, 2}, {1, 3, 0}},
      {"none", {2, 3}, {1, 2, 3, 4, 5, 6}, 1, 0, true, {}, {}},
      {"all of one", {1}, {7}, 0, 1, true, {7}, {0}},
      {"infinities", {3}, {-INFINITY, INFINITY, 0}, 0, 3, true, {INFINITY, 0, -INFINITY}, {1, 2, 0}},
  };
  for (const TopKCase& c : cases) {
    Shape out = c.shape;
    out[static_cast<size_t>(c.axis < 0 ? c.axis + static_cast<int>(out.size()) : c.axis)] = c.k;
    const Call call{"TopK",
                    {f32(c.shape, c.x), i64({1}, {c.k})},
                    {{DType::kF32, out}, {DType::kI64, out}},
                    {{"axis", {static_cast<double>(c.axis)}}, {"largest", {c.largest ? 1.0 : 0.0}}}};
    const CallResult r = run_call(call);
    ASSERT_TRUE(r.status.ok()) << c.name;
    EXPECT_EQ(values_of<float>(r.outputs[0]), c.values) << c.name;
    EXPECT_EQ(values_of<int64_t>(r.outputs[1]), c.indices) << c.name;
  }
}

TEST(RuntimeCalls, TopKOfNanTakesItAsTheGreatest) {
  const CallResult r = run_call({"TopK", {f32({4}, {1, kNan, 3, kNan})}, {{DType::kF32, {4}, false}, {DType::kI64, {4}}}});
  EXPECT_EQ(values_of<int64_t>(r.outputs[1]), (std::vector<int64_t>{1, 3, 2, 0}));
}

TEST(RuntimeCalls, TopKOfOtherTypes) {
  const CallResult big = run_call({"TopK",
                                   {tensor_of<uint64_t>(DType::kU64, {3}, {1, ~uint64_t{0}, ~uint64_t{0} - 1})},
                                   {{DType::kU64, {2}}, {DType::kI64, {2}}}});
  EXPECT_EQ(values_of<uint64_t>(big.outputs[0]), (std::vector<uint64_t>{~uint64_t{0}, ~uint64_t{0} - 1}));
  const CallResult small = run_call({"TopK", {tensor_of<int8_t>(DType::kI8, {3}, {-128, 127, -1})}, {{DType::kI8, {3}}}});
  EXPECT_EQ(values_of<int8_t>(small.outputs[0]), (std::vector<int8_t>{127, -1, -128}));
  const CallResult half = run_call({"TopK",
                                    {tensor_of<uint16_t>(DType::kF16, {3}, {f32_to_f16(-2), f32_to_f16(0.5f), f32_to_f16(-3)})},
                                    {{DType::kF16, {1}}, {DType::kI64, {1}}}});
  EXPECT_EQ(values_of<int64_t>(half.outputs[1]), (std::vector<int64_t>{1}));
}

// ---- Scatter

struct ScatterCase {
  const char* name;
  const char* call;
  CallTensor data, indices, updates;
  int axis;
  const char* reduction;
  std::vector<float> result;
};

TEST(RuntimeCalls, Scatter) {
  const std::vector<float> zeros9(9, 0.0f);
  const std::vector<ScatterCase> cases = {
      {"rows",
       "ScatterElements",
       f32({3, 3}, zeros9),
       i64({2, 3}, {1, 0, 2, 0, 2, 1}),
       f32({2, 3}, {1, 2, 3, 4, 5, 6}),
       0,
       "none",
       {4, 2, 0, 1, 0, 6, 0, 5, 3}},
      {"columns, negative",
       "ScatterElements",
       f32({1, 5}, {1, 2, 3, 4, 5}),
       i64({1, 2}, {1, -2}),
       f32({1, 2}, {9, 8}),
       1,
       "none",
       {1, 9, 3, 8, 5}},
      {"part of the rows",
       "ScatterElements",
       f32({2, 3}, {1, 2, 3, 4, 5, 6}),
       i64({1, 2}, {2, 0}),
       f32({1, 2}, {7, 8}),
       -1,
       "none",
       {8, 2, 7, 4, 5, 6}},
      {"add, duplicates",
       "ScatterElements",
       f32({4}, {1, 1, 1, 1}),
       i32({3}, {2, 2, 0}),
       f32({3}, {10, 20, 5}),
       0,
       "add",
       {6, 1, 31, 1}},
      {"mul", "ScatterElements", f32({3}, {2, 3, 4}), i64({2}, {1, 1}), f32({2}, {5, 2}), 0, "mul", {2, 30, 4}},
      {"min", "ScatterElements", f32({3}, {2, 3, 4}), i64({3}, {0, 1, 1}), f32({3}, {5, 1, 2}), 0, "min", {2, 1, 4}},
      {"max", "ScatterElements", f32({3}, {2, 3, 4}), i64({3}, {0, 1, 1}), f32({3}, {5, 1, 9}), 0, "max", {5, 9, 4}},
      {"no updates", "ScatterElements", f32({3}, {2, 3, 4}), i64({0}, {}), f32({0}, {}), 0, "none", {2, 3, 4}},
      {"elements",
       "ScatterND",
       f32({8}, {1, 2, 3, 4, 5, 6, 7, 8}),
       i64({4, 1}, {4, 3, 1, -1}),
       f32({4}, {9, 10, 11, 12}),
       0,
       "none",
       {1, 11, 3, 10, 9, 6, 7, 12}},
      {"slices",
       "ScatterND",
       f32({3, 2}, {1, 2, 3, 4, 5, 6}),
       i64({2, 1}, {2, 0}),
       f32({2, 2}, {7, 8, 9, 10}),
       0,
       "none",
       {9, 10, 3, 4, 7, 8}},
      {"pairs, add",
       "ScatterND",
       f32({2, 2}, {1, 2, 3, 4}),
       i64({3, 2}, {0, 1, 1, 0, 0, 1}),
       f32({3}, {10, 20, 30}),
       0,
       "add",
       {1, 42, 23, 4}},
      {"empty tuple: all of the data",
       "ScatterND",
       f32({2}, {1, 2}),
       i64({3, 0}, {}),
       f32({3, 2}, {1, 2, 3, 4, 5, 6}),
       0,
       "add",
       {10, 14}},
      {"slices, max", "ScatterND", f32({2, 2}, {1, 9, 3, 4}), i64({1, 1}, {0}), f32({1, 2}, {5, 6}), 0, "max", {5, 9, 3, 4}},
  };
  for (const ScatterCase& c : cases) {
    Call call{c.call,
              {c.data, c.indices, c.updates},
              {c.data.desc},
              {{"axis", {static_cast<double>(c.axis)}}},
              {{"reduction", c.reduction}}};
    const CallResult r = run_call(call);
    ASSERT_TRUE(r.status.ok()) << c.name << ": " << r.status.reason;
    EXPECT_EQ(values_of<float>(r.outputs[0]), c.result) << c.name;
  }
}

TEST(RuntimeCalls, ScatterIndicesOutOfRangeAreRefused) {
  for (const int64_t index :
       {int64_t{3}, int64_t{-4}, std::numeric_limits<int64_t>::max(), std::numeric_limits<int64_t>::min()}) {
    for (const char* name : {"ScatterElements", "ScatterND"}) {
      const bool nd = std::string(name) == "ScatterND";
      const CallResult r =
          run_call({name, {f32({3}, {1, 2, 3}), i64(nd ? Shape{1, 1} : Shape{1}, {index}), f32({1}, {9})}, {{DType::kF32, {3}}}});
      EXPECT_STREQ(r.status.reason, "index out of range") << index;
      EXPECT_EQ(r.status.value, index);
      EXPECT_EQ(r.status.limit, 3);
    }
  }
}

template <typename T>
std::vector<T> scatter_one(DType type, T data, T update, const char* reduction) {
  const CallResult r = run_call({"ScatterElements",
                                 {tensor_of<T>(type, {1}, {data}), i64({1}, {0}), tensor_of<T>(type, {1}, {update})},
                                 {{type, {1}}},
                                 {},
                                 {{"reduction", reduction}}});
  return values_of<T>(r.outputs[0]);
}

TEST(RuntimeCalls, ScatterOfOtherTypes) {
  EXPECT_EQ(scatter_one<int8_t>(DType::kI8, 100, 100, "add")[0], -56) << "integers wrap";
  EXPECT_EQ(scatter_one<int32_t>(DType::kI32, 1 << 30, 6, "mul")[0], -2147483648LL) << "integers wrap";
  EXPECT_EQ(scatter_one<uint64_t>(DType::kU64, ~uint64_t{0}, 5, "min")[0], 5u);
  EXPECT_EQ(scatter_one<int64_t>(DType::kI64, -1, 5, "max")[0], 5);
  EXPECT_EQ(scatter_one<double>(DType::kF64, 1e300, 1e-300, "mul")[0], 1.0);
  EXPECT_EQ(scatter_one<uint8_t>(DType::kBool, 0, 1, "none")[0], 1);
  EXPECT_EQ(f16_to_f32(scatter_one<uint16_t>(DType::kF16, f32_to_f16(1.5f), f32_to_f16(2), "add")[0]), 3.5f);
  EXPECT_EQ(bf16_to_f32(scatter_one<uint16_t>(DType::kBF16, f32_to_bf16(-1.5f), f32_to_bf16(2), "min")[0]), -1.5f);
  EXPECT_TRUE(std::isnan(scatter_one<float>(DType::kF32, kNan, 1, "max")[0]));
  EXPECT_TRUE(std::isnan(scatter_one<float>(DType::kF32, 1, kNan, "min")[0]));
}

// ---- Recurrent operators, with identity activations (Affine 1, 0), so that all numbers are exact.

const CallNumbers kIdentity1 = {{"activation_alpha", {1}}, {"activation_beta", {0}}};

TEST(RuntimeCalls, RnnForwardReverseBidirectional) {
  // h' = 2x + 3h + 1 + 0.5, H = 1
  const CallTensor x = f32({3, 1, 1}, {1, 2, 3});
  const auto run = [&](const char* direction, int64_t dirs, int layout) {
    const auto d = static_cast<size_t>(dirs);
    std::vector<float> w(d, 2), r(d, 3), b;
    for (size_t i = 0; i < d; ++i) b.insert(b.end(), {1, 0.5f});
    CallTensor xs = x;
    if (layout) xs.desc.shape = {1, 3, 1};
    const Shape y = layout ? Shape{1, 3, dirs, 1} : Shape{3, dirs, 1, 1}, state = layout ? Shape{1, dirs, 1} : Shape{dirs, 1, 1};
    CallNumbers numbers = {{"activation_alpha", std::vector<double>(d, 1)},
                           {"activation_beta", std::vector<double>(d, 0)},
                           {"layout", {static_cast<double>(layout)}}};
    return run_call({"RNN",
                     {xs, f32({dirs, 1, 1}, w), f32({dirs, 1, 1}, r), f32({dirs, 2}, b)},
                     {{DType::kF32, y}, {DType::kF32, state}},
                     numbers,
                     {{"direction", direction}, {"activations", dirs == 2 ? "Affine,Affine" : "Affine"}}});
  };
  // forward: 3.5; 4+10.5+1.5=16; 6+48+1.5=55.5      reverse: 7.5; 4+22.5+1.5=28; 2+84+1.5=87.5
  const CallResult forward = run("forward", 1, 0), reverse = run("reverse", 1, 0), both = run("bidirectional", 2, 0),
                   rows = run("bidirectional", 2, 1);
  EXPECT_EQ(values_of<float>(forward.outputs[0]), (std::vector<float>{3.5f, 16, 55.5f}));
  EXPECT_EQ(values_of<float>(forward.outputs[1]), (std::vector<float>{55.5f}));
  EXPECT_EQ(values_of<float>(reverse.outputs[0]), (std::vector<float>{87.5f, 28, 7.5f}));
  EXPECT_EQ(values_of<float>(reverse.outputs[1]), (std::vector<float>{87.5f}));
  EXPECT_EQ(values_of<float>(both.outputs[0]), (std::vector<float>{3.5f, 87.5f, 16, 28, 55.5f, 7.5f}));
  EXPECT_EQ(values_of<float>(both.outputs[1]), (std::vector<float>{55.5f, 87.5f}));
  EXPECT_EQ(values_of<float>(rows.outputs[0]), values_of<float>(both.outputs[0]));
}

TEST(RuntimeCalls, RnnSequenceLengthsInitialStateAndClip) {
  // h' = x + h; two sequences of lengths 1 and 3, in both layouts; h0 = 100, 200.
  for (const bool batch_first : {false, true}) {
    const CallTensor x = batch_first ? f32({2, 3, 1}, {1, 3, 5, 2, 4, 6}) : f32({3, 2, 1}, {1, 2, 3, 4, 5, 6});
    const Shape y = batch_first ? Shape{2, 3, 1, 1} : Shape{3, 1, 2, 1}, state = batch_first ? Shape{2, 1, 1} : Shape{1, 2, 1};
    const auto with = [&](const char* direction, double clip, std::vector<int32_t> lengths) {
      CallNumbers numbers = kIdentity1;
      numbers["layout"] = {batch_first ? 1.0 : 0.0};
      if (clip > 0) numbers["clip"] = {clip};
      return run_call({"RNN",
                       {x, f32({1, 1, 1}, {1}), f32({1, 1, 1}, {1}), absent(), i32({2}, lengths), f32(state, {100, 200})},
                       {{DType::kF32, y}, {DType::kF32, state}},
                       numbers,
                       {{"direction", direction}, {"activations", "Affine"}}});
    };
    const CallResult forward = with("forward", 0, {1, 3});
    EXPECT_EQ(values_of<float>(forward.outputs[0]),
              batch_first ? (std::vector<float>{101, 0, 0, 202, 206, 212}) : (std::vector<float>{101, 202, 0, 206, 0, 212}));
    EXPECT_EQ(values_of<float>(forward.outputs[1]), (std::vector<float>{101, 212}));
    const CallResult reverse = with("reverse", 0, {2, 3});
    EXPECT_EQ(values_of<float>(reverse.outputs[1]), (std::vector<float>{104, 212}));
    EXPECT_EQ(values_of<float>(reverse.outputs[0]),
              batch_first ? (std::vector<float>{104, 103, 0, 212, 210, 206}) : (std::vector<float>{104, 212, 103, 210, 0, 206}));
    EXPECT_EQ(values_of<float>(with("forward", 150, {3, 3}).outputs[1]), (std::vector<float>{109, 150}));
    EXPECT_STREQ(with("forward", 0, {1, 4}).status.reason, "length of a sequence out of range");
    EXPECT_STREQ(with("forward", 0, {-1, 1}).status.reason, "length of a sequence out of range");
  }
}

TEST(RuntimeCalls, GruGatesAndLinearBeforeReset) {
  // H = 1, all activations identity. x = 1, h = 2.  W = (1, 2, 3), R = (0.5, 1, 2), Wb = (0, 0, 1), Rb = (0, 0, 4).
  //   z = 1 + 1 = 2      r = 2 + 2 = 4
  //   n = 3 + 2·(4·2) + 1 + 4 = 24      or      3 + 1 + 4·(2·2 + 4) = 36
  //   h' = (1−2)·n + 2·2 = 4 − n
  const auto run = [](double linear_before_reset) {
    const Call call{"GRU",
                    {f32({1, 1, 1}, {1}), f32({1, 3, 1}, {1, 2, 3}), f32({1, 3, 1}, {0.5f, 1, 2}),
                     f32({1, 6}, {0, 0, 1, 0, 0, 4}), absent(), f32({1, 1, 1}, {2})},
                    {{DType::kF32, {1, 1, 1, 1}, false}, {DType::kF32, {1, 1, 1}}},
                    {{"activation_alpha", {1, 1}}, {"activation_beta", {0, 0}}, {"linear_before_reset", {linear_before_reset}}},
                    {{"activations", "Affine,Affine"}}};
    return values_of<float>(run_call(call).outputs[1])[0];
  };
  EXPECT_EQ(run(0), -20);
  EXPECT_EQ(run(1), -32);
}

TEST(RuntimeCalls, LstmGatesPeepholesAndInputForget) {
  // H = 1, activations identity, x = 1, h = 2, c = 3. Gates i, o, f, g: W = (1, 2, 3, 4), R = (1, 0.5, 1, 1), P = (1, 2, 0.5).
  //   i = 1 + 2 + 3 = 6      f = 3 + 2 + 1.5 = 6.5      g = 4 + 2 = 6
  //   c' = 6.5·3 + 36 = 55.5      o = 2 + 1 + 2·55.5 = 114      h' = 114·55.5 = 6327
  // input_forget: f = 1 − 6 = −5, c' = −15 + 36 = 21, o = 3 + 42 = 45, h' = 945
  const auto run = [](double input_forget, bool peepholes) {
    const Call call{"LSTM",
                    {f64({1, 1, 1}, {1}), f64({1, 4, 1}, {1, 2, 3, 4}), f64({1, 4, 1}, {1, 0.5, 1, 1}), absent(), absent(),
                     f64({1, 1, 1}, {2}), f64({1, 1, 1}, {3}), peepholes ? f64({1, 3}, {1, 2, 0.5}) : absent()},
                    {{DType::kF64, {1, 1, 1, 1}}, {DType::kF64, {1, 1, 1}}, {DType::kF64, {1, 1, 1}}},
                    {{"activation_alpha", {1, 1, 1}}, {"activation_beta", {0, 0, 0}}, {"input_forget", {input_forget}}},
                    {{"activations", "Affine,affine, Affine"}}};
    const CallResult r = run_call(call);
    EXPECT_EQ(values_of<double>(r.outputs[0]), values_of<double>(r.outputs[1]));
    return std::pair(values_of<double>(r.outputs[1])[0], values_of<double>(r.outputs[2])[0]);
  };
  EXPECT_EQ(run(0, true), std::pair(6327.0, 55.5));
  EXPECT_EQ(run(1, true), std::pair(945.0, 21.0));
  // Without peepholes: i = 3, f = 5, g = 6, c' = 33, o = 3, h' = 99.
  EXPECT_EQ(run(0, false), std::pair(99.0, 33.0));
}

TEST(RuntimeCalls, Activations) {
  struct Case {
    const char* name;
    std::vector<double> alpha, beta;
    double x, y;
  };
  const Case cases[] = {
      {"Relu", {}, {}, -2, 0},
      {"Relu", {}, {}, 3, 3},
      {"Tanh", {}, {}, 0.5, 0.46211715726000976},
      {"Sigmoid", {}, {}, 0, 0.5},
      {"Affine", {2}, {3}, 5, 13},
      {"LeakyRelu", {}, {}, -100, -1},
      {"LeakyRelu", {0.5}, {}, -3, -1.5},
      {"ThresholdedRelu", {}, {}, 1, 0},
      {"ThresholdedRelu", {2}, {}, 2.5, 2.5},
      {"ScaledTanh", {2}, {0.5}, 1, 2 * 0.46211715726000976},
      {"HardSigmoid", {}, {}, 1, 0.7},
      {"HardSigmoid", {1}, {0}, 5, 1},
      {"Elu", {}, {}, -1, std::exp(-1.0) - 1},
      {"Softsign", {}, {}, -3, -0.75},
      {"Softplus", {}, {}, 0, std::log(2.0)},
      {"Softplus", {}, {}, 800, 800},
  };
  for (const Case& c : cases) {
    CallNumbers numbers;
    if (!c.alpha.empty()) numbers["activation_alpha"] = c.alpha;
    if (!c.beta.empty()) numbers["activation_beta"] = c.beta;
    const CallResult r = run_call({"RNN",
                                   {f64({1, 1, 1}, {c.x}), f64({1, 1, 1}, {1}), f64({1, 1, 1}, {0})},
                                   {{DType::kF64, {1, 1, 1, 1}}},
                                   numbers,
                                   {{"activations", c.name}}});
    EXPECT_NEAR(values_of<double>(r.outputs[0])[0], c.y, 1e-15 * std::max(1.0, std::abs(c.y))) << c.name;
  }
}

TEST(RuntimeCalls, HalfPrecisionStatesAreRoundedAtTheEnd) {
  const auto half = [](Shape shape, std::vector<float> values) {
    std::vector<uint16_t> bits;
    for (float v : values) bits.push_back(f32_to_f16(v));
    return tensor_of(DType::kF16, std::move(shape), bits);
  };
  // 1/2048 + 1/2048 + 1: the sum of the state is kept in f32.
  const CallResult r = run_call({"RNN",
                                 {half({3, 1, 1}, {1, 1.0f / 2048, 1.0f / 2048}), half({1, 1, 1}, {1}), half({1, 1, 1}, {1})},
                                 {{DType::kF16, {3, 1, 1, 1}, false}, {DType::kF16, {1, 1, 1}}},
                                 kIdentity1,
                                 {{"activations", "Affine"}}});
  EXPECT_EQ(f16_to_f32(values_of<uint16_t>(r.outputs[1])[0]), 1 + 1.0f / 1024);
}

// ---- Refusals

TEST(RuntimeCalls, ChecksNameWhatDoesNotFit) {
  const CallTensor x = f32({3, 1, 2}, std::vector<float>(6)), w = f32({1, 4, 2}, std::vector<float>(8)),
                   r = f32({1, 4, 4}, std::vector<float>(16));
  const TensorDesc y{DType::kF32, {3, 1, 1, 4}};
  const CallTensor data = f32({2, 3}, std::vector<float>(6)), index = i64({1, 3}, {0, 0, 0}), update = f32({1, 3}, {1, 2, 3});
  struct Case {
    Call call;
    const char* message;
  };
  const Case cases[] = {
      {{"Reshape", {}, {}}, "this runtime has no call 'Reshape'"},
      {{"RNN", {x, w}, {y}}, "RNN: has 2 inputs"},
      {{"RNN", {x, w, absent()}, {y}}, "wants inputs X, W and R"},
      {{"RNN", {x, f32({1, 4, 3}, std::vector<float>(12)), r}, {y}}, "W should be [1,4,2] of f32, not [1,4,3] of f32"},
      {{"RNN", {x, w, r}, {{DType::kF32, {3, 1, 4}}}}, "Y should be [3,1,1,4]"},
      {{"RNN", {x, w, r}, {y}, {{"hidden_size", {5}}}}, "hidden_size 5"},
      {{"RNN", {x, w, r}, {y}, {}, {{"direction", "sideways"}}}, "unknown direction 'sideways'"},
      {{"RNN", {x, w, r}, {y}, {}, {{"activations", "Gelu"}}}, "activation 'Gelu'"},
      {{"RNN", {x, w, r}, {y}, {}, {{"activations", "Tanh,Tanh"}}}, "too many activations"},
      {{"LSTM",
        {x, f32({1, 16, 2}, std::vector<float>(32)), f32({1, 16, 4}, std::vector<float>(64))},
        {y},
        {},
        {{"activations", "Tanh"}}},
       "too few activations"},
      {{"RNN", {i64({3, 1, 2}, std::vector<int64_t>(6)), w, r}, {y}}, "RNN: X of i64"},
      {{"GRU", {x, w, r}, {y}}, "W should be [1,12,2]"},
      {{"TopK", {data}, {{DType::kF32, {2, 4}}}}, "output [2,4] of X [2,3]"},
      {{"TopK", {data}, {{DType::kF32, {2, 1}}}, {{"axis", {2}}}}, "axis 2"},
      {{"TopK", {data}, {{DType::kF64, {2, 1}}}}, "values have another type"},
      {{"ScatterElements", {data, index, update}, {data.desc}, {{"axis", {-3}}}}, "axis -3"},
      {{"ScatterElements", {data, index, update}, {data.desc}, {{"axis", {0.5}}}}, "axis 0.5"},
      {{"ScatterElements", {data, update, update}, {data.desc}}, "indices are neither i32 nor i64"},
      {{"ScatterElements", {data, i64({2, 4}, std::vector<int64_t>(8)), f32({2, 4}, std::vector<float>(8))}, {data.desc}},
       "exceed data"},
      {{"ScatterElements", {data, index, update}, {data.desc}, {}, {{"reduction", "xor"}}}, "unknown reduction 'xor'"},
      {{"ScatterND", {data, i64({1, 3}, {0, 0, 0}), f32({1}, {1})}, {data.desc}}, "data [2,3], indices [1,3], updates [1]"},
      {{"ScatterND", {data, i64({1, 1}, {0}), f32({1, 2}, {1, 2})}, {data.desc}}, "updates [1,2]"},
  };
  for (const Case& c : cases) {
    const std::string message = error_of([&] { check_runtime_call(c.call.step()); });
    EXPECT_NE(message.find(c.message), std::string::npos) << c.call.name << ", " << c.message << ": " << message;
  }
}

TEST(RuntimeCalls, TableIsSmall) {
  EXPECT_LE(runtime_call_names().size(), 15u);
  for (std::string_view name : runtime_call_names()) EXPECT_EQ(find_runtime_call(name)->name, name);
  EXPECT_EQ(find_runtime_call("Conv"), nullptr);
}

}  // namespace
}  // namespace tlm::runtime::test
