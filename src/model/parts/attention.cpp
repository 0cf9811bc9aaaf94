// Self-attention: the order of its operations, forward and in reverse.
#include "model/parts/attention.h"

#include <ATen/ops/empty.h>

#include <algorithm>

#include "model/parts/weights.h"

namespace ilt {

namespace {

std::vector<LinearRows> qkv_rows(const DecoderSpec& s) {
  if (!s.names.qkv.empty()) return {{s.names.qkv, s.qkv_width()}};
  return {{s.names.q, s.q_width()}, {s.names.k, s.kv_width()}, {s.names.v, s.kv_width()}};
}

std::optional<HeadNorm> head_norm(const DecoderSpec& s, std::int64_t layer, const std::string& name, std::int64_t heads,
                                  ParameterSet& parameters) {
  if (s.head_norm == HeadNormKind::none) return std::nullopt;
  return HeadNorm(s, layer, name, heads, parameters);
}

}  // namespace

SelfAttention::SelfAttention(const DecoderSpec& s, std::int64_t layer, ParameterSet& parameters)
    : heads_{s.heads, s.kv_heads, s.head_dim, s.attention_scale, s.layer(layer).window, s.attention_softcap},
      rope_(s.layer(layer).rope),
      qkv_(add_linear(parameters, layer, s.hidden, s.qkv_bias, qkv_rows(s))),
      q_norm_(head_norm(s, layer, s.names.q_norm, s.heads, parameters)),
      k_norm_(head_norm(s, layer, s.names.k_norm, s.kv_heads, parameters)),
      output_(
          add_linear(parameters, layer, s.q_width(), s.output_bias, {{s.names.o, s.hidden}}, s.residual_scale)) {}

SelfAttention::Saved SelfAttention::Saved::first(std::int64_t n) const {
  return {first_rows(qkv, n), first_rows(attended, n), first_rows(lse, n), first_rows(raw_q, n), first_rows(raw_k, n)};
}

SelfAttention::Scratch SelfAttention::Scratch::first(std::int64_t n) const {
  return {first_rows(dqkv, n), first_rows(dattended, n), norm};
}

SelfAttention::Saved SelfAttention::make_saved(std::int64_t tokens, const Allocate& allocate) const {
  const std::int64_t q_width = heads_.heads * heads_.head_dim;
  const std::int64_t kv_width = heads_.kv_heads * heads_.head_dim;
  Saved saved{allocate({tokens, q_width + 2 * kv_width}), allocate({tokens, q_width}), allocate({tokens, heads_.heads}),
              {}, {}};
  if (q_norm_) saved.raw_q = allocate({tokens, q_width});
  if (k_norm_) saved.raw_k = allocate({tokens, kv_width});
  return saved;
}

SelfAttention::Scratch SelfAttention::make_scratch(std::int64_t tokens, BufferUse use, const Allocate& allocate) const {
  const std::int64_t q_width = heads_.heads * heads_.head_dim;
  Scratch scratch;
  if (use == BufferUse::training) {
    scratch.dqkv = allocate({tokens, q_width + 2 * heads_.kv_heads * heads_.head_dim});
    scratch.dattended = allocate({tokens, q_width});
  }
  if (q_norm_)
    scratch.norm = {allocate({tokens, q_width}), allocate({tokens, q_width}),
                    {allocate({tokens, q_norm_->norms_per_token()}), allocate({tokens, q_norm_->norms_per_token()})}};
  return scratch;
}

void SelfAttention::normalise(at::Tensor qkv, const Saved& saved, const Scratch& scratch) const {
  if (!q_norm_) return;
  q_norm_->forward(qkv.narrow(1, 0, q_norm_->width()), saved.raw_q, scratch.norm);
  k_norm_->forward(qkv.narrow(1, q_norm_->width(), k_norm_->width()), saved.raw_k, scratch.norm);
}

void SelfAttention::rotate(at::Tensor qkv, const Positions& positions, ops::Rotation rotation) const {
  if (rope_ < 0) return;
  const RotaryAngles& angles = positions.angles[static_cast<std::size_t>(rope_)];
  ops::rotary(qkv, heads_.heads + heads_.kv_heads, heads_.head_dim, angles.cosine, angles.sine, rotation, angles.pairs);
}

void SelfAttention::forward(const at::Tensor& x, const Positions& positions, Saved& saved, const Scratch& scratch,
                            at::Tensor y, bool add) const {
  qkv_.forward(x, saved.qkv);
  normalise(saved.qkv, saved, scratch);
  rotate(saved.qkv, positions, ops::Rotation::forward);
  ops::attention(heads_, positions.starts, saved.qkv, saved.attended, saved.lse);
  output_.forward(saved.attended, y, add);
}

void SelfAttention::backward(const at::Tensor& x, const Positions& positions, const Saved& saved, const at::Tensor& d,
                             Scratch& scratch, at::Tensor dx) const {
  output_.backward_weight(saved.attended, d);
  output_.backward_input(d, scratch.dattended);
  ops::attention_backward(heads_, positions.starts, saved.qkv, saved.attended, saved.lse, scratch.dattended,
                          scratch.dqkv);
  rotate(scratch.dqkv, positions, ops::Rotation::backward);
  if (q_norm_) {
    q_norm_->backward(saved.raw_q, scratch.dqkv.narrow(1, 0, q_norm_->width()), scratch.norm);
    k_norm_->backward(saved.raw_k, scratch.dqkv.narrow(1, q_norm_->width(), k_norm_->width()), scratch.norm);
  }
  qkv_.backward_weight(x, scratch.dqkv);
  qkv_.backward_input(scratch.dqkv, dx);
}

void SelfAttention::decode(const at::Tensor& x, const Positions& positions, std::int64_t first, at::Tensor cache,
                           at::Tensor y, bool add) const {
  const std::int64_t tokens = x.size(0);
  const Allocate allocate = [&](at::IntArrayRef shape) { return at::empty(shape, x.options()); };
  const Saved saved = make_saved(tokens, allocate);
  const at::Tensor rows = cache.narrow(0, first, tokens);
  qkv_.forward(x, rows);
  normalise(rows, saved, make_scratch(tokens, BufferUse::inference, allocate));
  rotate(rows, positions, ops::Rotation::forward);
  ops::attention_tail(heads_, first, cache.narrow(0, 0, first + tokens), saved.attended, saved.lse);
  output_.forward(saved.attended, y, add);
}

}  // namespace ilt
