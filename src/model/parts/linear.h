// A linear layer y = x W^T + b with an explicit backward pass.
#pragma once

#include "model/parameter.h"

namespace ilt {

class Linear {
 public:
  // weight [out, in]; bias [out] or null. What the layer gives is multiplied by `scale`.
  Linear(Parameter& weight, Parameter* bias, double scale = 1.0) : weight_(&weight), bias_(bias), scale_(scale) {}

  // y = scale (x W^T + b), or added to y (a residual).
  void forward(const at::Tensor& x, at::Tensor y, bool add = false) const;
  // Adds to the gradients of W and b, where they are trained. x: the input of forward.
  void backward_weight(const at::Tensor& x, const at::Tensor& dy) const;
  // dx = scale dy W, or added to dx.
  void backward_input(const at::Tensor& dy, at::Tensor dx, bool add = false) const;

 private:
  Parameter* weight_;
  Parameter* bias_;
  double scale_;
};

}  // namespace ilt
