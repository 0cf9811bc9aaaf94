// The linear recurrence of a state-space layer over one sample.
#pragma once

#include "ops/tensor.h"

namespace ilt {

// For each head: state_t = exp(step_t decay) state_{t-1} + step_t x_t B_t^T, y_t = state_t C_t.
// x [tokens, heads, dim]; step [tokens, heads], > 0; decay [heads], < 0; b, c [tokens, heads, state]. The result is
// [tokens, heads, dim]. Made of differentiable operations.
at::Tensor state_space(const at::Tensor& x, const at::Tensor& step, const at::Tensor& decay, const at::Tensor& b,
                       const at::Tensor& c);

}  // namespace ilt
