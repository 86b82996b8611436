#include "workloads.h"

namespace tlm::space::test {
namespace {

std::string n(int64_t v) { return std::to_string(v); }

std::string shape(std::initializer_list<int64_t> extents) {
  std::string out = "[";
  for (int64_t e : extents) out += (out.size() > 1 ? "," : "") + n(e);
  return out + "]";
}

ir::Subgraph parse(const std::string& text) {
  ir::Subgraph g = ir::parse_subgraph(text);
  ir::verify(g);
  return g;
}

// " strides […]" of a channels-last image [1, c, h, w].
std::string channels_last(int64_t c, int64_t h, int64_t w) { return " strides " + shape({c * h * w, 1, w * c, c}); }

}  // namespace

ir::Subgraph convolution(int64_t h, int64_t ci, int64_t co, int64_t k, int64_t s) {
  const int64_t pad = (k - 1) / 2, oh = (h + 2 * pad - k) / s + 1, ph = (oh - 1) * s + k;
  std::string text = "subgraph \"conv\" {\n";
  text += "  input X: f32" + shape({1, ci, h, h}) + channels_last(ci, h, h) + "\n";
  text += "  constant W: f32" + shape({co, ci, k, k}) + "\n";
  text += "  constant B: f32" + shape({co}) + "\n";
  text += "  internal P: f32" + shape({1, ci, ph, ph}) + channels_last(ci, ph, ph) + "\n";
  text += "  internal C: f32" + shape({1, co, oh, oh}) + channels_last(co, oh, oh) + "\n";
  text += "  output Y: f32" + shape({1, co, oh, oh}) + channels_last(co, oh, oh) + "\n";
  const std::string image = pad == 0 && s == 1 ? "X" : "P";
  if (image == "P") {
    text += "  stage \"pad\" {\n    spatial n:1, c:" + n(ci) + ", h:" + n(ph) + ", w:" + n(ph) + "\n    body select(" + n(pad) +
            " <= h && h < " + n(h + pad) + " && " + n(pad) + " <= w && w < " + n(h + pad) + ", X[n, c, h - " + n(pad) + ", w - " +
            n(pad) + "], 0.0)\n    store P[n, c, h, w] = acc0\n  }\n";
  }
  text += "  stage \"conv\" {\n    spatial n:1, co:" + n(co) + ", oh:" + n(oh) + ", ow:" + n(oh) + "\n    reduce ci:" + n(ci) +
          ", kh:" + n(k) + ", kw:" + n(k) + "\n    body " + image + "[n, ci, oh*" + n(s) + " + kh, ow*" + n(s) +
          " + kw]*W[co, ci, kh, kw]\n    combine sum\n    store C[n, co, oh, ow] = acc0 + B[co]\n  }\n";
  text += "  stage \"relu\" {\n    spatial n:1, co:" + n(co) + ", oh:" + n(oh) + ", ow:" + n(oh) +
          "\n    body max(C[n, co, oh, ow], 0.0)\n    store Y[n, co, oh, ow] = acc0\n  }\n}\n";
  if (image == "X") {  // the padded image is not there
    const size_t at = text.find("  internal P");
    text.erase(at, text.find('\n', at) + 1 - at);
  }
  return parse(text);
}

ir::Subgraph convolution_channels_first(int64_t h, int64_t ci, int64_t co, int64_t k) {
  const int64_t oh = h - k + 1;
  return parse(
      "subgraph \"conv\" {\n  input X: f32" + shape({1, ci, h, h}) + "\n  constant W: f32" + shape({co, ci, k, k}) +
      "\n  output Y: f32" + shape({1, co, oh, oh}) + "\n  stage \"conv\" {\n    spatial n:1, co:" + n(co) + ", oh:" + n(oh) +
      ", ow:" + n(oh) + "\n    reduce ci:" + n(ci) + ", kh:" + n(k) + ", kw:" + n(k) +
      "\n    body X[n, ci, oh + kh, ow + kw]*W[co, ci, kh, kw]\n    combine sum\n    store Y[n, co, oh, ow] = acc0\n  }\n}\n");
}

ir::Subgraph matmul(int64_t m, int64_t nn, int64_t k) {
  return parse("subgraph \"matmul\" {\n  input A: f32" + shape({m, k}) + "\n  constant W: f32" + shape({k, nn}) +
               "\n  output Y: f32" + shape({m, nn}) + "\n  stage \"matmul\" {\n    spatial m:" + n(m) + ", n:" + n(nn) +
               "\n    reduce k:" + n(k) + "\n    body A[m, k]*W[k, n]\n    combine sum\n    store Y[m, n] = acc0\n  }\n}\n");
}

ir::Subgraph attention_scores(int64_t heads, int64_t s, int64_t d) {
  return parse("subgraph \"scores\" {\n  input Q: f32" + shape({heads, s, d}) + "\n  input K: f32" + shape({heads, s, d}) +
               "\n  output Y: f32" + shape({heads, s, s}) + "\n  stage \"scores\" {\n    spatial h:" + n(heads) + ", i:" + n(s) +
               ", j:" + n(s) + "\n    reduce d:" + n(d) +
               "\n    body Q[h, i, d]*K[h, j, d]\n    combine sum\n    store Y[h, i, j] = acc0\n  }\n}\n");
}

ir::Subgraph softmax(int64_t rows, int64_t columns) {
  const std::string domain = "    spatial r:" + n(rows) + "\n    reduce c:" + n(columns) + "\n";
  return parse("subgraph \"softmax\" {\n  input X: f32" + shape({rows, columns}) + "\n  internal M: f32" + shape({rows}) +
               "\n  internal S: f32" + shape({rows}) + "\n  output Y: f32" + shape({rows, columns}) + "\n  stage \"max\" {\n" +
               domain + "    body X[r, c]\n    combine max\n    store M[r] = acc0\n  }\n  stage \"sum\" {\n" + domain +
               "    body exp(X[r, c] - M[r])\n    combine sum\n    store S[r] = acc0\n  }\n  stage \"divide\" {\n    spatial r:" +
               n(rows) + ", c:" + n(columns) + "\n    body exp(X[r, c] - M[r])/S[r]\n    store Y[r, c] = acc0\n  }\n}\n");
}

ir::Subgraph max_pool(int64_t h, int64_t c) {
  const int64_t oh = (h - 3) / 2 + 1;
  return parse("subgraph \"pool\" {\n  input X: f32" + shape({1, c, h, h}) + channels_last(c, h, h) + "\n  output Y: f32" +
               shape({1, c, oh, oh}) + channels_last(c, oh, oh) + "\n  stage \"pool\" {\n    spatial n:1, c:" + n(c) + ", oh:" +
               n(oh) + ", ow:" + n(oh) + "\n    reduce kh:3, kw:3\n    body X[n, c, oh*2 + kh, ow*2 + kw]\n    combine max\n" +
               "    store Y[n, c, oh, ow] = acc0\n  }\n}\n");
}

ir::Subgraph depthwise(int64_t h, int64_t c) {
  const int64_t oh = h - 2;
  return parse("subgraph \"depthwise\" {\n  input X: f32" + shape({1, c, h, h}) + channels_last(c, h, h) + "\n  constant W: f32" +
               shape({c, 1, 3, 3}) + "\n  output Y: f32" + shape({1, c, oh, oh}) + channels_last(c, oh, oh) +
               "\n  stage \"depthwise\" {\n    spatial n:1, c:" + n(c) + ", oh:" + n(oh) + ", ow:" + n(oh) +
               "\n    reduce kh:3, kw:3\n    body X[n, c, oh + kh, ow + kw]*W[c, 0, kh, kw]\n    combine sum\n" +
               "    store Y[n, c, oh, ow] = acc0\n  }\n}\n");
}

ir::Subgraph grouped(int64_t h, int64_t groups, int64_t ci, int64_t co) {
  const int64_t oh = h - 2, c = groups * ci;
  return parse("subgraph \"grouped\" {\n  input X: f32" + shape({1, c, h, h}) + channels_last(c, h, h) + "\n  constant W: f32" +
               shape({groups * co, ci, 3, 3}) + "\n  output Y: f32" + shape({1, groups, co, oh, oh}) + " strides " +
               shape({groups * co * oh * oh, co, 1, oh * groups * co, groups * co}) +
               "\n  stage \"grouped\" {\n    spatial n:1, g:" + n(groups) + ", co:" + n(co) + ", oh:" + n(oh) + ", ow:" + n(oh) +
               "\n    reduce ci:" + n(ci) + ", kh:3, kw:3\n    body X[n, g*" + n(ci) + " + ci, oh + kh, ow + kw]*W[g*" + n(co) +
               " + co, ci, kh, kw]\n    combine sum\n    store Y[n, g, co, oh, ow] = acc0\n  }\n}\n");
}

ir::Subgraph elementwise(int64_t rows, int64_t columns) {
  const std::string domain = "    spatial r:" + n(rows) + ", c:" + n(columns) + "\n";
  return parse("subgraph \"elementwise\" {\n  input A: f32" + shape({rows, columns}) + "\n  input B: f32" + shape({columns}) +
               "\n  internal T: f32" + shape({rows, columns}) + "\n  output Y: f32" + shape({rows, columns}) +
               "\n  stage \"add\" {\n" + domain +
               "    body A[r, c] + B[c]\n    store T[r, c] = acc0\n  }\n  stage \"swish\" {\n" + domain +
               "    body T[r, c]/(1.0 + exp(neg(T[r, c])))\n    store Y[r, c] = acc0\n  }\n}\n");
}

ir::Subgraph transpose(int64_t rows, int64_t columns) {
  return parse("subgraph \"transpose\" {\n  input X: f32" + shape({columns, rows}) + "\n  output Y: f32" +
               shape({rows, columns}) + "\n  stage \"transpose\" {\n    spatial r:" + n(rows) + ", c:" + n(columns) +
               "\n    body X[c, r]\n    store Y[r, c] = acc0\n  }\n}\n");
}

ir::Subgraph argmax(int64_t rows, int64_t columns) {
  // Of equal values the first: the pair of value and position is compared.
  return parse("subgraph \"argmax\" {\n  input X: f32" + shape({rows, columns}) + "\n  output Y: i64" + shape({rows}) +
               "\n  stage \"argmax\" {\n    spatial r:" + n(rows) + "\n    reduce c:" + n(columns) +
               "\n    body X[r, c]\n    body c\n    combine tuple\n    identity -inf\n    identity " + n(columns) +
               "\n    update max(acc0, acc2)\n    update select(acc2 < acc0 || (acc2 == acc0 && acc1 <= acc3), acc1, acc3)\n" +
               "    store Y[r] = acc1\n  }\n}\n");
}

ir::Subgraph cumsum(int64_t rows, int64_t columns) {
  return parse("subgraph \"cumsum\" {\n  input X: f32" + shape({columns, rows}) + "\n  output Y: f32" + shape({columns, rows}) +
               "\n  stage \"cumsum\" {\n    spatial r:" + n(rows) + "\n    scan c:" + n(columns) +
               "\n    body X[c, r]\n    combine sum\n    store Y[c, r] = acc0\n  }\n}\n");
}

ir::Subgraph gather(int64_t rows, int64_t table, int64_t width) {
  return parse("subgraph \"gather\" {\n  input I: i64" + shape({rows}) + "\n  constant T: f32" + shape({table, width}) +
               "\n  output Y: f32" + shape({rows, width}) + "\n  stage \"gather\" {\n    spatial r:" + n(rows) + ", w:" +
               n(width) + "\n    body T[min(max(I[r], 0), " + n(table - 1) + "), w]\n    store Y[r, w] = acc0\n  }\n}\n");
}

ir::Subgraph ordered_fold(int64_t rows, int64_t columns) {
  return parse(
      "subgraph \"fold\" {\n  input X: f32" + shape({rows, columns, columns}) + "\n  output Y: f32" + shape({rows}) +
      "\n  stage \"fold\" {\n    spatial r:" + n(rows) + "\n    reduce a:" + n(columns) + ", b:" + n(columns) +
      "\n    body X[r, a, b]\n    combine tuple not_associative not_commutative\n    identity 0.0\n    update acc0*0.5 + acc1\n" +
      "    store Y[r] = acc0\n  }\n}\n");
}

ir::Subgraph concat(int64_t rows) {
  return parse("subgraph \"concat\" {\n  input A: f32" + shape({rows, 8}) + "\n  input B: f32" + shape({rows, 5}) +
               "\n  output Y: f32" + shape({rows, 13}) + "\n  stage \"first\" {\n    spatial r:" + n(rows) +
               ", c:8\n    body A[r, c]\n    store Y[r, c] = acc0\n" + "  }\n  stage \"second\" {\n    spatial r:" + n(rows) +
               ", c:5\n    body B[r, c]\n    store Y[r, c + 8] = acc0\n  }\n}\n");
}

ir::Subgraph diamond(int64_t e) {
  const std::string at = "[i, j]", domain = "    spatial i:" + n(e) + ", j:" + n(e) + "\n";
  auto stage = [&](const std::string& name, const std::string& body, const std::string& to, bool reduces) {
    return "  stage \"" + name + "\" {\n" + domain + (reduces ? "    reduce k:" + n(e) + "\n" : "") + "    body " + body + "\n" +
           (reduces ? "    combine sum\n" : "") + "    store " + to + at + " = acc0\n  }\n";
  };
  std::string text = "subgraph \"diamond\" {\n";
  for (std::string t :
       {"input X", "internal P", "internal U", "internal V", "internal Q", "internal R", "output Y", "output Z"}) {
    text += "  " + t + ": f32" + shape({e, e}) + "\n";
  }
  text += stage("p", "X[i, k]*X[k, j]", "P", true);
  text += stage("u", "max(P[i, j], 0.0)", "U", false);
  text += stage("v", "P[i, j] + X[i, j]", "V", false);
  text += stage("q", "U[i, k]*X[k, j]", "Q", true);
  text += stage("r", "Q[i, j] + V[i, j]", "R", false);
  text += stage("y", "R[i, j]*P[i, j]", "Y", false);
  text += stage("z", "V[i, j] - R[i, j]", "Z", false);
  return parse(text + "}\n");
}

std::vector<Workload> all_workloads() {
  return {
      {"convolution", convolution(56, 64, 64, 3, 1)},
      {"convolution_strided", convolution(28, 128, 256, 1, 2)},
      {"pointwise", convolution(28, 512, 128, 1, 1)},
      {"first_layer", convolution(224, 3, 64, 7, 2)},
      {"channels_first", convolution_channels_first(30, 32, 48, 3)},
      {"matmul", matmul(197, 768, 768)},
      {"matrix_vector", matmul(1, 1000, 2048)},
      {"attention_scores", attention_scores(12, 64, 64)},
      {"softmax", softmax(96, 197)},
      {"max_pool", max_pool(112, 64)},
      {"depthwise", depthwise(30, 96)},
      {"grouped", grouped(16, 4, 8, 24)},
      {"elementwise", elementwise(64, 3072)},
      {"transpose", transpose(128, 96)},
      {"argmax", argmax(7, 1000)},
      {"cumsum", cumsum(33, 50)},
      {"gather", gather(64, 1000, 768)},
      {"ordered_fold", ordered_fold(6, 5)},
      {"concat", concat(40)},
      {"diamond", diamond(12)},
  };
}

}  // namespace tlm::space::test
