// Matrix products: the one door through which all of them go, so that another BLAS can be put behind it.
#pragma once

#include "ops/tensor.h"

namespace ilt::ops {

// out [m, n] = a [m, k] b [k, n] x alpha, added to what out holds where `accumulate`. Views may be transposed.
void matmul(Tensor out, const Tensor& a, const Tensor& b, bool accumulate = false, double alpha = 1.0);

}  // namespace ilt::ops
