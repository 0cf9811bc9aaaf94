// A mixture of experts: tokens are sorted by expert, each expert's rows are a dense product, the results are weighted
// and added back. The choice is recomputed in backward from the router's logits.
#include "model/parts/experts.h"

#include <ATen/ops/argsort.h>
#include <ATen/ops/bincount.h>
#include <ATen/ops/empty_like.h>

#include "model/parts/expert_weights.h"
#include "model/parts/weights.h"
#include "ops/matmul.h"
#include "ops/rows.h"

namespace ilt {

namespace {

std::optional<Mlp> shared_expert(const DecoderSpec& s, std::int64_t layer, ParameterSet& parameters) {
  if (s.experts->shared_width == 0) return std::nullopt;
  return Mlp(s, s.names.shared_mlp, s.experts->shared_width, layer, parameters);
}

std::optional<Linear> shared_expert_gate(const DecoderSpec& s, std::int64_t layer, ParameterSet& parameters) {
  if (s.names.shared_gate.empty()) return std::nullopt;
  return add_linear(parameters, s, layer, s.hidden, false, {{s.names.shared_gate, 1}});
}

}  // namespace

Experts::Experts(const DecoderSpec& s, std::int64_t layer, ParameterSet& parameters)
    : hidden_(s.hidden),
      width_(s.experts->width),
      scale_(s.residual_scale),
      activation_(s.experts->activation),
      router_(s, *s.experts, layer, parameters),
      gate_up_(&add_expert_gate_up(s, layer, parameters)),
      gate_up_bias_(add_expert_gate_up_bias(s, layer, parameters)),
      down_(&add_expert_down(s, layer, parameters)),
      down_bias_(add_expert_down_bias(s, layer, parameters)),
      shared_(shared_expert(s, layer, parameters)),
      shared_gate_(shared_expert_gate(s, layer, parameters)) {}

FeedForward::Saved Experts::make_saved(std::int64_t tokens, const Allocate& allocate) const {
  Saved saved;
  saved.hidden = allocate({tokens, router_.per_token(), 2 * width_});
  saved.logits = allocate({tokens, router_.experts()});
  if (shared_) saved.shared_hidden = shared_->make_saved(tokens, allocate).hidden;
  if (shared_gate_) {
    saved.shared_output = allocate({tokens, hidden_});
    saved.shared_gate = allocate({tokens, 1});
  }
  return saved;
}

FeedForward::Scratch Experts::make_scratch(std::int64_t tokens, BufferUse use, const Allocate& allocate) const {
  const auto rows = [&](std::int64_t width) { return allocate({tokens, router_.per_token(), width}); };
  Scratch scratch;
  scratch.activated = rows(width_);
  scratch.rows = rows(hidden_);
  scratch.outputs = rows(hidden_);
  if (use == BufferUse::training) scratch.dactivated = rows(width_);
  if (shared_) {
    const Scratch shared = shared_->make_scratch(tokens, use, allocate);
    scratch.shared_activated = shared.activated;
    scratch.shared_dactivated = shared.dactivated;
  }
  return scratch;
}

Experts::Dispatch Experts::dispatch(const Router::Choice& choice) const {
  const at::Tensor flat = choice.experts.flatten();
  const at::Tensor slots = at::argsort(flat, /*stable=*/true, /*dim=*/0, /*descending=*/false);
  const at::Tensor counts = at::bincount(flat, {}, router_.experts()).to(at::kCPU);
  Dispatch d{slots.floor_divide(router_.per_token()), slots, {0}, {}};
  for (std::int64_t e = 0; e < router_.experts(); ++e)
    d.starts.push_back(d.starts.back() + counts.const_data_ptr<std::int64_t>()[e]);
  d.weights = (choice.weights.flatten().index_select(0, slots) * scale_).unsqueeze(-1);
  return d;
}

template <typename F>
void Experts::over_experts(const Dispatch& d, const F& f) {
  for (std::size_t e = 0; e + 1 < d.starts.size(); ++e)
    if (d.starts[e + 1] > d.starts[e]) f(static_cast<std::int64_t>(e), d.starts[e], d.starts[e + 1] - d.starts[e]);
}

at::Tensor Experts::up_of(const at::Tensor& all, std::int64_t e) const {
  return all.narrow(0, e * 2 * width_, 2 * width_);
}

at::Tensor Experts::down_of(const at::Tensor& all, std::int64_t e) const {
  return all.narrow(0, e * hidden_, hidden_);
}

namespace {

// y = x w^T + bias for one expert's rows; bias may be undefined.
void project(const at::Tensor& x, const at::Tensor& w, const at::Tensor& bias, at::Tensor y) {
  if (bias.defined()) y.copy_(bias.expand_as(y));
  ops::matmul(y, x, w.t(), /*accumulate=*/bias.defined());
}

}  // namespace

void Experts::forward(const at::Tensor& x, Saved& saved, Scratch& scratch, at::Tensor y, bool add) const {
  router_.forward(x, saved.logits);
  const Dispatch d = dispatch(router_.choose(saved.logits));
  const at::Tensor rows = scratch.rows.flatten(0, 1);
  const at::Tensor hidden = saved.hidden.flatten(0, 1);
  const at::Tensor activated = scratch.activated.flatten(0, 1);
  at::Tensor outputs = scratch.outputs.flatten(0, 1);
  ops::gather_rows(x, d.tokens, rows);
  over_experts(d, [&](std::int64_t e, std::int64_t first, std::int64_t n) {
    project(rows.narrow(0, first, n), up_of(gate_up_->value, e),
            gate_up_bias_ != nullptr ? up_of(gate_up_bias_->value, e) : at::Tensor(), hidden.narrow(0, first, n));
  });
  ops::gated(activation_, hidden, activated);
  over_experts(d, [&](std::int64_t e, std::int64_t first, std::int64_t n) {
    project(activated.narrow(0, first, n), down_of(down_->value, e),
            down_bias_ != nullptr ? down_of(down_bias_->value, e) : at::Tensor(), outputs.narrow(0, first, n));
  });
  outputs.mul_(d.weights);
  if (!add) y.zero_();
  ops::add_rows(y, d.tokens, outputs);
  add_shared(x, saved, scratch, y);
}

void Experts::backward(const at::Tensor& x, Saved& saved, const at::Tensor& d, Scratch& scratch, at::Tensor dx,
                       bool add) const {
  const Router::Choice choice = router_.choose(saved.logits);
  const Dispatch sorted = dispatch(choice);
  const at::Tensor rows = scratch.rows.flatten(0, 1);
  const at::Tensor hidden = saved.hidden.flatten(0, 1);
  const at::Tensor activated = scratch.activated.flatten(0, 1);
  at::Tensor dactivated = scratch.dactivated.flatten(0, 1);
  at::Tensor doutputs = scratch.outputs.flatten(0, 1);
  ops::gather_rows(x, sorted.tokens, rows);
  ops::gather_rows(d, sorted.tokens, doutputs);
  ops::gated(activation_, hidden, activated);
  over_experts(sorted, [&](std::int64_t e, std::int64_t first, std::int64_t n) {
    ops::matmul(dactivated.narrow(0, first, n), doutputs.narrow(0, first, n), down_of(down_->value, e));
  });
  // An output's weight has the gradient <output, d>, which is <activated, d W> + <bias, d>.
  at::Tensor dweights = (activated * dactivated).sum(-1);
  dactivated.mul_(sorted.weights);
  ops::gated_backward(activation_, hidden, dactivated, activated);
  over_experts(sorted, [&](std::int64_t e, std::int64_t first, std::int64_t n) {
    const at::Tensor part = doutputs.narrow(0, first, n);
    if (down_bias_ != nullptr) dweights.narrow(0, first, n).add_(part.matmul(down_of(down_bias_->value, e)));
    part.mul_(sorted.weights.narrow(0, first, n));
    if (down_->grad.defined())
      ops::matmul(down_of(down_->grad, e), part.t(), activated.narrow(0, first, n), /*accumulate=*/true);
    if (down_bias_ != nullptr && down_bias_->grad.defined()) down_of(down_bias_->grad, e).add_(part.sum(0));
    const at::Tensor dhidden = hidden.narrow(0, first, n);
    if (gate_up_->grad.defined())
      ops::matmul(up_of(gate_up_->grad, e), dhidden.t(), rows.narrow(0, first, n), /*accumulate=*/true);
    if (gate_up_bias_ != nullptr && gate_up_bias_->grad.defined()) up_of(gate_up_bias_->grad, e).add_(dhidden.sum(0));
    ops::matmul(part, dhidden, up_of(gate_up_->value, e));  // doutputs' memory becomes drows
  });
  if (!add) dx.zero_();
  ops::add_rows(dx, sorted.tokens, doutputs);
  const at::Tensor by_slot = at::empty_like(dweights).index_copy_(0, sorted.slots, dweights * scale_);
  router_.backward(x, saved.logits, choice, by_slot.view_as(choice.weights), scratch.dscores, dx);
  shared_backward(x, saved, d, scratch, dx);
}

void Experts::add_shared(const at::Tensor& x, Saved& saved, Scratch& scratch, at::Tensor y) const {
  if (!shared_) return;
  Saved inner{.hidden = saved.shared_hidden};
  Scratch inner_scratch{.activated = scratch.shared_activated, .dactivated = scratch.shared_dactivated};
  if (!shared_gate_) return shared_->forward(x, inner, inner_scratch, y, /*add=*/true);
  shared_->forward(x, inner, inner_scratch, saved.shared_output, /*add=*/false);
  shared_gate_->forward(x, saved.shared_gate);
  saved.shared_gate.sigmoid_();
  y.addcmul_(saved.shared_output, saved.shared_gate);
}

void Experts::shared_backward(const at::Tensor& x, Saved& saved, const at::Tensor& d, Scratch& scratch,
                              at::Tensor dx) const {
  if (!shared_) return;
  Saved inner{.hidden = saved.shared_hidden};
  Scratch inner_scratch{.activated = scratch.shared_activated, .dactivated = scratch.shared_dactivated};
  if (!shared_gate_) return shared_->backward(x, inner, d, inner_scratch, dx, /*add=*/true);
  const at::Tensor& gate = saved.shared_gate;
  const at::Tensor dgate = (d * saved.shared_output).sum(-1, true) * gate * (1 - gate);
  shared_gate_->backward_weight(x, dgate);
  shared_gate_->backward_input(dgate, dx, /*add=*/true);
  shared_->backward(x, inner, d * gate, inner_scratch, dx, /*add=*/true);
}

}  // namespace ilt
