// A linear layer: three matrix products, and the bias where there is one.
#include "model/parts/linear.h"

#include <ATen/ops/mul.h>
#include <ATen/ops/sum.h>

#include "ops/matmul.h"

namespace ilt {

void Linear::forward(const at::Tensor& x, at::Tensor y, bool add) const {
  if (bias_ != nullptr) {
    if (add) {
      y.add_(bias_->value, scale_);
    } else {
      y.copy_(bias_->value.expand_as(y));
      if (scale_ != 1.0) y.mul_(scale_);
    }
  }
  ops::matmul(y, x, weight_->value.t(), add || bias_ != nullptr, scale_);
}

void Linear::backward_weight(const at::Tensor& x, const at::Tensor& dy) const {
  if (weight_->grad.defined()) ops::matmul(weight_->grad, dy.t(), x, /*accumulate=*/true, scale_);
  if (bias_ != nullptr && bias_->grad.defined()) bias_->grad.add_(dy.sum(0), scale_);
}

void Linear::backward_input(const at::Tensor& dy, at::Tensor dx, bool add) const {
  ops::matmul(dx, dy, weight_->value, add, scale_);
}

}  // namespace ilt
