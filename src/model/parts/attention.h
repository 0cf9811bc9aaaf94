// Self-attention: fused query-key-value projection, norms of heads, rotary embedding, causal attention, output
// projection.
#pragma once

#include <optional>
#include <span>

#include "model/parts/allocate.h"
#include "model/parts/head_norm.h"
#include "model/parts/linear.h"
#include "model/parts/rotary.h"
#include "model/spec.h"
#include "ops/attention.h"
#include "ops/rotary.h"

namespace ilt {

class SelfAttention {
 public:
  SelfAttention(const DecoderSpec& spec, std::int64_t layer, ParameterSet& parameters);

  // What forward keeps for backward: the rotated projections, the attended values, the scores' log-sum-exp, and queries
  // and keys from before their norms.
  struct Saved {
    at::Tensor qkv, attended, lse, raw_q, raw_k;
    Saved first(std::int64_t tokens) const;
  };
  // Working memory, shared by all layers.
  struct Scratch {
    at::Tensor dqkv, dattended;
    HeadNorm::Scratch norm;
    Scratch first(std::int64_t tokens) const;
  };
  Saved make_saved(std::int64_t tokens, const Allocate& allocate) const;
  Scratch make_scratch(std::int64_t tokens, BufferUse use, const Allocate& allocate) const;

  // y = attention(x), or added to y.
  void forward(const at::Tensor& x, const Positions& positions, Saved& saved, const Scratch& scratch, at::Tensor y,
               bool add) const;
  // dx = gradient of x, given d, that of y.
  void backward(const at::Tensor& x, const Positions& positions, const Saved& saved, const at::Tensor& d,
                Scratch& scratch, at::Tensor dx) const;
  // As forward for one sample that is continued: x are its tokens from `first` on, cache holds the projections of all
  // its tokens [tokens, qkv_width] and gains those of x.
  void decode(const at::Tensor& x, const Positions& positions, std::int64_t first, at::Tensor cache, at::Tensor y,
              bool add) const;

 private:
  void normalise(at::Tensor qkv, const Saved& saved, const Scratch& scratch) const;
  void rotate(at::Tensor qkv, const Positions& positions, ops::Rotation rotation) const;

  ops::AttentionHeads heads_;
  int rope_;
  Linear qkv_;
  std::optional<HeadNorm> q_norm_, k_norm_;
  Linear output_;
};

}  // namespace ilt
