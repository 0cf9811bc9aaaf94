// AdamW: one fused pass over each parameter.
#include "optim/adamw.h"

#include <ATen/ops/zeros_like.h>

#include "ops/adamw.h"

namespace ilt {

AdamW::AdamW(ParameterSet& parameters, const AdamWOptions& options) : parameters_(parameters), options_(options) {
  for (const Parameter& p : parameters_.all()) moments_.push_back({at::zeros_like(p.value), at::zeros_like(p.value)});
}

void AdamW::step(double lr, double grad_scale) {
  ++steps_;
  const ops::AdamWStep step{.lr = lr,
                            .beta1 = options_.beta1,
                            .beta2 = options_.beta2,
                            .eps = options_.eps,
                            .weight_decay = options_.weight_decay,
                            .grad_scale = grad_scale,
                            .step = steps_};
  std::size_t i = 0;
  for (const Parameter& p : parameters_.all()) {
    const Moments& m = moments_[i++];
    if (!p.grad.defined()) continue;
    ops::adamw(step, p.value, p.grad, m.first, m.second);
  }
}

std::vector<NamedTensor> AdamW::state() const {
  std::vector<NamedTensor> tensors;
  std::size_t i = 0;
  for (const Parameter& p : parameters_.all()) {
    tensors.push_back({"exp_avg." + p.name, moments_[i].first});
    tensors.push_back({"exp_avg_sq." + p.name, moments_[i].second});
    ++i;
  }
  return tensors;
}

}  // namespace ilt
