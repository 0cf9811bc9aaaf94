// Feed-forward layers: the order of their operations, forward and in reverse.
#include "model/parts/mlp.h"

#include "model/parts/weights.h"

namespace ilt {

namespace {

std::vector<LinearRows> up_rows(const DecoderSpec& s) {
  if (!s.gated) return {{s.names.up, s.intermediate}};
  if (!s.names.gate_up.empty()) return {{s.names.gate_up, 2 * s.intermediate}};
  return {{s.names.gate, s.intermediate}, {s.names.up, s.intermediate}};
}

}  // namespace

Mlp::Mlp(const DecoderSpec& s, std::int64_t layer, ParameterSet& parameters)
    : activation_(s.activation),
      gated_(s.gated),
      width_(s.intermediate),
      up_(add_linear(parameters, layer, s.hidden, s.mlp_bias, up_rows(s))),
      down_(add_linear(parameters, layer, s.intermediate, s.mlp_bias, {{s.names.down, s.hidden}}, s.residual_scale)) {}

FeedForward::Saved Mlp::make_saved(std::int64_t tokens, const Allocate& allocate) const {
  return {allocate({tokens, gated_ ? 2 * width_ : width_})};
}

FeedForward::Scratch Mlp::make_scratch(std::int64_t tokens, BufferUse use, const Allocate& allocate) const {
  return {allocate({tokens, width_}), use == BufferUse::training ? allocate({tokens, width_}) : at::Tensor()};
}

void Mlp::forward(const at::Tensor& x, Saved& saved, Scratch& scratch, at::Tensor y, bool add) const {
  up_.forward(x, saved.hidden);
  (gated_ ? ops::gated : ops::activate)(activation_, saved.hidden, scratch.activated);
  down_.forward(scratch.activated, y, add);
}

void Mlp::backward(const at::Tensor& x, Saved& saved, const at::Tensor& d, Scratch& scratch, at::Tensor dx) const {
  down_.backward_input(d, scratch.dactivated);
  (gated_ ? ops::gated_backward : ops::activate_backward)(activation_, saved.hidden, scratch.dactivated,
                                                          scratch.activated);
  down_.backward_weight(scratch.activated, d);
  up_.backward_weight(x, saved.hidden);
  up_.backward_input(saved.hidden, dx);
}

std::unique_ptr<FeedForward> make_feed_forward(const DecoderSpec& spec, std::int64_t layer, ParameterSet& parameters) {
  return std::make_unique<Mlp>(spec, layer, parameters);
}

}  // namespace ilt
