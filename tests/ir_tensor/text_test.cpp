#include <gtest/gtest.h>

#include <cmath>

#include "tests/support/expression_generator.h"
#include "tlm/core/error.h"
#include "tlm/core/rng.h"
#include "tlm/ir/tensor/subgraph.h"

namespace tlm::ir {
namespace {

constexpr const char* kConv = R"(subgraph "conv" {
  input X: f32[1,8,9,9] strides [648,1,72,8]
  constant W: f32[4,8,3,3]
  internal P: f32[1,8,11,11]
  output Y: f32[1,4,9,9] offset 7 buffer 400
  stage "pad" {
    spatial n:1, c:8, h:11, w:11
    body select(1 <= h && h < 10 && (1 <= w && w < 10), X[n, c, h - 1, w - 1], 0.0)
    store P[n, c, h, w] = acc0
  }
  stage "conv" {
    spatial n:1, co:4, h:9, w:9
    reduce ci:8, r:3, s:3
    body P[n, ci, h + r, w + s]*W[co, ci, r, s]
    combine sum
    store Y[n, co, h, w] = max(acc0, 0.0)
  }
}
)";

constexpr const char* kMixed = R"(subgraph "a \"name\" with \x0a everything" {
  input t0 "layer/1:0": f16[5,6]
  input t1 "": i64[5]
  input t2 "exp": u8[] buffer 3
  internal M: f32[6]
  output t4 "M": i64[6]
  output C: f64[6,3]
  stage "argmax" {
    spatial i:6
    reduce a1 "i":5
    body f32(t0[a1, i])
    body a1
    combine tuple not_commutative
    identity -inf
    identity 9223372036854775807
    update select(acc0 < acc2 || acc0 == acc2 && acc3 < acc1, acc2, acc0)
    update min(acc1, acc3)
    store M[i] = acc0/2.5
    store t4[i] = acc1*-3 - 1
  }
  stage "scan" {
    spatial i:6
    reduce r:2
    scan s:3
    exclusive
    body f64(M[i])*0.1:f64 + f64(t2[])
    combine prod
    store C[i, s] = nan:f64
  }
}
)";

std::string spaced(std::string s) {  // the text above writes a/b without spaces in one place
  const size_t at = s.find("acc0/2.5");
  if (at != std::string::npos) s.replace(at, 8, "acc0 / 2.5");
  return s;
}

TEST(Text, PrintsWhatItReads) {
  for (const char* text : {kConv, kMixed}) {
    const Subgraph g = parse_subgraph(text);
    EXPECT_EQ(print(g), spaced(text));
    EXPECT_EQ(print(parse_subgraph(print(g))), print(g));
  }
}

TEST(Text, ReadsMeaning) {
  const Subgraph g = parse_subgraph(kMixed);
  EXPECT_EQ(g.name, "a \"name\" with \n everything");
  ASSERT_EQ(g.tensors.size(), 6u);
  EXPECT_EQ(g.tensors[0].name, "layer/1:0");
  EXPECT_EQ(g.tensors[2].dtype, DType::kU8);
  EXPECT_TRUE(g.tensors[2].shape.empty());
  EXPECT_EQ(g.tensors[2].buffer_elements, 3);
  EXPECT_EQ(g.tensors[3].role, TensorRole::kInternal);
  ASSERT_EQ(g.stages.size(), 2u);
  EXPECT_EQ(g.stages[0].axes[1].name, "i");
  EXPECT_EQ(g.stages[0].axes[1].kind, AxisKind::kReduce);
  EXPECT_FALSE(g.stages[0].combiner.commutative);
  EXPECT_TRUE(g.stages[0].combiner.associative);
  EXPECT_TRUE(g.stages[1].exclusive);
  EXPECT_EQ(g.stages[1].combiner.kind, CombinerKind::kProd);
  EXPECT_TRUE(std::isnan(g.stages[1].result[0]->fval));
}

