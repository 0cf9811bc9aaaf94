// Causal attention in ATen calls, sample by sample: the reference, and what any device can run.
#include <ATen/ops/exp.h>
#include <ATen/ops/full_like.h>
#include <ATen/ops/logsumexp.h>
#include <ATen/ops/matmul.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/ones_like.h>
#include <ATen/ops/repeat_interleave.h>
#include <ATen/ops/tanh.h>

#include <limits>

#include "ops/attention.h"

namespace ilt::ops::plain {

namespace {

// One sample's q, k, v as [heads, length, head_dim], keys and values repeated for their groups.
struct Heads {
  Tensor q, k, v;
};

Heads split(const AttentionHeads& shape, const Tensor& rows) {
  const std::int64_t length = rows.size(0);
  const auto part = [&](std::int64_t first, std::int64_t count) {
    return rows.narrow(1, first * shape.head_dim, count * shape.head_dim)
        .view({length, count, shape.head_dim})
        .transpose(0, 1);
  };
  const std::int64_t group = shape.heads / shape.kv_heads;
  return {part(0, shape.heads), part(shape.heads, shape.kv_heads).repeat_interleave(group, 0),
          part(shape.heads + shape.kv_heads, shape.kv_heads).repeat_interleave(group, 0)};
}

// Scores before the softmax; `slope` (may be null) is set to the derivative of the cap.
Tensor masked_scores(const AttentionHeads& shape, const Heads& h, Tensor* slope = nullptr) {
  const std::int64_t length = h.q.size(1);
  Tensor hidden = at::ones({length, length}, h.q.options().dtype(at::kBool)).triu(1);
  if (shape.window > 0) hidden = hidden.logical_or(at::ones_like(hidden).tril(-shape.window));
  Tensor scores = at::matmul(h.q, h.k.transpose(1, 2)) * shape.scale;
  if (shape.softcap > 0) {
    const Tensor t = (scores / shape.softcap).tanh();
    if (slope != nullptr) *slope = 1 - t * t;
    scores = t * shape.softcap;
  }
  return scores.masked_fill(hidden, -std::numeric_limits<double>::infinity());
}

// [heads, length, d] -> rows [length, heads * d]
Tensor to_rows(const Tensor& x) {
  return x.transpose(0, 1).reshape({x.size(1), -1});
}

}  // namespace

void attention(const AttentionHeads& shape, Segments starts, const Tensor& qkv, Tensor out, Tensor lse) {
  for (std::size_t s = 0; s + 1 < starts.size(); ++s) {
    const std::int64_t length = starts[s + 1] - starts[s];
    const Heads h = split(shape, qkv.narrow(0, starts[s], length));
    const Tensor scores = masked_scores(shape, h);
    const Tensor total = scores.logsumexp(-1, true);
    out.narrow(0, starts[s], length).copy_(to_rows(at::matmul((scores - total).exp(), h.v)));
    lse.narrow(0, starts[s], length).copy_(total.squeeze(-1).transpose(0, 1));
  }
}

void attention_backward(const AttentionHeads& shape, Segments starts, const Tensor& qkv, const Tensor& out,
                        const Tensor& lse, const Tensor& dout, Tensor dqkv) {
  const std::int64_t group = shape.heads / shape.kv_heads;
  for (std::size_t s = 0; s + 1 < starts.size(); ++s) {
    const std::int64_t length = starts[s + 1] - starts[s];
    const auto of = [&](const Tensor& t) { return t.narrow(0, starts[s], length); };
    const auto heads_of = [&](const Tensor& t) { return of(t).view({length, shape.heads, -1}).transpose(0, 1); };
    const Heads h = split(shape, of(qkv));
    Tensor slope;
    const Tensor p = (masked_scores(shape, h, &slope) - of(lse).transpose(0, 1).unsqueeze(-1)).exp();
    const Tensor d = heads_of(dout);
    const Tensor delta = (d * heads_of(out)).sum(-1, true);
    Tensor ds = p * (at::matmul(d, h.v.transpose(1, 2)) - delta) * shape.scale;
    if (slope.defined()) ds = ds * slope;
    const auto per_kv_head = [&](const Tensor& t) {
      return to_rows(t.reshape({shape.kv_heads, group, length, shape.head_dim}).sum(1));
    };
    const Tensor rows = of(dqkv);
    const std::int64_t q_width = shape.heads * shape.head_dim;
    const std::int64_t kv_width = shape.kv_heads * shape.head_dim;
    rows.narrow(1, 0, q_width).copy_(to_rows(at::matmul(ds, h.k)));
    rows.narrow(1, q_width, kv_width).copy_(per_kv_head(at::matmul(ds.transpose(1, 2), h.q)));
    rows.narrow(1, q_width + kv_width, kv_width).copy_(per_kv_head(at::matmul(p.transpose(1, 2), d)));
  }
}

}  // namespace ilt::ops::plain
