// Self-attention: the order of its operations, forward and in reverse.
#include "model/parts/attention.h"

#include <ATen/ops/empty.h>
#include <ATen/ops/logaddexp.h>

#include "model/parts/weights.h"

namespace ilt {

namespace {

std::vector<LinearRows> qkv_rows(const DecoderSpec& s) {
  if (!s.names.qkv.empty()) return {{s.names.qkv, s.qkv_width()}};
  return {{s.names.q, s.q_width()}, {s.names.k, s.kv_width()}, {s.names.v, s.kv_width()}};
}

// Query, key and value rows of each head lie together in some checkpoints.
StoredLayout qkv_layout(const DecoderSpec& s) {
  if (s.qkv_storage == QkvStorage::stacked) return {};
  return {{3, s.heads, s.head_dim}, {1, 0, 2}};
}

Parameter* add_sinks(const DecoderSpec& s, std::int64_t layer, ParameterSet& parameters) {
  return s.names.sinks.empty() ? nullptr : &parameters.add({{layer_name(s.names.sinks, layer), 0, {s.heads}}});
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
      qkv_(add_linear(parameters, s, layer, s.hidden, s.qkv_bias, qkv_rows(s), {.layout = qkv_layout(s)})),
      q_norm_(head_norm(s, layer, s.names.q_norm, s.heads, parameters)),
      k_norm_(head_norm(s, layer, s.names.k_norm, s.kv_heads, parameters)),
      sinks_(add_sinks(s, layer, parameters)),
      output_(add_linear(parameters, s, layer, s.q_width(), s.output_bias, {{s.names.o, s.hidden}},
                         {.scale = s.residual_scale})) {}

Mixer::Saved SelfAttention::make_saved(std::int64_t tokens, const Allocate& allocate) const {
  const std::int64_t q_width = heads_.heads * heads_.head_dim;
  const std::int64_t kv_width = heads_.kv_heads * heads_.head_dim;
  Saved saved{allocate({tokens, q_width + 2 * kv_width}),
              allocate({tokens, q_width}),
              allocate({tokens, heads_.heads}),
              {},
              {}};
  if (q_norm_) saved.raw_q = allocate({tokens, q_width});
  if (k_norm_) saved.raw_k = allocate({tokens, kv_width});
  return saved;
}

Mixer::Scratch SelfAttention::make_scratch(std::int64_t tokens, BufferUse use, const Allocate& allocate) const {
  const std::int64_t q_width = heads_.heads * heads_.head_dim;
  Scratch scratch;
  if (use == BufferUse::training) {
    scratch.dprojected = allocate({tokens, q_width + 2 * heads_.kv_heads * heads_.head_dim});
    scratch.dmixed = allocate({tokens, q_width});
  }
  if (q_norm_)
    scratch.norm = {allocate({tokens, q_width}),
                    allocate({tokens, q_width}),
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

// A sink adds exp(sink) to the softmax's denominator and nothing to its result (gpt-oss, arXiv 2508.10925): the
// attended values shrink by exp(lse) / (exp(lse) + exp(sink)).
void SelfAttention::sink(at::Tensor attended, at::Tensor lse) const {
  if (sinks_ == nullptr) return;
  const at::Tensor share = (lse - sinks_->value).sigmoid();
  attended.view({-1, heads_.heads, heads_.head_dim}).mul_(share.unsqueeze(-1));
  lse.copy_(at::logaddexp(lse, sinks_->value));
}

void SelfAttention::sink_backward(const at::Tensor& attended, const at::Tensor& lse,
                                  const at::Tensor& dattended) const {
  if (sinks_ == nullptr || !sinks_->grad.defined()) return;
  const at::Tensor delta = (attended * dattended).view({-1, heads_.heads, heads_.head_dim}).sum(-1);
  sinks_->grad.sub_(((sinks_->value - lse).exp() * delta).sum(0));
}

std::int64_t SelfAttention::cache_width() const {
  return (heads_.heads + 2 * heads_.kv_heads) * heads_.head_dim;
}

void SelfAttention::forward(const at::Tensor& x, const Positions& positions, Saved& saved, const Scratch& scratch,
                            at::Tensor y, bool add) const {
  qkv_.forward(x, saved.projected);
  normalise(saved.projected, saved, scratch);
  rotate(saved.projected, positions, ops::Rotation::forward);
  ops::attention(heads_, positions.starts, saved.projected, saved.mixed, saved.lse);
  sink(saved.mixed, saved.lse);
  output_.forward(saved.mixed, y, add);
}

void SelfAttention::backward(const at::Tensor& x, const Positions& positions, const Saved& saved, const at::Tensor& d,
                             Scratch& scratch, at::Tensor dx) const {
  output_.backward_weight(saved.mixed, d);
  output_.backward_input(d, scratch.dmixed);
  sink_backward(saved.mixed, saved.lse, scratch.dmixed);
  ops::attention_backward(heads_, positions.starts, saved.projected, saved.mixed, saved.lse, scratch.dmixed,
                          scratch.dprojected);
  rotate(scratch.dprojected, positions, ops::Rotation::backward);
  if (q_norm_) {
    q_norm_->backward(saved.raw_q, scratch.dprojected.narrow(1, 0, q_norm_->width()), scratch.norm);
    k_norm_->backward(saved.raw_k, scratch.dprojected.narrow(1, q_norm_->width(), k_norm_->width()), scratch.norm);
  }
  qkv_.backward_weight(x, scratch.dprojected);
  qkv_.backward_input(scratch.dprojected, dx);
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
  ops::attention_tail(heads_, first, cache.narrow(0, 0, first + tokens), saved.mixed, saved.lse);
  sink(saved.mixed, saved.lse);
  output_.forward(saved.mixed, y, add);
}

}  // namespace ilt
