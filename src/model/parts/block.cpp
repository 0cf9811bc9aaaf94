// A decoder block; the outputs of its norms are recomputed in backward, which is nearly free.
#include "model/parts/block.h"

#include <ATen/ops/empty.h>
#include <ATen/ops/empty_like.h>

#include "model/parts/weights.h"

namespace ilt {

namespace {

Norm add_norm(const DecoderSpec& s, std::int64_t layer, ParameterSet& parameters, const std::string& name) {
  return {parameters.add({{layer_name(name, layer), 0, {s.hidden}}}), s.norm_eps};
}

}  // namespace

Block::Block(const DecoderSpec& s, std::int64_t layer, ParameterSet& parameters)
    : attention_norm_(add_norm(s, layer, parameters, s.names.attention_norm)),
      attention_(s, layer, parameters),
      mlp_norm_(add_norm(s, layer, parameters, s.names.mlp_norm)),
      mlp_(s, layer, parameters),
      intermediate_(s.intermediate) {}

void Block::forward(const RotaryAngles& angles, ops::Segments starts, BlockSaved& saved, BlockScratch& scratch,
                    at::Tensor output) const {
  attention_norm_.forward(saved.input, scratch.normed, saved.attention_rstd);
  saved.middle.copy_(saved.input);
  attention_.forward(scratch.normed, angles, starts, saved.attention, saved.middle);
  mlp_norm_.forward(saved.middle, scratch.normed, saved.mlp_rstd);
  output.copy_(saved.middle);
  mlp_.forward(scratch.normed, saved.mlp, scratch.mlp, output);
}

void Block::backward(const RotaryAngles& angles, ops::Segments starts, BlockSaved& saved, BlockScratch& scratch,
                     at::Tensor d) const {
  mlp_norm_.forward(saved.middle, scratch.normed, saved.mlp_rstd);
  mlp_.backward(scratch.normed, saved.mlp, d, scratch.mlp, scratch.dnormed);
  mlp_norm_.backward(saved.middle, saved.mlp_rstd, scratch.dnormed, d);
  attention_norm_.forward(saved.input, scratch.normed, saved.attention_rstd);
  attention_.backward(scratch.normed, angles, starts, saved.attention, d, scratch.attention, scratch.dnormed);
  attention_norm_.backward(saved.input, saved.attention_rstd, scratch.dnormed, d);
}

void Block::decode(const RotaryAngles& angles, std::int64_t first, at::Tensor cache, at::Tensor x) const {
  const at::Tensor normed = at::empty_like(x);
  const at::Tensor rstd = at::empty({x.size(0)}, x.options());
  attention_norm_.forward(x, normed, rstd);
  attention_.decode(normed, angles, first, cache, x);
  mlp_norm_.forward(x, normed, rstd);
  GatedMlp::Saved saved{at::empty({x.size(0), 2 * intermediate_}, x.options())};
  GatedMlp::Scratch scratch{at::empty({x.size(0), intermediate_}, x.options()), {}};
  mlp_.forward(normed, saved, scratch, x);
}

}  // namespace ilt
