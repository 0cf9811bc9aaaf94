// Softmax cross-entropy: the plain form, and the CPU kernel where it applies.
#include "ops/cross_entropy.h"

#include <ATen/ops/gather.h>
#include <ATen/ops/log_softmax.h>
#include <ATen/ops/logsumexp.h>
#include <ATen/ops/scatter_add.h>

#include <vector>

#include "ops/cpu/kernels/table.h"
#include "ops/cpu/parallel.h"

namespace ilt::ops {

CrossEntropySums plain::cross_entropy(Tensor logits, const Tensor& targets, const Tensor& weights, double z_weight) {
  const Tensor log_z = logits.logsumexp(-1);
  const Tensor logp = logits - log_z.unsqueeze(-1);
  const Tensor index = targets.unsqueeze(-1);
  const CrossEntropySums sums{-(logp.gather(1, index).squeeze(-1) * weights).sum().item<double>(),
                              (log_z * log_z * weights).sum().item<double>()};
  logits.copy_(logp.exp() * (weights * (1.0 + 2.0 * z_weight * log_z)).unsqueeze(-1));
  logits.scatter_add_(1, index, -weights.unsqueeze(-1));
  return sums;
}

void plain::log_prob(const Tensor& logits, const Tensor& targets, Tensor logprob) {
  logprob.copy_(logits.log_softmax(-1).gather(1, targets.unsqueeze(-1)).squeeze(-1));
}

CrossEntropySums cross_entropy(Tensor logits, const Tensor& targets, const Tensor& weights, double z_weight) {
  if (!has_cpu_kernel({&logits, &weights})) return plain::cross_entropy(logits, targets, weights, z_weight);
  const std::int64_t vocab = logits.size(1);
  // One pair of sums a row, added in order: the loss does not depend on the number of threads.
  std::vector<CrossEntropySums> rows(static_cast<std::size_t>(logits.size(0)));
  cpu::over_rows(logits.size(0), vocab, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t r = begin; r < end; ++r) {
      CrossEntropySums& row = rows[static_cast<std::size_t>(r)];
      cpu::kernels().cross_entropy(1, vocab, logits.mutable_data_ptr<float>() + r * vocab,
                                   targets.const_data_ptr<std::int64_t>() + r, weights.const_data_ptr<float>() + r,
                                   static_cast<float>(z_weight), &row.loss, &row.z);
    }
  });
  CrossEntropySums total;
  for (const CrossEntropySums& row : rows) {
    total.loss += row.loss;
    total.z += row.z;
  }
  return total;
}

void log_prob(const Tensor& logits, const Tensor& targets, Tensor logprob) {
  if (!has_cpu_kernel({&logits, &logprob})) return plain::log_prob(logits, targets, logprob);
  const std::int64_t vocab = logits.size(1);
  cpu::over_rows(logits.size(0), vocab, [&](std::int64_t begin, std::int64_t end) {
    cpu::kernels().log_prob(end - begin, vocab, logits.const_data_ptr<float>() + begin * vocab,
                            targets.const_data_ptr<std::int64_t>() + begin, logprob.mutable_data_ptr<float>() + begin);
  });
}

}  // namespace ilt::ops
