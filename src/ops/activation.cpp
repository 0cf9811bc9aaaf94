// Activations in ATen calls, which are vectorised; the gated silu has a kernel of its own.
#include "ops/activation.h"

#include <ATen/ops/gelu.h>
#include <ATen/ops/gelu_backward.h>
#include <ATen/ops/mul.h>
#include <ATen/ops/relu.h>
#include <ATen/ops/sigmoid.h>
#include <ATen/ops/silu.h>
#include <ATen/ops/silu_backward.h>

#include "ops/swiglu.h"

namespace ilt::ops {

namespace {

const char* approximation(Activation f) {
  return f == Activation::gelu_tanh ? "tanh" : "none";
}

Tensor value_of(Activation f, const Tensor& x) {
  switch (f) {
    case Activation::silu:
      return at::silu(x);
    case Activation::gelu:
    case Activation::gelu_tanh:
      return at::gelu(x, approximation(f));
    case Activation::relu2:
      return at::relu(x).square_();
    case Activation::clamped_silu:
      break;
  }
  __builtin_unreachable();
}

// d f(x) given dy, that of f(x).
Tensor gradient_of(Activation f, const Tensor& x, const Tensor& dy) {
  switch (f) {
    case Activation::silu:
      return at::silu_backward(dy, x);
    case Activation::gelu:
    case Activation::gelu_tanh:
      return at::gelu_backward(dy, x, approximation(f));
    case Activation::relu2:
      return at::relu(x).mul_(2).mul_(dy);
    case Activation::clamped_silu:
      break;
  }
  __builtin_unreachable();
}

constexpr double limit = 7.0;
constexpr double steepness = 1.702;

void clamped_silu(const Tensor& gate_up, Tensor out) {
  const std::int64_t width = out.size(1);
  const Tensor gate = gate_up.narrow(1, 0, width).clamp_max(limit);
  const Tensor up = gate_up.narrow(1, width, width).clamp(-limit, limit);
  out.copy_((up + 1) * gate * (gate * steepness).sigmoid());
}

void clamped_silu_backward(Tensor gate_up, const Tensor& dout, Tensor out) {
  clamped_silu(gate_up, out);
  const std::int64_t width = out.size(1);
  const Tensor raw_gate = gate_up.narrow(1, 0, width);
  const Tensor raw_up = gate_up.narrow(1, width, width);
  const Tensor gate = raw_gate.clamp_max(limit);
  const Tensor up = raw_up.clamp(-limit, limit);
  const Tensor sigmoid = (gate * steepness).sigmoid();
  const Tensor dgate = dout * (up + 1) * sigmoid * (1 + steepness * gate * (1 - sigmoid)) * raw_gate.le(limit);
  const Tensor dup = dout * gate * sigmoid * raw_up.abs().le(limit);
  raw_gate.copy_(dgate);
  raw_up.copy_(dup);
}

}  // namespace

void gated(Activation f, const Tensor& gate_up, Tensor out) {
  if (f == Activation::silu) return swiglu(gate_up, out);
  if (f == Activation::clamped_silu) return clamped_silu(gate_up, out);
  const std::int64_t width = out.size(1);
  at::mul_out(out, value_of(f, gate_up.narrow(1, 0, width)), gate_up.narrow(1, width, width));
}

void gated_backward(Activation f, Tensor gate_up, const Tensor& dout, Tensor out) {
  if (f == Activation::silu) return swiglu_backward(gate_up, dout, out);
  if (f == Activation::clamped_silu) return clamped_silu_backward(gate_up, dout, out);
  const std::int64_t width = out.size(1);
  const Tensor gate = gate_up.narrow(1, 0, width);
  Tensor up = gate_up.narrow(1, width, width);
  const Tensor activated = value_of(f, gate);
  at::mul_out(out, activated, up);
  const Tensor dgate = gradient_of(f, gate, dout * up);
  at::mul_out(up, dout, activated);
  gate.copy_(dgate);
}

void activate(Activation f, const Tensor& x, Tensor out) {
  out.copy_(value_of(f, x));
}

void activate_backward(Activation f, Tensor x, const Tensor& dout, Tensor out) {
  out.copy_(value_of(f, x));
  x.copy_(gradient_of(f, x, dout));
}

}  // namespace ilt::ops
