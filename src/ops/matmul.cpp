// Matrix products through libtorch (MKL, OpenBLAS, cuBLAS, ... whatever it was built with).
#include "ops/matmul.h"

#include <ATen/ops/addmm.h>
#include <ATen/ops/mm.h>

namespace ilt::ops {

void matmul(Tensor out, const Tensor& a, const Tensor& b, bool accumulate, double alpha) {
  if (accumulate || alpha != 1.0) {
    at::addmm_out(out, out, a, b, accumulate ? 1.0 : 0.0, alpha);
  } else {
    at::mm_out(out, a, b);
  }
}

}  // namespace ilt::ops
