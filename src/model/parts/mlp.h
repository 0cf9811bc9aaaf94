// The gated feed-forward layer: fused gate and up projections, silu(gate) * up, down projection.
#pragma once

#include "model/parts/linear.h"
#include "model/spec.h"

namespace ilt {

class GatedMlp {
 public:
  GatedMlp(const DecoderSpec& spec, std::int64_t layer, ParameterSet& parameters);

  struct Saved {
    at::Tensor gate_up;  // backward turns it into its gradient
  };
  struct Scratch {
    at::Tensor activated, dactivated;
  };

  // residual += mlp(x).
  void forward(const at::Tensor& x, Saved& saved, Scratch& scratch, at::Tensor residual) const;
  // dx = gradient of x, given d, the gradient of the residual.
  void backward(const at::Tensor& x, Saved& saved, const at::Tensor& d, Scratch& scratch, at::Tensor dx) const;

 private:
  Linear gate_up_;
  Linear down_;
};

}  // namespace ilt
