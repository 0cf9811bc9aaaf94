// A norm layer of either kind, over the rows of a tensor.
#pragma once

#include "model/parameter.h"
#include "model/spec.h"
#include "ops/norm.h"

namespace ilt {

class Norm {
 public:
  // bias may be null.
  Norm(const NormSpec& spec, Parameter& weight, Parameter* bias) : spec_(spec), weight_(&weight), bias_(bias) {}

  // What forward finds out about each row and backward needs; forward is cheap enough to be run again for it.
  using Stats = ops::LayerNormStats;
  static Stats make_stats(std::int64_t rows, at::TensorOptions options);

  void forward(const at::Tensor& x, at::Tensor y, const Stats& stats) const;
  // dx += ...; the parameters' gradients too, unless they are undefined (frozen).
  void backward(const at::Tensor& x, const Stats& stats, const at::Tensor& dy, at::Tensor dx) const;

  // For heads that each have a weight of their own: x is [rows, heads, width], the weight [heads, width].
  void set_weight_shape(std::vector<std::int64_t> shape) { weight_shape_ = std::move(shape); }

 private:
  at::Tensor shaped(const at::Tensor& t) const;
  at::Tensor weight() const;

  NormSpec spec_;
  Parameter* weight_;
  Parameter* bias_;
  std::vector<std::int64_t> weight_shape_;  // empty: as stored
};

}  // namespace ilt
