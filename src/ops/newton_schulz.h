// Orthogonalisation of a matrix by Newton-Schulz iterations (Jordan et al., kellerjordan.github.io/posts/muon).
#pragma once

#include "ops/tensor.h"

namespace ilt::ops {

// About U V^T of x = U S V^T: the singular values come to lie between 0.5 and 1.5, which is all that Muon needs. In the
// matrix's own type: bfloat16, which the reference takes for its speed on GPUs, is slower on a CPU and less exact.
Tensor newton_schulz(const Tensor& x);

}  // namespace ilt::ops
