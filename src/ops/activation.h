// Activations of feed-forward layers, plain and gated (Shazeer, arXiv 2002.05202).
#pragma once

#include "ops/tensor.h"

namespace ilt::ops {

enum class Activation {
  silu,
  gelu,
  gelu_tanh,  // gelu by its tanh approximation (arXiv 1606.08415)
  relu2,      // relu(x)^2 (arXiv 2109.08668)
  // gpt-oss (arXiv 2508.10925), gated alone: min(gate, 7) sigmoid(1.702 gate) (1 + up), up within 7 of 0.
  clamped_silu,
};

// out = f(gate) * up: gate_up [rows, 2 * width] holds gate, then up; out [rows, width].
void gated(Activation f, const Tensor& gate_up, Tensor out);
// Recomputes out, and turns gate_up into its own gradient: nothing but gate_up need be kept.
void gated_backward(Activation f, Tensor gate_up, const Tensor& dout, Tensor out);

// out = f(x).
void activate(Activation f, const Tensor& x, Tensor out);
// Recomputes out, and turns x into its own gradient.
void activate_backward(Activation f, Tensor x, const Tensor& dout, Tensor out);

}  // namespace ilt::ops