TEST(Text, GeneratedProgramsSurvive) {
  for (uint64_t seed = 0; seed < 400; ++seed) {
    const Subgraph g = test::generate_program(seed).g;
    const std::string text = print(g);
    const Subgraph back = parse_subgraph(text);
    ASSERT_EQ(print(back), text) << seed;
    ASSERT_EQ(workload_hash(back), workload_hash(g)) << seed << "\n" << text;
    verify(back);
  }
}

TEST(Text, EveryOperatorAndLiteralSurvives) {
  const std::vector<std::string> vars = {"i"}, tensors = {"F", "Z", "B"};
  Subgraph g;
  for (DType t : {DType::kF32, DType::kI32, DType::kBool}) {
    TensorDecl d;
    d.name = tensors[g.tensors.size()];
    d.dtype = t;
    g.tensors.push_back(d);
    g.tensors.back().buffer_elements = 1;
  }
  Stage s;
  s.name = "all";
  const Expr f = make_load(0, DType::kF32, {}), z = make_load(1, DType::kI32, {}), b = make_load(2, DType::kBool, {});
  for (int o = static_cast<int>(Op::kAdd); o <= static_cast<int>(Op::kIsInf); ++o) {
    const Op op = static_cast<Op>(o);
    if (op == Op::kSelect) {
      s.body.push_back(make_select(b, f, f * f));
    } else if (op == Op::kCast) {
      for (int t = 0; t <= static_cast<int>(DType::kBool); ++t)
        if (static_cast<DType>(t) != DType::kF32) s.body.push_back(make_cast(f, static_cast<DType>(t)));
    } else {
      for (const Expr& x : {f, z, b}) {
        if (x->dtype != DType::kBool && (op == Op::kAnd || op == Op::kOr || op == Op::kNot)) continue;
        std::vector<Expr> args(static_cast<size_t>(op_arity(op)), x);
        if (args.size() > 1) args[1] = make_op(Op::kMax, {x, make_select(b, x, make_const(1, x->dtype))});
        s.body.push_back(make_op(op, args));
      }
    }
  }
  for (double v :
       {0.0, -0.0, 1.0, 0.1, 1e-45, 3.4028234663852886e38, 1e300, -1e-300, 123456789.0, std::nan(""), HUGE_VAL, -HUGE_VAL})
    for (DType t : {DType::kF32, DType::kF64, DType::kF16, DType::kBF16}) s.body.push_back(make_float(v, t));
  for (int64_t v : {int64_t{0}, int64_t{1}, int64_t{-1}, INT64_MAX, INT64_MIN})
    for (DType t :
         {DType::kI8, DType::kI16, DType::kI32, DType::kI64, DType::kU8, DType::kU16, DType::kU32, DType::kU64, DType::kBool}) {
      s.body.push_back(make_int(v, t));
      if (t == DType::kI32) s.body.push_back(z + make_int(v, t));
    }
  g.stages = {s};
  const Subgraph back = parse_subgraph(print(g));
  ASSERT_EQ(back.stages[0].body.size(), s.body.size());
  for (size_t i = 0; i < s.body.size(); ++i)
    EXPECT_TRUE(equal(back.stages[0].body[i], s.body[i])) << print(s.body[i], vars, tensors);
}

