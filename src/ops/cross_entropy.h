// Softmax cross-entropy of rows of logits, with the gradient made in place.
#pragma once

#include "ops/tensor.h"

namespace ilt::ops {

// logits [rows, vocab] become the gradient of the returned sum over rows of weights[r] * -log
// softmax(logits[r])[target]. targets int64 [rows], weights [rows] in the logits' type.
double cross_entropy(Tensor logits, const Tensor& targets, const Tensor& weights);
// logprob[r] = log softmax(logits[r])[targets[r]].
void log_prob(const Tensor& logits, const Tensor& targets, Tensor logprob);

namespace plain {
double cross_entropy(Tensor logits, const Tensor& targets, const Tensor& weights);
void log_prob(const Tensor& logits, const Tensor& targets, Tensor logprob);
}  // namespace plain

}  // namespace ilt::ops
