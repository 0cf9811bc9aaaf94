// Self-attention: fused query-key-value projection, norms of heads, rotary embedding, causal attention, output
// projection.
#pragma once

#include <optional>

#include "model/parts/linear.h"
#include "model/parts/mixer.h"
#include "ops/attention.h"
#include "ops/rotary.h"

namespace ilt {

class SelfAttention : public Mixer {
 public:
  SelfAttention(const DecoderSpec& spec, std::int64_t layer, ParameterSet& parameters);

  Saved make_saved(std::int64_t tokens, const Allocate& allocate) const override;
  Scratch make_scratch(std::int64_t tokens, BufferUse use, const Allocate& allocate) const override;
  void forward(const at::Tensor& x, const Positions& positions, Saved& saved, const Scratch& scratch, at::Tensor y,
               bool add) const override;
  void backward(const at::Tensor& x, const Positions& positions, const Saved& saved, const at::Tensor& d,
                Scratch& scratch, at::Tensor dx) const override;
  std::int64_t cache_width() const override;
  void decode(const at::Tensor& x, const Positions& positions, std::int64_t first, at::Tensor cache, at::Tensor y,
              bool add) const override;

 private:
  void normalise(at::Tensor qkv, const Saved& saved, const Scratch& scratch) const;
  void rotate(at::Tensor qkv, const Positions& positions, ops::Rotation rotation) const;
  // Lets the sink of each head take its share of the softmax.
  void sink(at::Tensor attended, at::Tensor lse) const;
  void sink_backward(const at::Tensor& attended, const at::Tensor& lse, const at::Tensor& dattended) const;

  ops::AttentionHeads heads_;
  int rope_;
  Linear qkv_;
  std::optional<HeadNorm> q_norm_, k_norm_;
  Parameter* sinks_;  // [heads], null where there are none
  Linear output_;
};

}  // namespace ilt
