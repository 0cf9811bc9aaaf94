// Self-attention: the order of its operations, forward and in reverse.
#include "model/parts/attention.h"

#include <ATen/ops/empty.h>

#include <cmath>

#include "model/parts/weights.h"
#include "ops/rotary.h"

namespace ilt {

SelfAttention::SelfAttention(const DecoderSpec& s, std::int64_t layer, ParameterSet& parameters)
    : heads_{s.heads, s.kv_heads, s.head_dim, 1.0 / std::sqrt(static_cast<double>(s.head_dim))},
      qkv_(add_linear(parameters, layer, s.hidden, s.attention_bias,
                      {{s.names.q, s.q_width()}, {s.names.k, s.kv_width()}, {s.names.v, s.kv_width()}})),
      output_(add_linear(parameters, layer, s.q_width(), s.attention_bias, {{s.names.o, s.hidden}})) {}

void SelfAttention::forward(const at::Tensor& x, const RotaryAngles& angles, ops::Segments starts, Saved& saved,
                            at::Tensor residual) const {
  qkv_.forward(x, saved.qkv);
  ops::rotary(saved.qkv, heads_.heads + heads_.kv_heads, heads_.head_dim, angles.cosine, angles.sine,
              ops::Rotation::forward);
  ops::attention(heads_, starts, saved.qkv, saved.attended, saved.lse);
  output_.forward(saved.attended, residual, /*add=*/true);
}

void SelfAttention::backward(const at::Tensor& x, const RotaryAngles& angles, ops::Segments starts, const Saved& saved,
                             const at::Tensor& d, Scratch& scratch, at::Tensor dx) const {
  output_.backward_weight(saved.attended, d);
  output_.backward_input(d, scratch.dattended);
  ops::attention_backward(heads_, starts, saved.qkv, saved.attended, saved.lse, scratch.dattended, scratch.dqkv);
  ops::rotary(scratch.dqkv, heads_.heads + heads_.kv_heads, heads_.head_dim, angles.cosine, angles.sine,
              ops::Rotation::backward);
  qkv_.backward_weight(x, scratch.dqkv);
  qkv_.backward_input(scratch.dqkv, dx);
}

void SelfAttention::decode(const at::Tensor& x, const RotaryAngles& angles, std::int64_t first, at::Tensor cache,
                           at::Tensor residual) const {
  const at::Tensor rows = cache.narrow(0, first, x.size(0));
  qkv_.forward(x, rows);
  ops::rotary(rows, heads_.heads + heads_.kv_heads, heads_.head_dim, angles.cosine, angles.sine,
              ops::Rotation::forward);
  const at::Tensor attended = at::empty({x.size(0), heads_.heads * heads_.head_dim}, x.options());
  ops::attention_tail(heads_, first, cache.narrow(0, 0, first + x.size(0)), attended);
  output_.forward(attended, residual, /*add=*/true);
}

}  // namespace ilt
