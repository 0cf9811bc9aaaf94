// Causal attention of one packed sample, tile by tile without the score matrix (FlashAttention, arXiv 2307.08691).
#include <cmath>
#include <memory>

#include "ops/cpu/kernels/rows.h"
#include "ops/cpu/kernels/tile_gemm.h"
#include "ops/cpu/kernels/vec.h"

namespace ilt::ops::cpu::ILT_ISA {

namespace {

constexpr std::int64_t tile = attention_tile;

// dst [width, tile] = transpose of src [rows, width]; missing rows become zero columns.
void transpose(std::int64_t rows, std::int64_t width, const float* src, std::int64_t stride, float* dst) {
  for (std::int64_t d = 0; d < width; ++d)
    for (std::int64_t r = 0; r < tile; ++r) dst[d * tile + r] = r < rows ? src[r * stride + d] : 0.0F;
}

std::int64_t smaller(std::int64_t a, std::int64_t b) {
  return a < b ? a : b;
}

// Of a score row, the keys [first, end) of the tile at k_begin that query q may see.
struct Visible {
  std::int64_t first, end;
};

Visible visible(std::int64_t q, std::int64_t window, std::int64_t k_begin, std::int64_t k_count) {
  const std::int64_t first = q - window + 1 - k_begin;
  const std::int64_t end = q - k_begin + 1;
  return {first < 0 ? 0 : first, end < 0 ? 0 : smaller(end, k_count)};
}

void scale_row(std::int64_t n, float by, float* x) {
  for (std::int64_t i = 0; i < n; ++i) x[i] *= by;
}

void clear(std::int64_t n, float* x) {
  for (std::int64_t i = 0; i < n; ++i) x[i] = 0.0F;
}

// Scores that are to be capped become tanh(scale * s / cap), which softcap then multiplies.
void cap_tile(std::int64_t rows, float by, float* scores) {
  for (std::int64_t i = 0; i < rows * tile; i += vec_width) store(scores + i, tanh(load(scores + i) * by));
}

// Hides the scores before the window: exp of them is 0.
void hide(std::int64_t n, float* s) {
  for (std::int64_t i = 0; i < n; ++i) s[i] = -INFINITY;
}

// Turns `n` scores of a row into exp(scale * s - new maximum), zero behind them; returns their sum.
float softmax_row(std::int64_t n, float scale, float maximum, float* s) {
  Vec total{};
  for (std::int64_t i = 0; i < tile; i += vec_width) {
    const std::int64_t left = n - i;
    if (left <= 0) {
      store(s + i, Vec{});
    } else {
      const Vec x = left >= vec_width ? load(s + i) : load_part(s + i, left, -INFINITY);
      const Vec e = exp(x * scale - maximum);
      total += e;
      store(s + i, e);
    }
  }
  return sum(total);
}

float max_of(std::int64_t n, const float* s) {
  Vec best = splat(-INFINITY);
  for (std::int64_t i = 0; i < n; i += vec_width)
    best = vmax(best, n - i >= vec_width ? load(s + i) : load_part(s + i, n - i, -INFINITY));
  return max(best);
}

}  // namespace

void attention(const AttentionShape& shape, std::int64_t head, std::int64_t q_begin, std::int64_t q_end,
               const float* qkv, float* out, float* lse) {
  const std::int64_t width = shape.head_dim;
  const std::int64_t stride = shape.row_stride();
  const float scale = shape.softcap > 0 ? shape.softcap : shape.scale;
  const float* q = qkv + head * width;
  const float* k = qkv + (shape.heads + head / shape.group()) * width;
  const float* v = k + shape.kv_heads * width;
  const auto out_row = [&](std::int64_t query) { return out + (query - q_begin) * shape.out_stride() + head * width; };
  const std::unique_ptr<float[]> keys(new float[static_cast<std::size_t>(width * tile)]);
  float scores[tile * tile];
  float maximum[tile];
  float total[tile];

  for (std::int64_t q0 = q_begin; q0 < q_end; q0 += tile) {
    const std::int64_t rows = smaller(tile, q_end - q0);
    const std::int64_t seen = q0 - shape.window + 1;
    const std::int64_t k_begin = seen > 0 ? seen / tile * tile : 0;
    for (std::int64_t i = 0; i < rows; ++i) maximum[i] = -INFINITY, total[i] = 0.0F;
    for (std::int64_t k0 = k_begin; k0 < q0 + rows; k0 += tile) {
      const std::int64_t columns = smaller(tile, q0 + rows - k0);
      transpose(columns, width, k + k0 * stride, stride, keys.get());
      tile_gemm(rows, tile, width, {q + q0 * stride, stride, 1}, keys.get(), tile, scores, tile, false);
      if (shape.softcap > 0) cap_tile(rows, shape.scale / shape.softcap, scores);
      for (std::int64_t i = 0; i < rows; ++i) {
        const auto [first, end] = visible(q0 + i, shape.window, k0, columns);
        float* row = scores + i * tile;
        if (first >= end) {
          clear(tile, row);
          continue;
        }
        hide(first, row);
        const float here = max_of(end, row) * scale;
        const float now = here > maximum[i] ? here : maximum[i];
        const float sum_here = softmax_row(end, scale, now, row);
        if (k0 > k_begin && now > maximum[i]) {
          const float shrink = std::exp(maximum[i] - now);
          total[i] *= shrink;
          scale_row(width, shrink, out_row(q0 + i));
        }
        total[i] += sum_here;
        maximum[i] = now;
      }
      tile_gemm(rows, width, columns, {scores, tile, 1}, v + k0 * stride, stride, out_row(q0), shape.out_stride(),
                k0 > k_begin);
    }
    for (std::int64_t i = 0; i < rows; ++i) {
      scale_row(width, 1.0F / total[i], out_row(q0 + i));
      lse[(q0 - q_begin + i) * shape.heads + head] = maximum[i] + std::log(total[i]);
    }
  }
}

namespace {

// Turns a row of scores into probabilities, and dp, the gradients of the probabilities, into those of the scores, times
// `by`.
void softmax_backward_row(Visible keys, float scale, float lse, float shift, float by, float* p, float* dp) {
  if (keys.first >= keys.end) {
    clear(tile, p);
    clear(tile, dp);
    return;
  }
  hide(keys.first, p);
  softmax_row(keys.end, scale, lse, p);
  for (std::int64_t j = 0; j < tile; ++j) dp[j] = p[j] * (dp[j] - shift) * by;
}

}  // namespace

void attention_backward(const AttentionShape& shape, std::int64_t kv_head, std::int64_t length, const float* qkv,
                        const float* out, const float* lse, const float* dout, float* dqkv) {
  const std::int64_t width = shape.head_dim;
  const std::int64_t stride = shape.row_stride();
  const std::int64_t group = shape.group();
  const std::int64_t out_stride = shape.out_stride();
  const std::int64_t k_offset = (shape.heads + kv_head) * width;
  const std::int64_t v_offset = k_offset + shape.kv_heads * width;
  const bool capped = shape.softcap > 0;
  const auto tile_bytes = static_cast<std::size_t>(width * tile);
  const std::unique_ptr<float[]> keys(new float[tile_bytes]);
  const std::unique_ptr<float[]> values(new float[tile_bytes]);
  // delta[h][t] = dout . out of query t (equation 4 of arXiv 2205.14135's appendix B).
  const std::unique_ptr<float[]> delta(new float[static_cast<std::size_t>(group * length)]);
  float scores[tile * tile];
  float dscores[tile * tile];
  float slopes[tile * tile];  // of the cap: 1 - tanh^2

  for (std::int64_t h = 0; h < group; ++h) {
    const std::int64_t column = (kv_head * group + h) * width;
    for (std::int64_t t = 0; t < length; ++t) {
      float d = 0;
      for (std::int64_t i = 0; i < width; ++i)
        d += dout[t * out_stride + column + i] * out[t * out_stride + column + i];
      delta[static_cast<std::size_t>(h * length + t)] = d;
      clear(width, dqkv + t * stride + column);
    }
  }

  for (std::int64_t k0 = 0; k0 < length; k0 += tile) {
    const std::int64_t columns = smaller(tile, length - k0);
    const float* k = qkv + k0 * stride + k_offset;
    float* dk = dqkv + k0 * stride + k_offset;
    float* dv = dqkv + k0 * stride + v_offset;
    // Behind the last query that sees a key of the tile.
    const std::int64_t q_end = shape.window < length - k0 - columns ? k0 + columns - 1 + shape.window : length;
    transpose(columns, width, k, stride, keys.get());
    transpose(columns, width, qkv + k0 * stride + v_offset, stride, values.get());
    bool first = true;
    for (std::int64_t h = 0; h < group; ++h) {
      const std::int64_t head = kv_head * group + h;
      for (std::int64_t q0 = k0; q0 < q_end; q0 += tile) {
        const std::int64_t rows = smaller(tile, length - q0);
        const float* q = qkv + q0 * stride + head * width;
        const float* d = dout + q0 * out_stride + head * width;
        tile_gemm(rows, tile, width, {q, stride, 1}, keys.get(), tile, scores, tile, false);
        tile_gemm(rows, tile, width, {d, out_stride, 1}, values.get(), tile, dscores, tile, false);
        if (capped) {
          cap_tile(rows, shape.scale / shape.softcap, scores);
          for (std::int64_t i = 0; i < rows * tile; ++i) slopes[i] = 1.0F - scores[i] * scores[i];
        }
        for (std::int64_t i = 0; i < rows; ++i) {
          softmax_backward_row(visible(q0 + i, shape.window, k0, columns), capped ? shape.softcap : shape.scale,
                               lse[(q0 + i) * shape.heads + head], delta[static_cast<std::size_t>(h * length + q0 + i)],
                               shape.scale, scores + i * tile, dscores + i * tile);
        }
        if (capped)
          for (std::int64_t i = 0; i < rows * tile; ++i) dscores[i] *= slopes[i];
        tile_gemm(columns, width, rows, {scores, 1, tile}, d, out_stride, dv, stride, !first);
        tile_gemm(columns, width, rows, {dscores, 1, tile}, q, stride, dk, stride, !first);
        tile_gemm(rows, width, columns, {dscores, tile, 1}, k, stride, dqkv + q0 * stride + head * width, stride, true);
        first = false;
      }
    }
  }
}

}  // namespace ilt::ops::cpu::ILT_ISA
