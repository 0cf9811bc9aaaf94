// The gated feed-forward layer: the order of its operations, forward and in reverse.
#include "model/parts/mlp.h"

#include "model/parts/weights.h"
#include "ops/swiglu.h"

namespace ilt {

GatedMlp::GatedMlp(const DecoderSpec& s, std::int64_t layer, ParameterSet& parameters)
    : gate_up_(add_linear(parameters, layer, s.hidden, s.mlp_bias,
                          {{s.names.gate, s.intermediate}, {s.names.up, s.intermediate}})),
      down_(add_linear(parameters, layer, s.intermediate, s.mlp_bias, {{s.names.down, s.hidden}})) {}

void GatedMlp::forward(const at::Tensor& x, Saved& saved, Scratch& scratch, at::Tensor residual) const {
  gate_up_.forward(x, saved.gate_up);
  ops::swiglu(saved.gate_up, scratch.activated);
  down_.forward(scratch.activated, residual, /*add=*/true);
}

void GatedMlp::backward(const at::Tensor& x, Saved& saved, const at::Tensor& d, Scratch& scratch, at::Tensor dx) const {
  down_.backward_input(d, scratch.dactivated);
  ops::swiglu_backward(saved.gate_up, scratch.dactivated, scratch.activated);
  down_.backward_weight(scratch.activated, d);
  gate_up_.backward_weight(x, saved.gate_up);
  gate_up_.backward_input(saved.gate_up, dx);
}

}  // namespace ilt
