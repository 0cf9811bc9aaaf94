// The gated activation silu(gate) * up (Shazeer, arXiv 2002.05202).
#pragma once

#include "ops/tensor.h"

namespace ilt::ops {

// gate_up [rows, 2 * width] holds gate, then up; out [rows, width].
void swiglu(const Tensor& gate_up, Tensor out);
// Recomputes out, and turns gate_up into its own gradient: nothing but gate_up need be kept.
void swiglu_backward(Tensor gate_up, const Tensor& dout, Tensor out);

namespace plain {
void swiglu(const Tensor& gate_up, Tensor out);
void swiglu_backward(Tensor gate_up, const Tensor& dout, Tensor out);
}  // namespace plain

}  // namespace ilt::ops
