// One AdamW update (Loshchilov & Hutter, arXiv 1711.05101), as torch.optim computes it.
#pragma once

#include "ops/tensor.h"

namespace ilt::ops {

struct AdamWStep {
  double lr = 0.0;
  double beta1 = 0.9;
  double beta2 = 0.95;
  double eps = 1e-8;
  double weight_decay = 0.0;
  double grad_scale = 1.0;  // what each gradient is multiplied by first: 1 / tokens, and the clipping
  std::int64_t step = 1;    // the how-manieth update, from 1
};

void adamw(const AdamWStep& options, Tensor value, const Tensor& grad, Tensor m, Tensor v);
// The sum of all squares, in double.
double sum_squares(const Tensor& x);

namespace plain {
void adamw(const AdamWStep& options, Tensor value, const Tensor& grad, Tensor m, Tensor v);
double sum_squares(const Tensor& x);
}  // namespace plain

}  // namespace ilt::ops
