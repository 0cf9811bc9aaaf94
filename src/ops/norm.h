// Root-mean-square norm (Zhang & Sennrich, arXiv 1910.07467): y = x / sqrt(mean(x^2) + eps) * weight.
#pragma once

#include "ops/tensor.h"

namespace ilt::ops {

// x, y [rows, width]; weight [width]; rstd [rows] is kept for the backward pass.
void rms_norm(const Tensor& x, const Tensor& weight, double eps, Tensor y, Tensor rstd);
// dx += the gradient of x; dweight += that of weight, unless dweight is undefined (a frozen norm).
void rms_norm_backward(const Tensor& x, const Tensor& weight, const Tensor& rstd, const Tensor& dy, Tensor dx,
                       Tensor dweight);

namespace plain {
void rms_norm(const Tensor& x, const Tensor& weight, double eps, Tensor y, Tensor rstd);
void rms_norm_backward(const Tensor& x, const Tensor& weight, const Tensor& rstd, const Tensor& dy, Tensor dx,
                       Tensor dweight);
}  // namespace plain

}  // namespace ilt::ops
