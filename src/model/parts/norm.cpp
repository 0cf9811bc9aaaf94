// A norm layer: which operation it is.
#include "model/parts/norm.h"

#include <ATen/ops/empty.h>

namespace ilt {

Norm::Stats Norm::make_stats(std::int64_t rows, at::TensorOptions options) {
  return {at::empty({rows}, options), at::empty({rows}, options)};
}

at::Tensor Norm::shaped(const at::Tensor& t) const {
  return t.defined() && !weight_shape_.empty() ? t.view(weight_shape_) : t;
}

at::Tensor Norm::weight() const {
  const at::Tensor w = shaped(weight_->value);
  return spec_.offset == 0.0 ? w : w + spec_.offset;
}

void Norm::forward(const at::Tensor& x, at::Tensor y, const Stats& stats) const {
  if (spec_.kind == NormKind::rms) {
    ops::rms_norm(x, weight(), spec_.eps, y, stats.rstd);
  } else {
    ops::layer_norm(x, weight(), bias_ != nullptr ? bias_->value : at::Tensor(), spec_.eps, y, stats);
  }
}

void Norm::backward(const at::Tensor& x, const Stats& stats, const at::Tensor& dy, at::Tensor dx) const {
  const at::Tensor dweight = shaped(weight_->grad);
  if (spec_.kind == NormKind::rms) {
    ops::rms_norm_backward(x, weight(), stats.rstd, dy, dx, dweight);
  } else {
    ops::layer_norm_backward(x, weight(), stats, dy, dx, dweight, bias_ != nullptr ? bias_->grad : at::Tensor());
  }
}

}  // namespace ilt
