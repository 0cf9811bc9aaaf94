// A state-space layer: what stands between its projections, and autograd over it.
#include "model/parts/mamba.h"

#include <ATen/ops/conv1d.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/silu.h>
#include <ATen/ops/softplus.h>
#include <c10/core/GradMode.h>

#include "model/parts/weights.h"

namespace ilt {

namespace {

const std::string stem = "model.layers.{}.mamba.";

Parameter& add_vector(ParameterSet& parameters, std::int64_t layer, const char* name, std::int64_t size) {
  return parameters.add({{layer_name(stem + name, layer), 0, {size}}});
}

}  // namespace

Mamba::Mamba(const DecoderSpec& s, std::int64_t layer, ParameterSet& parameters)
    : spec_(*s.mamba),
      norm_eps_(s.norm.eps),
      input_(
          add_linear(parameters, s, layer, s.hidden, spec_.projection_bias, {{stem + "in_proj", projected_width()}})),
      convolution_(
          &parameters.add({{layer_name(stem + "conv1d.weight", layer), 0, {spec_.convolved(), 1, spec_.convolution}}})),
      convolution_bias_(spec_.convolution_bias ? &add_vector(parameters, layer, "conv1d.bias", spec_.convolved())
                                               : nullptr),
      step_bias_(&add_vector(parameters, layer, "dt_bias", spec_.heads)),
      log_decay_(&add_vector(parameters, layer, "A_log", spec_.heads)),
      skip_(&add_vector(parameters, layer, "D", spec_.heads)),
      norm_(&add_vector(parameters, layer, "norm.weight", spec_.inner())),
      output_(add_linear(parameters, s, layer, spec_.inner(), spec_.projection_bias, {{stem + "out_proj", s.hidden}},
                         {.scale = s.residual_scale})) {}

Mixer::Saved Mamba::make_saved(std::int64_t tokens, const Allocate& allocate) const {
  return {.projected = allocate({tokens, projected_width()}), .mixed = allocate({tokens, spec_.inner()})};
}

Mixer::Scratch Mamba::make_scratch(std::int64_t tokens, BufferUse use, const Allocate& allocate) const {
  Scratch scratch;
  if (use == BufferUse::training) {
    scratch.dprojected = allocate({tokens, projected_width()});
    scratch.dmixed = allocate({tokens, spec_.inner()});
  }
  return scratch;
}

std::vector<Parameter*> Mamba::parameters() const {
  return {convolution_, step_bias_, log_decay_, skip_, norm_, convolution_bias_};
}

std::vector<at::Tensor> Mamba::leaves(bool learning) const {
  std::vector<at::Tensor> weights;
  for (const Parameter* p : parameters())
    weights.push_back(p != nullptr ? p->value.detach().set_requires_grad(learning && p->grad.defined()) : at::Tensor());
  return weights;
}

at::Tensor Mamba::mix_sample(const at::Tensor& projected, const std::vector<at::Tensor>& weights) const {
  const std::int64_t tokens = projected.size(0);
  const std::int64_t inner = spec_.inner();
  const auto& convolution = weights[0];
  const auto& step_bias = weights[1];
  const auto& log_decay = weights[2];
  const auto& skip = weights[3];
  const auto& norm = weights[4];
  const auto& bias = weights[5];
  const at::Tensor gate = projected.narrow(1, 0, inner);
  const at::Tensor taken = projected.narrow(1, inner, spec_.convolved()).t().unsqueeze(0);
  const at::Tensor mixed = at::silu(at::conv1d(taken, convolution, bias, 1, spec_.convolution - 1, 1, spec_.convolved())
                                        .narrow(2, 0, tokens)
                                        .squeeze(0)
                                        .t());
  const at::Tensor x = mixed.narrow(1, 0, inner).reshape({tokens, spec_.heads, spec_.head_dim});
  const auto shared = [&](std::int64_t first) {
    return mixed.narrow(1, first, spec_.groups * spec_.state)
        .reshape({tokens, spec_.groups, spec_.state})
        .repeat_interleave(spec_.heads / spec_.groups, 1);
  };
  const at::Tensor step = at::softplus(projected.narrow(1, inner + spec_.convolved(), spec_.heads) + step_bias)
                              .clamp(spec_.least_step, spec_.largest_step);
  const at::Tensor y =
      state_space(x, step, -log_decay.exp(), shared(inner), shared(inner + spec_.groups * spec_.state)) +
      x * skip.unsqueeze(-1);
  const at::Tensor gated = (y.reshape({tokens, inner}) * at::silu(gate)).view({tokens, spec_.groups, -1});
  const at::Tensor rstd = (gated.square().mean(-1, true) + norm_eps_).rsqrt();
  return (gated * rstd).view({tokens, inner}) * norm;
}

void Mamba::forward(const at::Tensor& x, const Positions& positions, Saved& saved, const Scratch&, at::Tensor y,
                    bool add) const {
  input_.forward(x, saved.projected);
  const std::vector<at::Tensor> weights = leaves(/*learning=*/false);
  for (std::size_t i = 0; i + 1 < positions.starts.size(); ++i) {
    const std::int64_t begin = positions.starts[i];
    const std::int64_t tokens = positions.starts[i + 1] - begin;
    saved.mixed.narrow(0, begin, tokens).copy_(mix_sample(saved.projected.narrow(0, begin, tokens), weights));
  }
  output_.forward(saved.mixed, y, add);
}

void Mamba::backward(const at::Tensor& x, const Positions& positions, const Saved& saved, const at::Tensor& d,
                     Scratch& scratch, at::Tensor dx) const {
  output_.backward_weight(saved.mixed, d);
  output_.backward_input(d, scratch.dmixed);
  const std::vector<at::Tensor> weights = leaves(/*learning=*/true);
  for (std::size_t i = 0; i + 1 < positions.starts.size(); ++i) {
    const std::int64_t begin = positions.starts[i];
    const std::int64_t tokens = positions.starts[i + 1] - begin;
    const c10::AutoGradMode recording(true);
    const at::Tensor projected = saved.projected.narrow(0, begin, tokens).detach().set_requires_grad(true);
    mix_sample(projected, weights).backward(scratch.dmixed.narrow(0, begin, tokens));
    scratch.dprojected.narrow(0, begin, tokens).copy_(projected.grad());
  }
  const std::vector<Parameter*> all = parameters();
  for (std::size_t i = 0; i < all.size(); ++i)
    if (weights[i].defined() && weights[i].grad().defined()) all[i]->grad.add_(weights[i].grad());
  input_.backward_weight(x, scratch.dprojected);
  input_.backward_input(scratch.dprojected, dx);
}

void Mamba::decode(const at::Tensor& x, const Positions&, std::int64_t first, at::Tensor cache, at::Tensor y,
                   bool add) const {
  const std::int64_t tokens = x.size(0);
  input_.forward(x, cache.narrow(0, first, tokens));
  const at::Tensor mixed = mix_sample(cache.narrow(0, 0, first + tokens), leaves(/*learning=*/false));
  output_.forward(mixed.narrow(0, first, tokens), y, add);
}

}  // namespace ilt
