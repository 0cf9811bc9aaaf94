// Feed-forward layers of two projections with an activation between, plain or gated.
#pragma once

#include "model/parts/feed_forward.h"

namespace ilt {

class Mlp : public FeedForward {
 public:
  Mlp(const DecoderSpec& spec, const MlpNames& names, std::int64_t width, std::int64_t layer, ParameterSet& parameters);

  Saved make_saved(std::int64_t tokens, const Allocate& allocate) const override;
  Scratch make_scratch(std::int64_t tokens, BufferUse use, const Allocate& allocate) const override;
  void forward(const at::Tensor& x, Saved& saved, Scratch& scratch, at::Tensor y, bool add) const override;
  void backward(const at::Tensor& x, Saved& saved, const at::Tensor& d, Scratch& scratch, at::Tensor dx,
                bool add) const override;

 private:
  ops::Activation activation_;
  bool gated_;
  std::int64_t width_;
  Linear up_;  // where gated: gate and up projections in one
  Linear down_;
};

}  // namespace ilt