TEST(Text, ErrorsNameLineAndFault) {
  struct Case {
    const char* from;  // replaced in kConv …
    const char* to;
    const char* message;
    int line;
  };
  const Case cases[] = {
      {"subgraph", "graph", "expected `subgraph`", 1},
      {"input X", "imput X", "`imput` is neither a tensor's role nor `stage`", 2},
      {"f32[1,8,9,9]", "f33[1,8,9,9]", "`f33` is not an element type", 2},
      {"[1,8,9,9]", "[1,8,-9,9]", "negative", 2},
      {"[1,8,9,9]", "[1,8,9,9", "expected", 2},
      {"[1,8,9,9]", "[1,8,99999999999,99999999999]", "", 2},
      {"[1,8,9,9]", "[1,8,99999999999999999999,9]", "expected an integer", 2},
      {"constant W", "constant X", "`X` is declared twice", 3},
      {"spatial n:1", "spatial n:-1", "negative extent", 7},
      {"c:8", "n:8", "`n` is declared twice", 7},
      {"X[n, c", "Q[n, c", "`Q` is not a tensor", 8},
      {"X[n, c", "X[n, d", "`d` is not known here", 8},
      {"X[n, c", "X[0.5, c", "an index of type f32", 8},
      {", 0.0)", ", 0)", "select of f32 and i64", 8},
      {", 0.0)", ")", "select takes 3 arguments, not 2", 8},
      {"select(", "choose(", "`choose` is not a function", 8},
      {"acc0", "acc1", "there is no such accumulator", 9},
      {"store P", "store Q", "`Q` is not a tensor", 9},
      {"combine sum", "combine mean", "`mean` is not a combiner", 15},
      {"combine sum", "combine all", "a logical combiner needs a bool body", 17},
      {"max(acc0, 0.0)", "max(acc0, 0.0", "expected `)`", 16},
      {"max(acc0, 0.0)", "max(acc0, 0.0) 1", "unexpected text", 16},
      {"max(acc0, 0.0)", "max(acc0, 1e)", "malformed number", 16},
      {"max(acc0, 0.0)", "max(acc0, 300:u8)", "does not fit u8", 16},
      {"max(acc0, 0.0)", "max(acc0, 1.5:i32)", "a number with a point needs a float type", 16},
      {"\"conv\" {\n    spatial", "\"conv {\n    spatial", "text without closing quote", 11},
      {"combine sum", "conbine sum", "unknown statement", 15},
      {"  }\n}\n", "  }\n", "the text ends inside the subgraph", 18},
      {"  }\n}\n", "  }\n}\nmore\n", "text after the end of the subgraph", 19},
  };
  for (const Case& c : cases) {
    std::string text = kConv;
    const size_t at = text.find(c.from);
    ASSERT_NE(at, std::string::npos) << c.from;
    text.replace(at, std::string(c.from).size(), c.to);
    try {
      parse_subgraph(text);
      ADD_FAILURE() << c.to << " was accepted";
    } catch (const Error& e) {
      EXPECT_EQ(e.code(), ErrorCode::kBadModel);
      EXPECT_NE(e.message().find(c.message), std::string::npos) << e.what();
      EXPECT_EQ(e.where().substr(0, e.where().find(',')), "line " + std::to_string(c.line)) << e.what();
    }
  }
}

TEST(Text, GarbageIsRefusedInOrder) {
  Rng rng(9);
  const std::string alphabet = "abXW01 []{}()\",.:;+-*/%<>=!&|\n\\\x01\xff";
  int accepted = 0;
  for (int n = 0; n < 20000; ++n) {
    std::string text = n % 2 ? kConv : kMixed;
    const auto edits = rng.between(1, 4);
    for (int e = 0; e < edits; ++e) {
      const size_t at = rng.below(text.size());
      switch (rng.below(4)) {
        case 0: text.erase(at, rng.below(20)); break;
        case 1: text.insert(at, 1, alphabet[rng.below(alphabet.size())]); break;
        case 2: text[at] = alphabet[rng.below(alphabet.size())]; break;
        default: text.insert(at, text.substr(rng.below(text.size()), rng.below(30))); break;
      }
    }
    try {
      const Subgraph g = parse_subgraph(text);
      ++accepted;
      ASSERT_EQ(print(parse_subgraph(print(g))), print(g)) << text;
    } catch (const InternalError& e) {
      FAIL() << e.what() << "\n" << text;
    } catch (const Error& e) {
      ASSERT_EQ(e.code(), ErrorCode::kBadModel);
    }
  }
  EXPECT_GT(accepted, 100);
}

TEST(Text, DeepNestingIsRefused) {
  std::string deep(1000000, '(');
  std::string text = kConv;
  text.replace(text.find("max(acc0"), 3, deep);
  EXPECT_THROW(parse_subgraph(text), Error);
}

}  // namespace
}  // namespace tlm::ir
