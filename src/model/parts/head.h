// The head: final norm, projection to the vocabulary, loss. Works in chunks over the positions that are asked for, so
// that the logits of a batch never exist as a whole.
#pragma once

#include "model/micro_batch.h"
#include "model/parts/linear.h"
#include "model/parts/norm.h"
#include "model/spec.h"
#include "ops/cross_entropy.h"

namespace ilt {

class Head {
 public:
  // `embedding` is the projection too where the model ties them.
  Head(const DecoderSpec& spec, ParameterSet& parameters, Parameter& embedding);

  // The weighted sums of the batch's targets, given x, the output of the last block. d is set to the gradient of x
  // (zero where nothing is learnt) of loss + z_weight * z; the parameters' gradients are added to.
  ops::CrossEntropySums loss_and_gradient(const at::Tensor& x, const MicroBatch& batch, double z_weight,
                                          at::Tensor d) const;
  // log p(target) of each of the batch's targets; fp32 [targets].
  at::Tensor log_probs(const at::Tensor& x, const MicroBatch& batch) const;
  // What loss_and_gradient() takes beside the gradients for so many targets.
  std::int64_t working_bytes(std::int64_t targets, std::int64_t hidden) const;
  // Logits of whole rows: for a few positions (generation) and for tests.
  at::Tensor logits(const at::Tensor& x) const;

 private:
  void project(const at::Tensor& normed, at::Tensor logits) const;
  // As ops::cross_entropy, back to the logits before the cap.
  ops::CrossEntropySums cross_entropy(at::Tensor logits, const at::Tensor& targets, const at::Tensor& weights,
                                      double z_weight) const;

  Norm norm_;
  Linear projection_;
  double softcap_;  // logits become softcap * tanh(logit / softcap); 0: they stay
  std::int64_t vocab_;
};

}  // namespace ilt
