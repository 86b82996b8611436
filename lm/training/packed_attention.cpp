#include "tlm/lm/training/packed_attention.h"

#include <algorithm>
#include <cmath>

namespace tlm::lm {
namespace {

constexpr int64_t kTileRows = 48;  // queries of one product
constexpr int64_t kPad = 16;       // columns of scores come in multiples

int64_t padded(int64_t n) { return (n + kPad - 1) / kPad * kPad; }

// The keys and values of one head of a segment.
struct HeadKeys {
  int64_t count = 0;
  float *keys, *values;                             // [count, D]
  float *keys_across, *values_across;               // [D, padded count]: transposed
  float *dkeys, *dvalues;                           // [count, D]
  int64_t stride() const { return padded(count); }  // of the transposed
};

}  // namespace

AttentionScratch::AttentionScratch(const Config& config) {
  const int64_t keys = padded(config.context) * config.head_width(), scores = kTileRows * (padded(config.context) + 2 * kPad);
  const size_t floats = static_cast<size_t>(2 * 6 * keys + 2 * scores);
  memory_.reserve(floats);
  std::fill_n(memory_.data(), floats, 0.0f);
}

class HeadPass {
 public:
  HeadPass(const Config& config, int64_t head, const AttentionRows& rows, AttentionScratch& scratch)
      : C(config.width),
        D(config.head_width()),
        rows_(rows),
        query_(rows.qkv + head * D),
        mixed_(rows.mixed + head * D),
        softmax_(rows.softmax + head * rows.rows * 2),
        scale_(1 / std::sqrt(static_cast<float>(D))) {
    float* next = scratch.memory_.data();
    for (HeadKeys* k : {&prefix_, &own_})
      for (float** p : {&k->keys, &k->values, &k->keys_across, &k->values_across, &k->dkeys, &k->dvalues})
        *p = next, next += padded(config.context) * D;
    scores_ = next;
    dscores_ = next + kTileRows * (padded(config.context) + 2 * kPad);
  }

  void forward(const SegmentGroup& group) {
    gather(own_, group.root, false);
    segment(group.root);
    std::swap(prefix_, own_);
    for (const SegmentRows& branch : group.branches) {
      gather(own_, branch, false);
      segment(branch);
    }
  }

  void backward(const SegmentGroup& group, const float* dmixed, float* dqkv) {
    gather(own_, group.root, true);
    segment_backward(group.root, dmixed, dqkv);
    std::swap(prefix_, own_);
    for (const SegmentRows& branch : group.branches) {
      gather(own_, branch, true);
      segment_backward(branch, dmixed, dqkv);
      scatter(own_, branch, dqkv);
    }
    scatter(prefix_, group.root, dqkv);
  }

 private:
  // One tile of queries: rows [first, first + rows) of the chunk, which look at the prefix and at `own` keys, the query r at the
  // first own_before + r + 1 of them.
  struct Tile {
    int64_t first, rows, own_before, own;
    int64_t own_at, stride;  // of the scores: columns before the own keys, and in all
  };

  // Calls body(tile) for the tiles of a segment, of about equal size.
  template <typename Body>
  void for_tiles(const SegmentRows& s, const Body& body) {
    const int64_t count = s.end - s.begin, tiles = (count + kTileRows - 1) / kTileRows;
    const int64_t step = std::min(kTileRows, ((count + tiles - 1) / tiles + 5) / 6 * 6);  // whole register tiles
    for (int64_t t = 0; t < count; t += step) {
      const int64_t rows = std::min(step, count - t);
      body(Tile{s.begin + t, rows, t, t + rows, prefix_.stride(), prefix_.stride() + padded(t + rows)});
    }
  }

  void gather(HeadKeys& to, const SegmentRows& s, bool gradients) {
    to.count = s.end - s.begin;
    const float* key = query_ + s.begin * 3 * C + C;
    for (int64_t r = 0; r < to.count; ++r) {
      std::copy_n(key + r * 3 * C, D, to.keys + r * D);
      std::copy_n(key + r * 3 * C + C, D, to.values + r * D);
    }
    const int64_t stride = to.stride();
    for (const auto& [across, plain] : {std::pair{to.keys_across, to.keys}, std::pair{to.values_across, to.values}}) {
      k_.transpose(across, stride, plain, D, to.count, D);
      for (int64_t d = 0; d < D; ++d) std::fill(across + d * stride + to.count, across + (d + 1) * stride, 0.0f);
    }
    if (!gradients) return;
    std::fill_n(to.dkeys, to.count * D, 0.0f);
    std::fill_n(to.dvalues, to.count * D, 0.0f);
  }

