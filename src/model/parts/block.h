// A decoder block: norm, attention, residual; norm, feed-forward, residual.
#pragma once

#include "model/parts/attention.h"
#include "model/parts/mlp.h"
#include "model/parts/norm.h"

namespace ilt {

// What a block keeps from forward to backward.
struct BlockSaved {
  at::Tensor input, attention_rstd;
  SelfAttention::Saved attention;
  at::Tensor middle, mlp_rstd;
  GatedMlp::Saved mlp;
};

// Working memory that blocks share.
struct BlockScratch {
  at::Tensor normed, dnormed;
  SelfAttention::Scratch attention;
  GatedMlp::Scratch mlp;
};

class Block {
 public:
  Block(const DecoderSpec& spec, std::int64_t layer, ParameterSet& parameters);

  // output = block(saved.input).
  void forward(const RotaryAngles& angles, ops::Segments starts, BlockSaved& saved, BlockScratch& scratch,
               at::Tensor output) const;
  // d: the gradient of the output, becomes that of the input.
  void backward(const RotaryAngles& angles, ops::Segments starts, BlockSaved& saved, BlockScratch& scratch,
                at::Tensor d) const;
  // x, the residual stream of a continued sample's new tokens, in place.
  void decode(const RotaryAngles& angles, std::int64_t first, at::Tensor cache, at::Tensor x) const;

 private:
  Norm attention_norm_;
  SelfAttention attention_;
  Norm mlp_norm_;
  GatedMlp mlp_;
  std::int64_t intermediate_;
};

}  // namespace ilt
