// What every operation needs of libtorch's tensor: the type itself and the test for a CPU kernel.
#pragma once

#include <ATen/TensorOperators.h>
#include <ATen/core/Tensor.h>

#include <initializer_list>

namespace ilt::ops {

using at::Tensor;

// Whether the CPU kernels take these: fp32, contiguous, in host memory. Everything else runs the plain form.
inline bool has_cpu_kernel(std::initializer_list<const Tensor*> tensors) {
  for (const Tensor* t : tensors)
    if (!t->is_cpu() || t->scalar_type() != at::kFloat || !t->is_contiguous()) return false;
  return true;
}

}  // namespace ilt::ops
