// The choices carry no gradient: that of the loss goes through the probabilities alone.
#include "model/parts/load_balance.h"

#include <ATen/ops/empty_like.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/topk.h>
#include <ATen/ops/zeros_like.h>

#include <tuple>

namespace ilt {

LoadBalance balance_load(const std::vector<at::Tensor>& logits, std::int64_t per_token, ops::Segments starts) {
  const auto layers = static_cast<double>(logits.size());
  at::Tensor choices = at::zeros_like(logits.front());  // of each token, over the layers
  at::Tensor probabilities = at::zeros_like(logits.front());
  const at::Tensor one = at::ones({1, 1}, choices.options());
  for (const at::Tensor& layer : logits) {
    const at::Tensor p = layer.softmax(-1);
    probabilities.add_(p);
    choices.scatter_add_(1, std::get<1>(at::topk(p, per_token, -1)), one.expand({p.size(0), per_token}));
  }
  const auto experts = static_cast<double>(choices.size(1));
  LoadBalance balance{0.0, at::empty_like(choices)};
  for (std::size_t s = 0; s + 1 < starts.size(); ++s) {
    const std::int64_t tokens = starts[s + 1] - starts[s];
    const at::Tensor f = choices.narrow(0, starts[s], tokens).mean(0) / layers;
    const at::Tensor p = probabilities.narrow(0, starts[s], tokens).mean(0) / layers;
    balance.loss += static_cast<double>(tokens) * experts * f.dot(p).item<double>();
    balance.gradient.narrow(0, starts[s], tokens).copy_((f * (experts / layers)).expand({tokens, f.size(0)}));
  }
  return balance;
}

}  // namespace ilt
