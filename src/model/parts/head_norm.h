// A norm of query or key heads, before they are rotated.
#pragma once

#include "model/parts/norm.h"

namespace ilt {

class HeadNorm {
 public:
  // `name` is the checkpoint's, without ".weight"; "{head}" in it stands for the head where each is stored by itself.
  HeadNorm(const DecoderSpec& spec, std::int64_t layer, const std::string& name, std::int64_t heads,
           ParameterSet& parameters);

  std::int64_t width() const { return heads_ * head_dim_; }
  std::int64_t norms_per_token() const { return kind_ == HeadNormKind::whole ? 1 : heads_; }

  // Working memory; its rows may be wider than the heads.
  struct Scratch {
    at::Tensor first, second;
    Norm::Stats stats;
  };

  // Normalises `heads`, columns of the packed projections, in place; `raw` [tokens, width] keeps what they were.
  void forward(at::Tensor heads, at::Tensor raw, const Scratch& scratch) const;
  // Turns dheads, the gradient of what forward left, into that of what it found.
  void backward(const at::Tensor& raw, at::Tensor dheads, const Scratch& scratch) const;

 private:
  at::Tensor grouped(const at::Tensor& x) const;
  // The scratch as dense tensors of this norm's width.
  Scratch fitted(const Scratch& scratch, std::int64_t tokens) const;

  HeadNormKind kind_;
  std::int64_t heads_, head_dim_;
  Norm norm_;
};

}  // namespace ilt
