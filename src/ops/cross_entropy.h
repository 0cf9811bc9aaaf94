// Softmax cross-entropy of rows of logits, with the gradient made in place.
#pragma once

#include "ops/tensor.h"

namespace ilt::ops {

// Sums over rows, each times weights[r].
struct CrossEntropySums {
  double loss = 0;  // -log softmax(logits[r])[target]
  double z = 0;     // log(sum(exp(logits[r])))^2, which keeps logits from drifting (PaLM, arXiv 2204.02311, section 5)
};

// logits [rows, vocab] become the gradient of loss + z_weight * z. targets int64 [rows], weights [rows] in the logits'
// type.
CrossEntropySums cross_entropy(Tensor logits, const Tensor& targets, const Tensor& weights, double z_weight = 0);
// logprob[r] = log softmax(logits[r])[targets[r]].
void log_prob(const Tensor& logits, const Tensor& targets, Tensor logprob);

namespace plain {
CrossEntropySums cross_entropy(Tensor logits, const Tensor& targets, const Tensor& weights, double z_weight = 0);
void log_prob(const Tensor& logits, const Tensor& targets, Tensor logprob);
}  // namespace plain

}  // namespace ilt::ops
