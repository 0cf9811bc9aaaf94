// Allocating activations, and views of their first rows.
#include "model/buffers.h"

#include <ATen/ops/empty.h>

namespace ilt {

namespace {

at::Tensor rows(const at::Tensor& t, std::int64_t n) {
  return t.defined() ? t.narrow(0, 0, n) : t;
}

}  // namespace

Buffers::Buffers(const DecoderSpec& s, std::int64_t tokens, BufferUse use, at::TensorOptions options)
    : capacity_(tokens), use_(use) {
  const bool training = use == BufferUse::training;
  const auto make = [&](std::int64_t width) { return at::empty({tokens, width}, options); };
  for (std::int64_t i = 0; i < (training ? s.layers + 1 : 2); ++i) streams_.push_back(make(s.hidden));
  for (std::int64_t i = 0; i < (training ? s.layers : 1); ++i) {
    BlockSaved saved;
    saved.attention_rstd = at::empty({tokens}, options);
    saved.attention = {make(s.qkv_width()), make(s.q_width()), make(s.heads)};
    saved.middle = make(s.hidden);
    saved.mlp_rstd = at::empty({tokens}, options);
    saved.mlp = {make(2 * s.intermediate)};
    saved_.push_back(saved);
  }
  scratch_.normed = make(s.hidden);
  scratch_.mlp.activated = make(s.intermediate);
  if (training) {
    scratch_.dnormed = make(s.hidden);
    scratch_.attention = {make(s.qkv_width()), make(s.q_width())};
    scratch_.mlp.dactivated = make(s.intermediate);
    gradient_ = make(s.hidden);
  }
}

BlockSaved Buffers::saved(std::int64_t layer, std::int64_t n) const {
  const bool training = use_ == BufferUse::training;
  const BlockSaved& s = saved_[training ? static_cast<std::size_t>(layer) : 0];
  const at::Tensor& input = streams_[static_cast<std::size_t>(training ? layer : layer % 2)];
  return {rows(input, n),
          rows(s.attention_rstd, n),
          {rows(s.attention.qkv, n), rows(s.attention.attended, n), rows(s.attention.lse, n)},
          rows(s.middle, n),
          rows(s.mlp_rstd, n),
          {rows(s.mlp.gate_up, n)}};
}

BlockScratch Buffers::scratch(std::int64_t n) const {
  return {rows(scratch_.normed, n),
          rows(scratch_.dnormed, n),
          {rows(scratch_.attention.dqkv, n), rows(scratch_.attention.dattended, n)},
          {rows(scratch_.mlp.activated, n), rows(scratch_.mlp.dactivated, n)}};
}

at::Tensor Buffers::output(std::int64_t layer, std::int64_t n) const {
  const std::int64_t next = layer + 1;
  return rows(streams_[static_cast<std::size_t>(use_ == BufferUse::training ? next : next % 2)], n);
}

at::Tensor Buffers::gradient(std::int64_t n) const {
  return rows(gradient_, n);
}

}  // namespace ilt
