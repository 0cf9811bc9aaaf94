// Norms over rows: root mean square (Zhang & Sennrich, arXiv 1910.07467) and layer norm (Ba et al., arXiv 1607.06450).
#pragma once

#include "ops/tensor.h"

namespace ilt::ops {

// y = x / sqrt(mean(x^2) + eps) * weight. x, y [rows, width]; weight [width]; rstd [rows] is kept for the backward
// pass.
void rms_norm(const Tensor& x, const Tensor& weight, double eps, Tensor y, Tensor rstd);
// dx += the gradient of x; dweight += that of weight, unless dweight is undefined (a frozen norm).
void rms_norm_backward(const Tensor& x, const Tensor& weight, const Tensor& rstd, const Tensor& dy, Tensor dx,
                       Tensor dweight);

// What layer_norm keeps for its backward pass: two numbers a row.
struct LayerNormStats {
  Tensor mean, rstd;
};

// y = (x - mean(x)) / sqrt(var(x) + eps) * weight + bias; bias may be undefined.
void layer_norm(const Tensor& x, const Tensor& weight, const Tensor& bias, double eps, Tensor y, LayerNormStats stats);
// As rms_norm_backward; dweight and dbias may be undefined.
void layer_norm_backward(const Tensor& x, const Tensor& weight, const LayerNormStats& stats, const Tensor& dy,
                         Tensor dx, Tensor dweight, Tensor dbias);

// The plain forms also take x [rows, heads, width] with weights [heads, width].
namespace plain {
void rms_norm(const Tensor& x, const Tensor& weight, double eps, Tensor y, Tensor rstd);
void rms_norm_backward(const Tensor& x, const Tensor& weight, const Tensor& rstd, const Tensor& dy, Tensor dx,
                       Tensor dweight);
void layer_norm(const Tensor& x, const Tensor& weight, const Tensor& bias, double eps, Tensor y, LayerNormStats stats);
void layer_norm_backward(const Tensor& x, const Tensor& weight, const LayerNormStats& stats, const Tensor& dy,
                         Tensor dx, Tensor dweight, Tensor dbias);
}  // namespace plain

}  // namespace ilt::ops
