// Latent attention: its projections, forward and in reverse, around the attention that all models share.
#include "model/parts/latent_attention.h"

#include <ATen/ops/cat.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/empty_like.h>
#include <ATen/ops/zeros_like.h>

#include "model/parts/weights.h"

namespace ilt {

namespace {

const std::string stem = "model.layers.{}.self_attn.";

NormSpec latent_norm() {
  return {NormKind::rms, 1e-6};  // whatever the other norms of the model have
}

std::optional<Linear> query_down(const DecoderSpec& s, std::int64_t layer, ParameterSet& parameters) {
  if (s.latent->query_rank == 0) return std::nullopt;
  return add_linear(parameters, s, layer, s.hidden, s.latent->bias, {{stem + "q_a_proj", s.latent->query_rank}});
}

std::optional<Norm> query_norm(const DecoderSpec& s, std::int64_t layer, ParameterSet& parameters) {
  if (s.latent->query_rank == 0) return std::nullopt;
  return add_norm(parameters, latent_norm(), layer, stem + "q_a_layernorm", {s.latent->query_rank});
}

Linear query_up(const DecoderSpec& s, std::int64_t layer, ParameterSet& parameters) {
  const bool direct = s.latent->query_rank == 0;
  return add_linear(parameters, s, layer, direct ? s.hidden : s.latent->query_rank, false,
                    {{stem + (direct ? "q_proj" : "q_b_proj"), s.q_width()}});
}

}  // namespace

LatentAttention::LatentAttention(const DecoderSpec& s, std::int64_t layer, ParameterSet& parameters)
    : spec_(*s.latent),
      heads_{s.heads, s.heads, s.head_dim, s.attention_scale},
      q_down_(query_down(s, layer, parameters)),
      q_norm_(query_norm(s, layer, parameters)),
      q_up_(query_up(s, layer, parameters)),
      kv_down_(add_linear(parameters, s, layer, s.hidden, spec_.bias,
                          {{stem + "kv_a_proj_with_mqa", spec_.kv_rank + spec_.turning_dim}})),
      kv_norm_(add_norm(parameters, latent_norm(), layer, stem + "kv_a_layernorm", {spec_.kv_rank})),
      kv_up_(add_linear(parameters, s, layer, spec_.kv_rank, false,
                        {{stem + "kv_b_proj", s.heads * (spec_.still_dim + spec_.value_dim)}})),
      output_(add_linear(parameters, s, layer, s.heads * spec_.value_dim, spec_.bias, {{stem + "o_proj", s.hidden}},
                         {.scale = s.residual_scale})) {}

Mixer::Saved LatentAttention::make_saved(std::int64_t tokens, const Allocate& allocate) const {
  Saved saved{allocate({tokens, packed_width()}),
              allocate({tokens, heads_.heads * heads_.head_dim}),
              allocate({tokens, heads_.heads}),
              {},
              allocate({tokens, spec_.kv_rank + spec_.turning_dim})};
  if (q_down_) saved.raw_q = allocate({tokens, spec_.query_rank});
  return saved;
}

Mixer::Scratch LatentAttention::make_scratch(std::int64_t tokens, BufferUse use, const Allocate& allocate) const {
  Scratch scratch;
  if (use == BufferUse::training) {
    scratch.dprojected = allocate({tokens, packed_width()});
    scratch.dmixed = allocate({tokens, heads_.heads * heads_.head_dim});
  }
  return scratch;
}

LatentAttention::Latent LatentAttention::normed(const Norm& norm, const at::Tensor& raw) {
  Latent latent{raw.contiguous(), at::empty(raw.sizes(), raw.options()), Norm::make_stats(raw.size(0), raw.options())};
  norm.forward(latent.raw, latent.normed, latent.stats);
  return latent;
}

at::Tensor LatentAttention::through_norm(const Norm& norm, const Latent& latent, const at::Tensor& d) {
  at::Tensor draw = at::zeros_like(latent.raw);
  norm.backward(latent.raw, latent.stats, d, draw);
  return draw;
}

void LatentAttention::rotate(at::Tensor packed, const Positions& positions, ops::Rotation rotation) const {
  const RotaryAngles& angles = positions.angles[0];
  const std::int64_t tokens = packed.size(0);
  const at::Tensor turning = packed.view({tokens, 3 * heads_.heads, heads_.head_dim})
                                 .narrow(1, 0, 2 * heads_.heads)
                                 .narrow(2, spec_.still_dim, spec_.turning_dim);
  const at::Tensor dense = turning.reshape({tokens, -1});
  ops::rotary(dense, 2 * heads_.heads, spec_.turning_dim, angles.cosine, angles.sine, rotation, angles.pairs);
  turning.copy_(dense.view(turning.sizes()));
}

void LatentAttention::project(const at::Tensor& x, const Positions& positions, const Saved& saved,
                              at::Tensor packed) const {
  const std::int64_t tokens = x.size(0);
  const at::Tensor q = at::empty({tokens, heads_.heads * heads_.head_dim}, x.options());
  if (q_down_) q_down_->forward(x, saved.raw_q);
  q_up_.forward(q_down_ ? normed(*q_norm_, saved.raw_q).normed : x, q);
  kv_down_.forward(x, saved.raw_k);
  const at::Tensor kv = at::empty({tokens, heads_.heads * (spec_.still_dim + spec_.value_dim)}, x.options());
  kv_up_.forward(normed(kv_norm_, saved.raw_k.narrow(1, 0, spec_.kv_rank)).normed, kv);

  const at::Tensor parts = packed.view({tokens, 3, heads_.heads, heads_.head_dim});
  const at::Tensor kv_heads = kv.view({tokens, heads_.heads, -1});
  const at::Tensor k = parts.select(1, 1);
  const at::Tensor v = parts.select(1, 2);
  parts.select(1, 0).copy_(q.view({tokens, heads_.heads, -1}));
  k.narrow(2, 0, spec_.still_dim).copy_(kv_heads.narrow(2, 0, spec_.still_dim));
  k.narrow(2, spec_.still_dim, spec_.turning_dim)
      .copy_(saved.raw_k.narrow(1, spec_.kv_rank, spec_.turning_dim).unsqueeze(1));
  v.zero_();
  v.narrow(2, 0, spec_.value_dim).copy_(kv_heads.narrow(2, spec_.still_dim, spec_.value_dim));
  rotate(packed, positions, ops::Rotation::forward);
}

at::Tensor LatentAttention::values_of(const at::Tensor& attended) const {
  return attended.view({-1, heads_.heads, heads_.head_dim})
      .narrow(2, 0, spec_.value_dim)
      .reshape({attended.size(0), -1});
}

void LatentAttention::forward(const at::Tensor& x, const Positions& positions, Saved& saved, const Scratch&,
                              at::Tensor y, bool add) const {
  project(x, positions, saved, saved.projected);
  ops::attention(heads_, positions.starts, saved.projected, saved.mixed, saved.lse);
  output_.forward(values_of(saved.mixed), y, add);
}

void LatentAttention::backward(const at::Tensor& x, const Positions& positions, const Saved& saved, const at::Tensor& d,
                               Scratch& scratch, at::Tensor dx) const {
  const std::int64_t tokens = x.size(0);
  const at::Tensor values = values_of(saved.mixed);
  output_.backward_weight(values, d);
  const at::Tensor dvalues = at::empty_like(values);
  output_.backward_input(d, dvalues);
  scratch.dmixed.zero_();
  scratch.dmixed.view({tokens, heads_.heads, -1})
      .narrow(2, 0, spec_.value_dim)
      .copy_(dvalues.view({tokens, heads_.heads, -1}));
  ops::attention_backward(heads_, positions.starts, saved.projected, saved.mixed, saved.lse, scratch.dmixed,
                          scratch.dprojected);
  rotate(scratch.dprojected, positions, ops::Rotation::backward);
  const at::Tensor parts = scratch.dprojected.view({tokens, 3, heads_.heads, heads_.head_dim});
  backward_queries(x, saved, parts.select(1, 0).reshape({tokens, -1}), dx);
  backward_keys_values(x, saved, parts.select(1, 1), parts.select(1, 2), dx);
}

// Sets dx.
void LatentAttention::backward_queries(const at::Tensor& x, const Saved& saved, const at::Tensor& dq,
                                       at::Tensor dx) const {
  if (!q_down_) {
    q_up_.backward_weight(x, dq);
    return q_up_.backward_input(dq, dx);
  }
  const Latent latent = normed(*q_norm_, saved.raw_q);
  q_up_.backward_weight(latent.normed, dq);
  const at::Tensor dnormed = at::empty_like(latent.normed);
  q_up_.backward_input(dq, dnormed);
  const at::Tensor draw = through_norm(*q_norm_, latent, dnormed);
  q_down_->backward_weight(x, draw);
  q_down_->backward_input(draw, dx);
}

// Adds to dx.
void LatentAttention::backward_keys_values(const at::Tensor& x, const Saved& saved, const at::Tensor& dk,
                                           const at::Tensor& dv, at::Tensor dx) const {
  const std::int64_t tokens = x.size(0);
  const at::Tensor dkv =
      at::cat({dk.narrow(2, 0, spec_.still_dim), dv.narrow(2, 0, spec_.value_dim)}, 2).view({tokens, -1});
  const Latent latent = normed(kv_norm_, saved.raw_k.narrow(1, 0, spec_.kv_rank));
  kv_up_.backward_weight(latent.normed, dkv);
  const at::Tensor dnormed = at::empty_like(latent.normed);
  kv_up_.backward_input(dkv, dnormed);
  const at::Tensor dturning = dk.narrow(2, spec_.still_dim, spec_.turning_dim).sum(1);
  const at::Tensor draw = at::cat({through_norm(kv_norm_, latent, dnormed), dturning}, 1);
  kv_down_.backward_weight(x, draw);
  kv_down_.backward_input(draw, dx, /*add=*/true);
}

void LatentAttention::decode(const at::Tensor& x, const Positions& positions, std::int64_t first, at::Tensor cache,
                             at::Tensor y, bool add) const {
  const std::int64_t tokens = x.size(0);
  const Saved saved = make_saved(tokens, [&](at::IntArrayRef shape) { return at::empty(shape, x.options()); });
  project(x, positions, saved, cache.narrow(0, first, tokens));
  ops::attention_tail(heads_, first, cache.narrow(0, 0, first + tokens), saved.mixed, saved.lse);
  output_.forward(values_of(saved.mixed), y, add);
}

}  // namespace ilt
