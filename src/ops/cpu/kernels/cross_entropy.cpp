// Softmax cross-entropy over rows of logits, with its gradient made in place.
#include <cmath>

#include "ops/cpu/kernels/rows.h"
#include "ops/cpu/kernels/vec.h"

namespace ilt::ops::cpu::ILT_ISA {

namespace {

float row_max(std::int64_t n, const float* x) {
  Vec best = splat(x[0]);
  std::int64_t i = 0;
  for (; i + vec_width <= n; i += vec_width) best = vmax(best, load(x + i));
  if (i < n) best = vmax(best, load_part(x + i, n - i, x[0]));
  return max(best);
}

// The sum in fp64 by blocks: a vocabulary has 10^5 terms.
template <typename Keep>
double row_sum_exp(std::int64_t n, const float* x, float shift, Keep keep) {
  constexpr std::int64_t block = 4096;
  double total = 0;
  for (std::int64_t begin = 0; begin < n; begin += block) {
    const std::int64_t end = begin + block < n ? begin + block : n;
    Vec part{};
    std::int64_t i = begin;
    for (; i + vec_width <= end; i += vec_width) {
      const Vec e = exp(load(x + i) - shift);
      part += e;
      keep(i, e, vec_width);
    }
    if (i < end) {
      const Vec e = exp(load_part(x + i, end - i, -INFINITY) - shift);
      part += e;
      keep(i, e, end - i);
    }
    total += static_cast<double>(sum(part));
  }
  return total;
}

}  // namespace

void cross_entropy(std::int64_t rows, std::int64_t vocab, float* logits, const std::int64_t* targets,
                   const float* weights, float z_weight, double* loss, double* z) {
  for (std::int64_t r = 0; r < rows; ++r, logits += vocab) {
    const float shift = row_max(vocab, logits);
    const float target_logit = logits[targets[r]];
    const double total =
        row_sum_exp(vocab, logits, shift, [&](std::int64_t i, Vec e, std::int64_t n) { store_part(logits + i, e, n); });
    const double log_z = std::log(total) + static_cast<double>(shift);
    *loss += static_cast<double>(weights[r]) * (log_z - static_cast<double>(target_logit));
    *z += static_cast<double>(weights[r]) * log_z * log_z;
    // d log_z / d logits is the softmax, which both terms have in common.
    const float scale = weights[r] * (1.0F + 2.0F * z_weight * static_cast<float>(log_z)) / static_cast<float>(total);
    for (std::int64_t i = 0; i < vocab; ++i) logits[i] *= scale;
    logits[targets[r]] -= weights[r];
  }
}

void log_prob(std::int64_t rows, std::int64_t vocab, const float* logits, const std::int64_t* targets, float* logprob) {
  for (std::int64_t r = 0; r < rows; ++r, logits += vocab) {
    const float shift = row_max(vocab, logits);
    const double total = row_sum_exp(vocab, logits, shift, [](std::int64_t, Vec, std::int64_t) {});
    logprob[r] = static_cast<float>(static_cast<double>(logits[targets[r]] - shift) - std::log(total));
  }
}

}  // namespace ilt::ops::cpu::ILT_ISA
