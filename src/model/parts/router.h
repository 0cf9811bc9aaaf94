// The router of a mixture of experts: which experts a token goes to, and with what weights.
#pragma once

#include "model/parts/linear.h"
#include "model/spec.h"

namespace ilt {

class Router {
 public:
  Router(const DecoderSpec& spec, const ExpertsSpec& experts, std::int64_t layer, ParameterSet& parameters);

  std::int64_t experts() const { return spec_.count; }
  std::int64_t per_token() const { return spec_.per_token; }

  struct Choice {
    at::Tensor experts;  // int64 [tokens, per_token]
    at::Tensor weights;  // [tokens, per_token]
  };
  void forward(const at::Tensor& x, at::Tensor logits) const { projection_.forward(x, logits); }
  Choice choose(const at::Tensor& logits) const;
  // dx += the gradient through the weights of the choice, given theirs, and through all scores (undefined: none).
  void backward(const at::Tensor& x, const at::Tensor& logits, const Choice& choice, const at::Tensor& dweights,
                const at::Tensor& dscores, at::Tensor dx) const;

 private:
  at::Tensor scores(const at::Tensor& logits) const;
  // What the choice goes by: scores, corrected, those of groups that are out of the question hidden.
  at::Tensor ranking(const at::Tensor& scores) const;

  ExpertsSpec spec_;
  Linear projection_;
  const Parameter* correction_;  // null where there is none
};

}  // namespace ilt
