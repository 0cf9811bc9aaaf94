// A root-mean-square norm layer.
#pragma once

#include "model/parameter.h"
#include "ops/norm.h"

namespace ilt {

class Norm {
 public:
  Norm(Parameter& weight, double eps) : weight_(&weight), eps_(eps) {}

  // rstd [rows] is kept for backward.
  void forward(const at::Tensor& x, at::Tensor y, at::Tensor rstd) const {
    ops::rms_norm(x, weight_->value, eps_, y, rstd);
  }
  // dx += ...; the weight's gradient too.
  void backward(const at::Tensor& x, const at::Tensor& rstd, const at::Tensor& dy, at::Tensor dx) const {
    ops::rms_norm_backward(x, weight_->value, rstd, dy, dx, weight_->grad);
  }

 private:
  Parameter* weight_;
  double eps_;
};

}  // namespace ilt
