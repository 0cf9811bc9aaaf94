// AdamW: one fused pass over the tensor.
#include "optim/adamw.h"

#include <ATen/ops/zeros_like.h>

namespace ilt {

ops::AdamWStep adamw_step(const AdamWOptions& options, double weight_decay, const UpdateStep& step) {
  return {.lr = step.lr,
          .beta1 = options.beta1,
          .beta2 = options.beta2,
          .eps = options.eps,
          .weight_decay = weight_decay,
          .grad_scale = step.grad_scale,
          .step = step.step};
}

AdamW::AdamW(const TrainedTensor& tensor, const AdamWOptions& options)
    : tensor_(tensor),
      options_(options),
      mean_(at::zeros_like(tensor.value)),
      mean_square_(at::zeros_like(tensor.value)) {}

void AdamW::update(const UpdateStep& s) {
  ops::adamw(adamw_step(options_, tensor_.weight_decay, s), tensor_.value, tensor_.grad, mean_, mean_square_);
}

std::vector<NamedTensor> AdamW::state() const {
  return {{"exp_avg", mean_}, {"exp_avg_sq", mean_square_}};
}

}  // namespace ilt
