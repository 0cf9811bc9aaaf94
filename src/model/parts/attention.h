// Self-attention: fused query-key-value projection, rotary embedding, causal attention, output projection.
#pragma once

#include <span>

#include "model/parts/linear.h"
#include "model/parts/rotary.h"
#include "model/spec.h"
#include "ops/attention.h"

namespace ilt {

class SelfAttention {
 public:
  SelfAttention(const DecoderSpec& spec, std::int64_t layer, ParameterSet& parameters);

  // What forward keeps for backward: the rotated projections, the attended values, the scores' log-sum-exp.
  struct Saved {
    at::Tensor qkv, attended, lse;
  };
  // Working memory of backward, shared by all layers.
  struct Scratch {
    at::Tensor dqkv, dattended;
  };

  // residual += attention(x).
  void forward(const at::Tensor& x, const RotaryAngles& angles, ops::Segments starts, Saved& saved,
               at::Tensor residual) const;
  // dx = gradient of x, given d, the gradient of the residual that forward added to.
  void backward(const at::Tensor& x, const RotaryAngles& angles, ops::Segments starts, const Saved& saved,
                const at::Tensor& d, Scratch& scratch, at::Tensor dx) const;
  // As forward for one sample that is continued: x are its tokens from `first` on, cache holds the projections of all
  // its tokens [tokens, qkv_width] and gains those of x.
  void decode(const at::Tensor& x, const RotaryAngles& angles, std::int64_t first, at::Tensor cache,
              at::Tensor residual) const;

 private:
  ops::AttentionHeads heads_;
  Linear qkv_;
  Linear output_;
};

}  // namespace ilt
