// One instruction set's kernel table; compiled once for each.
#include "ops/cpu/kernels/rows.h"

namespace ilt::ops::cpu::ILT_ISA {

const KernelTable& table() {
  static constexpr KernelTable functions = {
      .rms_norm = rms_norm,
      .rms_norm_backward = rms_norm_backward,
      .layer_norm = layer_norm,
      .layer_norm_backward = layer_norm_backward,
      .rotary = rotary,
      .rotary_interleaved = rotary_interleaved,
      .swiglu = swiglu,
      .swiglu_backward = swiglu_backward,
      .cross_entropy = cross_entropy,
      .log_prob = log_prob,
      .adamw = adamw,
      .sum_squares = sum_squares,
      .attention = attention,
      .attention_backward = attention_backward,
  };
  return functions;
}

}  // namespace ilt::ops::cpu::ILT_ISA
