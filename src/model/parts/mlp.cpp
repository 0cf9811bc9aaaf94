// Feed-forward layers: the order of their operations, forward and in reverse.
#include "model/parts/mlp.h"

#include "model/parts/weights.h"

namespace ilt {

namespace {

std::vector<LinearRows> up_rows(const MlpNames& names, std::int64_t width, bool gated) {
  if (!gated) return {{names.up, width}};
  if (!names.gate_up.empty()) return {{names.gate_up, 2 * width}};
  return {{names.gate, width}, {names.up, width}};
}

}  // namespace

Mlp::Mlp(const DecoderSpec& s, const MlpNames& names, std::int64_t width, std::int64_t layer, ParameterSet& parameters)
    : activation_(s.activation),
      gated_(s.gated),
      width_(width),
      up_(add_linear(parameters, s, layer, s.hidden, s.mlp_bias, up_rows(names, width, s.gated))),
      down_(
          add_linear(parameters, s, layer, width, s.mlp_bias, {{names.down, s.hidden}}, {.scale = s.residual_scale})) {}

FeedForward::Saved Mlp::make_saved(std::int64_t tokens, const Allocate& allocate) const {
  return {.hidden = allocate({tokens, gated_ ? 2 * width_ : width_})};
}

FeedForward::Scratch Mlp::make_scratch(std::int64_t tokens, BufferUse use, const Allocate& allocate) const {
  Scratch scratch;
  scratch.activated = allocate({tokens, width_});
  if (use == BufferUse::training) scratch.dactivated = allocate({tokens, width_});
  return scratch;
}

void Mlp::forward(const at::Tensor& x, Saved& saved, Scratch& scratch, at::Tensor y, bool add) const {
  up_.forward(x, saved.hidden);
  (gated_ ? ops::gated : ops::activate)(activation_, saved.hidden, scratch.activated);
  down_.forward(scratch.activated, y, add);
}

void Mlp::backward(const at::Tensor& x, Saved& saved, const at::Tensor& d, Scratch& scratch, at::Tensor dx,
                   bool add) const {
  down_.backward_input(d, scratch.dactivated);
  (gated_ ? ops::gated_backward : ops::activate_backward)(activation_, saved.hidden, scratch.dactivated,
                                                          scratch.activated);
  down_.backward_weight(scratch.activated, d);
  up_.backward_weight(x, saved.hidden);
  up_.backward_input(saved.hidden, dx, add);
}

}  // namespace ilt