  void scatter(const HeadKeys& from, const SegmentRows& s, float* dqkv) {
    float* dkey = dqkv + (query_ - rows_.qkv) + s.begin * 3 * C + C;
    for (int64_t r = 0; r < from.count; ++r) {
      std::copy_n(from.dkeys + r * D, D, dkey + r * 3 * C);
      std::copy_n(from.dvalues + r * D, D, dkey + r * 3 * C + C);
    }
  }

  // out[rows, keys] = a · (keys or values)ᵀ.
  void across(float* out, const Tile& t, const float* a, int64_t ld_a, float* HeadKeys::*which) {
    if (prefix_.count)
      k_.multiply(out, t.stride, nullptr, 0, a, ld_a, prefix_.*which, prefix_.stride(), t.rows, D, prefix_.stride());
    k_.multiply(out + t.own_at, t.stride, nullptr, 0, a, ld_a, own_.*which, own_.stride(), t.rows, D, t.stride - t.own_at);
  }
  // out[rows, D] = a[rows, keys] · (keys or values).
  void along(float* out, int64_t ld_out, const Tile& t, const float* a, float* HeadKeys::*which) {
    if (prefix_.count) k_.multiply(out, ld_out, nullptr, 0, a, t.stride, prefix_.*which, D, t.rows, prefix_.count, D);
    k_.multiply(out, ld_out, prefix_.count ? out : nullptr, ld_out, a + t.own_at, t.stride, own_.*which, D, t.rows, t.own, D);
  }
  // (dkeys or dvalues)[keys, D] += aᵀ · b[rows, D].
  void add_products(float* HeadKeys::*which, const Tile& t, const float* a, const float* b, int64_t ld_b) {
    if (prefix_.count)
      k_.multiply_transposed(prefix_.*which, D, prefix_.*which, D, a, t.stride, b, ld_b, prefix_.count, t.rows, D);
    k_.multiply_transposed(own_.*which, D, own_.*which, D, a + t.own_at, t.stride, b, ld_b, t.own, t.rows, D);
  }

  void scores(const Tile& t) {
    across(scores_, t, query_ + t.first * 3 * C, 3 * C, &HeadKeys::keys_across);
    for (int64_t r = 0; r < t.rows; ++r) {  // what the query must not see
      float* row = scores_ + r * t.stride;
      std::fill(row + prefix_.count, row + t.own_at, -INFINITY);
      std::fill(row + t.own_at + t.own_before + r + 1, row + t.stride, -INFINITY);
    }
  }

  void segment(const SegmentRows& s) {
    for_tiles(s, [&](const Tile& t) {
      scores(t);
      float* softmax = softmax_ + t.first * 2;
      for (int64_t r = 0; r < t.rows; ++r)
        k_.softmax(scores_ + r * t.stride, softmax + 2 * r, softmax + 2 * r + 1, scale_, t.stride);
      float* out = mixed_ + t.first * C;
      along(out, C, t, scores_, &HeadKeys::values);
      for (int64_t r = 0; r < t.rows; ++r) k_.scale(out + r * C, softmax[2 * r + 1], D);
    });
  }

  void segment_backward(const SegmentRows& s, const float* dmixed, float* dqkv) {
    for_tiles(s, [&](const Tile& t) {
      const float *query = query_ + t.first * 3 * C, *softmax = softmax_ + t.first * 2, *mixed = mixed_ + t.first * C;
      const float* dout = dmixed + (mixed - rows_.mixed);
      scores(t);
      across(dscores_, t, dout, C, &HeadKeys::values_across);
      for (int64_t r = 0; r < t.rows; ++r)
        k_.softmax_backward(scores_ + r * t.stride, dscores_ + r * t.stride, softmax[2 * r], softmax[2 * r + 1],
                            k_.dot(dout + r * C, mixed + r * C, D), scale_, t.stride);
      along(dqkv + (query - rows_.qkv), 3 * C, t, dscores_, &HeadKeys::keys);
      add_products(&HeadKeys::dvalues, t, scores_, dout, C);
      add_products(&HeadKeys::dkeys, t, dscores_, query, 3 * C);
    });
  }

  const kernels::BlockKernels& k_ = kernels::block_kernels();
  const int64_t C, D;
  const AttentionRows& rows_;
  const float* const query_;  // the head's columns in row 0
  float *const mixed_, *const softmax_;
  const float scale_;
  HeadKeys prefix_, own_;
  float *scores_, *dscores_;  // [kTileRows, padded prefix + padded own]
};

void attend_group(const Config& config, const SegmentGroup& group, int64_t head, const AttentionRows& rows,
                  AttentionScratch& scratch) {
  HeadPass(config, head, rows, scratch).forward(group);
}

void attend_group_backward(const Config& config, const SegmentGroup& group, int64_t head, const AttentionRows& rows,
                           const float* dmixed, float* dqkv, AttentionScratch& scratch) {
  HeadPass(config, head, rows, scratch).backward(group, dmixed, dqkv);
}

}  // namespace tlm::lm
