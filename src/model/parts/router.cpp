// Routers by softmax (Shazeer et al., arXiv 1701.06538; Jiang et al., arXiv 2401.04088) and by sigmoid with a
// correction that balances the load without a loss (DeepSeek-V3, arXiv 2412.19437, section 2.1.2).
#include "model/parts/router.h"

#include <ATen/ops/ones_like.h>
#include <ATen/ops/topk.h>
#include <ATen/ops/zeros_like.h>

#include <limits>
#include <tuple>

#include "model/parts/weights.h"

namespace ilt {

namespace {

// Keeps a sum of sigmoids that all vanish from dividing by zero, as transformers does.
constexpr double tiny = 1e-20;

}  // namespace

Router::Router(const DecoderSpec& s, const ExpertsSpec& experts, std::int64_t layer, ParameterSet& parameters)
    : spec_(experts),
      projection_(add_linear(parameters, s, layer, s.hidden, experts.router_bias, {{s.names.router, experts.count}})),
      correction_(s.names.router_correction.empty()
                      ? nullptr
                      : &parameters.add_buffer({layer_name(s.names.router_correction, layer), 0, {experts.count}})) {}

at::Tensor Router::scores(const at::Tensor& logits) const {
  return spec_.score == RouterScore::softmax ? logits.softmax(-1) : logits.sigmoid();
}

at::Tensor Router::ranking(const at::Tensor& scores) const {
  at::Tensor rank = correction_ != nullptr ? scores + correction_->value : scores;
  if (spec_.groups <= 1) return rank;
  const std::int64_t tokens = rank.size(0);
  at::Tensor grouped = rank.view({tokens, spec_.groups, -1});
  // A group counts by its best expert, or by its best two (DeepSeek-V2 and V3).
  const at::Tensor of_group =
      spec_.score == RouterScore::softmax ? grouped.amax(-1) : std::get<0>(at::topk(grouped, 2, -1)).sum(-1);
  const at::Tensor best = std::get<1>(at::topk(of_group, spec_.groups_per_token, -1));
  const at::Tensor out = at::ones_like(of_group, at::kBool).scatter_(1, best, false);
  grouped = grouped.masked_fill(out.unsqueeze(-1), -std::numeric_limits<double>::infinity());
  return grouped.view({tokens, spec_.count});
}

Router::Choice Router::choose(const at::Tensor& logits) const {
  const at::Tensor all = scores(logits);
  const at::Tensor experts = std::get<1>(at::topk(ranking(all), spec_.per_token, -1));
  at::Tensor weights = all.gather(1, experts);
  if (spec_.normalise) weights = weights / (weights.sum(-1, true) + tiny);
  return {experts, weights * spec_.scale};
}

void Router::backward(const at::Tensor& x, const at::Tensor& logits, const Choice& choice, const at::Tensor& dweights,
                      const at::Tensor& dscores, at::Tensor dx) const {
  const at::Tensor all = scores(logits);
  at::Tensor d = dweights * spec_.scale;
  if (spec_.normalise) {
    const at::Tensor chosen = all.gather(1, choice.experts);
    const at::Tensor total = chosen.sum(-1, true) + tiny;
    d = (d - (d * chosen).sum(-1, true) / total) / total;
  }
  at::Tensor dall = at::zeros_like(all).scatter_(1, choice.experts, d);
  if (dscores.defined()) dall.add_(dscores);
  const at::Tensor dlogits =
      spec_.score == RouterScore::softmax ? all * (dall - (dall * all).sum(-1, true)) : dall * all * (1 - all);
  projection_.backward_weight(x, dlogits);
  projection_.backward_input(dlogits, dx, /*add=*/true);
}

}  // namespace ilt
