#include "tests/codegen_lower/workloads.h"

namespace tlm::test {
namespace {

std::string n(int64_t v) { return std::to_string(v); }

ir::Subgraph parse(const std::string& text) {
  ir::Subgraph g = ir::parse_subgraph(text);
  ir::verify(g);
  return g;
}

std::string image(int64_t c, int64_t h, int64_t w) {  // channels last
  return "f32[" + n(c) + "," + n(h) + "," + n(w) + "] strides [1," + n(w * c) + "," + n(c) + "]";
}

}  // namespace

ir::Subgraph matmul(int64_t m, int64_t nn, int64_t k, const std::string& b_role) {
  return parse("subgraph \"matmul\" {\n  input A: f32[" + n(m) + "," + n(k) + "]\n  " + b_role + " B: f32[" + n(k) + "," + n(nn) +
               "]\n  output Y: f32[" + n(m) + "," + n(nn) + "]\n  stage \"matmul\" {\n    spatial m:" + n(m) + ", n:" + n(nn) +
               "\n    reduce k:" + n(k) + "\n    body A[m, k]*B[k, n]\n    combine sum\n    store Y[m, n] = acc0\n  }\n}\n");
}

ir::Subgraph convolution(int64_t h, int64_t ci, int64_t co, int64_t k, int64_t stride, int64_t pad) {
  const int64_t p = h + 2 * pad, o = (p - k) / stride + 1;
  const std::string s = n(stride), points = "    spatial co:" + n(co) + ", oh:" + n(o) + ", ow:" + n(o) + "\n";
  return parse("subgraph \"conv\" {\n  input X: " + image(ci, h, h) + "\n  constant W: f32[" + n(co) + "," + n(ci) + "," + n(k) +
               "," + n(k) + "]\n  constant B: f32[" + n(co) + "]\n  internal P: " + image(ci, p, p) +
               "\n  internal C: " + image(co, o, o) + "\n  output Y: " + image(co, o, o) + "\n" +
               "  stage \"pad\" {\n    spatial c:" + n(ci) + ", h:" + n(p) + ", w:" + n(p) + "\n    body select(" + n(pad) +
               " <= h && h < " + n(h + pad) + " && " + n(pad) + " <= w && w < " + n(h + pad) + ", X[c, h - " + n(pad) + ", w - " +
               n(pad) + "], 0.0)\n    store P[c, h, w] = acc0\n  }\n" + "  stage \"conv\" {\n" + points +
               "    reduce ci:" + n(ci) + ", kh:" + n(k) + ", kw:" + n(k) + "\n    body P[ci, oh*" + s + " + kh, ow*" + s +
               " + kw]*W[co, ci, kh, kw]\n    combine sum\n    store C[co, oh, ow] = acc0\n  }\n" + "  stage \"relu\" {\n" +
               points + "    body max(C[co, oh, ow] + B[co], 0.0)\n    store Y[co, oh, ow] = acc0\n  }\n}\n");
}

ir::Subgraph softmax(int64_t rows, int64_t columns) {
  const std::string domain = "    spatial r:" + n(rows) + "\n    reduce c:" + n(columns) + "\n",
                    matrix = "f32[" + n(rows) + "," + n(columns) + "]\n", column = "f32[" + n(rows) + "]\n";
  return parse("subgraph \"softmax\" {\n  input X: " + matrix + "  internal M: " + column + "  internal S: " + column +
               "  output Y: " + matrix + "  stage \"max\" {\n" + domain +
               "    body X[r, c]\n    combine max\n    store M[r] = acc0\n  }\n  stage \"sum\" {\n" + domain +
               "    body exp(X[r, c] - M[r])\n    combine sum\n    store S[r] = acc0\n  }\n  stage \"divide\" {\n    spatial r:" +
               n(rows) + ", c:" + n(columns) + "\n    body exp(X[r, c] - M[r])/S[r]\n    store Y[r, c] = acc0\n  }\n}\n");
}

ir::Subgraph transposition(int64_t rows, int64_t columns, const std::string& type) {
  return parse("subgraph \"turn\" {\n  input X: " + type + "[" + n(columns) + "," + n(rows) + "]\n  output Y: " + type + "[" +
               n(rows) + "," + n(columns) + "]\n  stage \"turn\" {\n    spatial r:" + n(rows) + ", c:" + n(columns) +
               "\n    body X[c, r]\n    store Y[r, c] = acc0\n  }\n}\n");
}

ir::Subgraph argmax(int64_t rows, int64_t columns) {
  return parse("subgraph \"argmax\" {\n  input X: f32[" + n(rows) + "," + n(columns) + "]\n  output Y: i64[" + n(rows) +
               "]\n  stage \"argmax\" {\n    spatial r:" + n(rows) + "\n    reduce c:" + n(columns) +
               "\n    body X[r, c]\n    body c\n    combine tuple\n    identity -inf\n    identity " + n(columns) +
               "\n    update max(acc0, acc2)\n    update select(acc2 < acc0 || (acc2 == acc0 && acc1 <= acc3), acc1, acc3)\n    "
               "store Y[r] = acc1\n  }\n}\n");
}

ir::Subgraph cumsum(int64_t rows, int64_t columns, bool exclusive) {
  return parse("subgraph \"cumsum\" {\n  input X: f32[" + n(rows) + "," + n(columns) + "]\n  output Y: f32[" + n(rows) + "," +
               n(columns) + "]\n  stage \"cumsum\" {\n    spatial r:" + n(rows) + "\n    scan c:" + n(columns) +
               "\n    body X[r, c]\n    combine sum" + (exclusive ? "\n    exclusive" : "") +
               "\n    store Y[r, c] = acc0\n  }\n}\n");
}

}  // namespace tlm::test
