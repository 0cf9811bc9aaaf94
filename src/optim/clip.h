// The global gradient norm and clipping by it.
#pragma once

#include <span>

#include "optim/trained_tensor.h"

namespace ilt {

// The L2 norm of all trained tensors' gradients together (Pascanu et al., arXiv 1211.5063).
double gradient_norm(std::span<const TrainedTensor> tensors);

// What gradients of this norm are multiplied by so that it is at most max_norm, as torch's clip_grad_norm_ does it;
// 1 where max_norm is 0 (no clipping).
double clip_scale(double norm, double max_norm);

}  // namespace ilt
