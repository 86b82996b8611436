// Winograd's algorithm in place of a stage: compiled programs against the interpreter's run of the original subgraph, over
// extents that do and do not divide; where it is offered, and how schedules name it.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "tests/support/run_kernel.h"
#include "tlm/codegen/lower/lower.h"
#include "tlm/ir/tensor/interpret.h"
#include "tlm/space/language/sentence.h"
#include "tlm/space/rules/algorithm.h"
#include "tlm/space/space.h"

namespace tlm::test {
namespace {

struct Case {
  int64_t batch, h, w;  // of the output
  int64_t top, left;    // zeros before the image
  int64_t bottom, right;
  int64_t ci, co;
  bool residual = false;
  const char* type = "f32";
};

std::string dims(std::initializer_list<int64_t> extents) {
  std::string text;
  for (int64_t e : extents) text += (text.empty() ? "[" : ",") + std::to_string(e);
  return text + "]";
}

std::string channels_last(int64_t c, int64_t h, int64_t w) { return " strides " + dims({h * w * c, 1, w * c, c}); }

// pad, sum over the window and bias, then either a rectifier or an addition and a rectifier.
ir::Subgraph window_sum(const Case& c) {
  const auto n = [](int64_t v) { return std::to_string(v); };
  const int64_t ph = c.h + 2, pw = c.w + 2, h = ph - c.top - c.bottom, w = pw - c.left - c.right;
  const bool padded = c.top + c.left + c.bottom + c.right > 0;
  const std::string type = c.type, point = "[n, co, oh, ow]";
  const std::string output = type + dims({c.batch, c.co, c.h, c.w}) + channels_last(c.co, c.h, c.w) + "\n";
  const std::string domain = "    spatial n:" + n(c.batch) + ", co:" + n(c.co) + ", oh:" + n(c.h) + ", ow:" + n(c.w) + "\n";
  std::string text = "subgraph \"window\" {\n  input X: " + type + dims({c.batch, c.ci, h, w}) + channels_last(c.ci, h, w) + "\n";
  text += "  constant W: " + type + dims({c.co, c.ci, 3, 3}) + "\n  constant B: " + type + dims({c.co}) + "\n";
  if (c.residual) text += "  input R: " + output;
  if (padded) text += "  internal P: " + type + dims({c.batch, c.ci, ph, pw}) + channels_last(c.ci, ph, pw) + "\n";
  text += "  internal C: " + output + (c.residual ? "  internal S: " + output : "") + "  output Y: " + output;
  const std::string zero = type == "f32" ? "0.0" : "B[0]";  // integers: anything of the type
  if (padded) {
    text += "  stage \"pad\" {\n    spatial n:" + n(c.batch) + ", c:" + n(c.ci) + ", h:" + n(ph) + ", w:" + n(pw) +
            "\n    body select(" + n(c.top) + " <= h && h < " + n(h + c.top) + " && " + n(c.left) + " <= w && w < " +
            n(w + c.left) + ", X[n, c, h - " + n(c.top) + ", w - " + n(c.left) + "], " + zero +
            ")\n    store P[n, c, h, w] = acc0\n  }\n";
  }
  text += "  stage \"sum\" {\n" + domain + "    reduce ci:" + n(c.ci) + ", kh:3, kw:3\n    body " + (padded ? "P" : "X") +
          "[n, ci, oh + kh, ow + kw]*W[co, ci, kh, kw]\n    combine sum\n    store C" + point + " = acc0 + B[co]\n  }\n";
  if (c.residual)
    text += "  stage \"add\" {\n" + domain + "    body C" + point + " + R" + point + "\n    store S" + point + " = acc0\n  }\n";
  text += "  stage \"rectify\" {\n" + domain + "    body max(" + (c.residual ? "S" : "C") + point + ", " + zero +
          ")\n    store Y" + point + " = acc0\n  }\n}\n";
  const ir::Subgraph g = ir::parse_subgraph(text);
  ir::verify(g);
  return g;
}

Target cpu() {
  Target t = named_target("x86-64-v3");
  if (!missing_features(t.features).empty()) t = named_target("x86-64");
  t.cores = 2;
  return t;
}

// The candidates for the sum's stage by text, those of other rules left out; empty: nothing but the stage as it is.
std::vector<std::string> algorithms(const ir::Subgraph& g, const Target& t) {
  const space::Walk w = space::Space::build(g, t)->walk();
  std::vector<std::string> out;
  if (w.done() || w.decision().kind != space::DecisionKind::kAlgorithm) return out;
  for (const space::Choice& c : w.decision().candidates) {
    const std::string text = choice_text(w.decision(), c, {});
    if (text == "direct" || text.starts_with("winograd")) out.push_back(text);
  }
  return out.size() > 1 ? out : std::vector<std::string>();
}

TEST(Winograd, ComputesWhatTheSumDoes) {
  const std::vector<Case> cases = {
      {1, 8, 8, 1, 1, 1, 1, 16, 16},  // whole tiles
      {1, 7, 9, 1, 1, 1, 1, 20, 24},  // remainders; channels that are no multiple of a vector
      {1, 14, 5, 1, 1, 1, 1, 17, 16, true}, {2, 6, 6, 1, 1, 1, 1, 16, 33, true},  // two images
      {1, 3, 3, 1, 1, 1, 1, 16, 16},                                              // smaller than a tile
      {1, 9, 10, 0, 0, 0, 0, 16, 16},                                             // no padding
      {1, 11, 6, 2, 0, 0, 1, 16, 18},                                             // uneven padding
      {2, 1, 13, 1, 1, 1, 1, 16, 16},                                             // one row: not a window in two directions
      {1, 6, 6, 1, 1, 1, 1, 2000, 16},                                            // a long sum
  };
  Rng rng(3);
  const Target t = cpu();
  struct Program {
    size_t of;
    int64_t m;
    std::shared_ptr<const ir::Subgraph> lowered;
    space::Schedule schedule;
  };
  std::vector<ir::Subgraph> graphs;
  for (const Case& c : cases) graphs.push_back(window_sum(c));
  std::vector<Program> programs;
  std::vector<ir::Kernel> kernels;
  for (size_t i = 0; i < graphs.size(); ++i) {
    const auto space = space::Space::build(graphs[i], t);
    if (cases[i].h == 1) {
      EXPECT_TRUE(algorithms(graphs[i], t).empty());
      continue;
    }
    ASSERT_EQ(algorithms(graphs[i], t), (std::vector<std::string>{"direct", "winograd:2", "winograd:4"}));
    for (int choice : {1, 2}) {
      for (int draw = 0; draw < 3; ++draw) {
        space::Walk w = space->walk();
        w.choose(choice);
        while (draw > 0 && !w.done()) w.choose(static_cast<int>(rng.below(w.decision().candidates.size())));
        w.complete();
        ir::verify(w.subgraph());
        const Result<space::Walk> again = space->replay(space::parse_schedule(print(w.schedule())));
        ASSERT_TRUE(again.ok()) << again.reason();
        EXPECT_EQ(again->chosen(), w.chosen());
        const Result<space::Walk> read = space::read_decisions(space, space::decision_tokens(w));
        ASSERT_TRUE(read.ok()) << read.reason();
        EXPECT_EQ(read->chosen(), w.chosen());
        kernels.push_back(codegen::lower(w.subgraph(), w.plan(), t));
        for (const ir::KernelParam& p : kernels.back().params)
          EXPECT_NE(w.subgraph().tensors[static_cast<size_t>(p.tensor)].name, "W");
        programs.push_back({i, choice == 1 ? 2 : 4, w.shared_subgraph(), w.schedule()});
      }
    }
  }
  const CompiledKernels compiled(std::move(kernels), t);
  double worst[2] = {0, 0};
  for (size_t i = 0; i < programs.size(); ++i) {
    const Program& p = programs[i];
    const ir::Subgraph& g = graphs[p.of];
    std::vector<Tensor> wanted = random_bound(g, rng, false), got = wanted;
    got.resize(p.lowered->tensors.size());
    ASSERT_EQ(compiled.run(i, *p.lowered, got, rng), "") << print(p.schedule);
    ir::interpret(g, wanted, true);
    const size_t y = g.tensors.size() - 1;
    double largest = 0, error = 0;
    for (int64_t k = 0; k < wanted[y].size(); ++k) {
      largest = std::max(largest, std::fabs(wanted[y].at_f64(k)));
      error = std::max(error, std::fabs(wanted[y].at_f64(k) - got[y].at_f64(k)));
    }
    const double relative = error / largest;
    // The estimate is of the typical error; the largest of some hundred outputs is a few times that.
    const double estimate = space::winograd_error(p.m, static_cast<double>(cases[p.of].ci));
    ASSERT_LT(relative, 4 * estimate) << "case " << p.of << ": " << print(p.schedule);
    double& w = worst[p.m == 4];
    w = std::max(w, relative);
  }
  std::printf("%zu programs, largest error %.2g (m = 2), %.2g (m = 4)\n", programs.size(), worst[0], worst[1]);
}

TEST(Winograd, IsOfferedWhereItIsSound) {
  const Case fit = {1, 8, 8, 1, 1, 1, 1, 16, 16};
  EXPECT_EQ(algorithms(window_sum(fit), cpu()).size(), 3u);
  Target strict = cpu();
  strict.numerics = Numerics::kStrict;
  EXPECT_TRUE(algorithms(window_sum(fit), strict).empty());
  Case other = fit;
  other.ci = 8;
  EXPECT_TRUE(algorithms(window_sum(other), cpu()).empty()) << "few channels";
  other = {1, 8, 8, 0, 0, 0, 0, 16, 16};
  EXPECT_EQ(algorithms(window_sum(other), cpu()).size(), 3u);
  other.type = "i32";
  EXPECT_TRUE(algorithms(window_sum(other), cpu()).empty()) << "integers stay exact";
  other = fit;
  other.ci = 4096;
  EXPECT_EQ(algorithms(window_sum(other), cpu()), (std::vector<std::string>{"direct", "winograd:2"})) << "error of long sums";
}

// out[co, oh, ow] = sum of X[ci, s·oh + d·kh, s·ow + d·kw]·W[co, ci, kh, kw], a window of k × k.
ir::Subgraph plain_window(int s, int d, int k) {
  const auto n = [](int v) { return std::to_string(v); };
  const std::string size = n(7 * s + d * (k - 1) + 1);
  const auto index = [&](const char* out, const char* tap) {
    return n(s) + "*" + out + " + " + n(d) + "*" + tap;
  };
  return ir::parse_subgraph("subgraph \"w\" {\n  input X: f32[32," + size + "," + size + "]\n  constant W: f32[32,32," + n(k) + "," + n(k) +
                            "]\n  output Y: f32[32,8,8]\n  stage \"sum\" {\n    spatial co:32, oh:8, ow:8\n    reduce ci:32, kh:" + n(k) +
                            ", kw:" + n(k) + "\n    body X[ci, " + index("oh", "kh") + ", " + index("ow", "kw") + "]*W[co, ci, kh, kw]\n    combine sum\n    store Y[co, oh, ow] = acc0\n  }\n}\n");
}

TEST(Winograd, WindowsOfAnotherKindAreLeftAlone) {
  EXPECT_EQ(algorithms(plain_window(1, 1, 3), cpu()).size(), 3u);
  EXPECT_TRUE(algorithms(plain_window(2, 1, 3), cpu()).empty()) << "a step of two";
  EXPECT_TRUE(algorithms(plain_window(1, 2, 3), cpu()).empty()) << "dilated";
  EXPECT_TRUE(algorithms(plain_window(1, 1, 5), cpu()).empty()) << "five by five";
  EXPECT_TRUE(algorithms(plain_window(1, 1, 2), cpu()).empty()) << "two by two";
}

TEST(Winograd, TheConstructiveSchedulerTakesItWhereItPays) {
  const auto chosen = [](const Case& c) {
    const space::Schedule schedule = space::Space::build(window_sum(c), cpu())->constructive().schedule();
    const std::string* algorithm = schedule.find("algorithm.s1");
    return algorithm ? *algorithm : "direct";
  };
  EXPECT_EQ(chosen({1, 56, 56, 1, 1, 1, 1, 64, 64}).substr(0, 8), "winograd");
  EXPECT_EQ(chosen({1, 4, 4, 1, 1, 1, 1, 16, 16}), "direct");
}

TEST(Winograd, SchedulesThatDoNotNameItKeepTheirProgram) {
  const ir::Subgraph g = window_sum({1, 8, 8, 1, 1, 1, 1, 16, 16});
  const auto space = space::Space::build(g, cpu());
  const Result<space::Walk> plain = space->replay(space::Schedule());
  ASSERT_TRUE(plain.ok()) << plain.reason();
  EXPECT_EQ(plain->shared_subgraph(), space->shared_subgraph());
  EXPECT_EQ(*plain->schedule().find("algorithm.s1"), "direct");
}

}  // namespace
}  // namespace tlm::test
