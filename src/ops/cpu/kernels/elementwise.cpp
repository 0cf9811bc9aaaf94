// Rotary embedding, the gated activation and AdamW over rows and flat arrays.
#include <cmath>

#include "ops/cpu/kernels/rows.h"
#include "ops/cpu/kernels/vec.h"

namespace ilt::ops::cpu::ILT_ISA {

void rotary(std::int64_t rows, std::int64_t row_stride, std::int64_t heads, std::int64_t head_dim,
            std::int64_t rotary_dim, float direction, const float* cosine, const float* sine, float* x) {
  const std::int64_t half = rotary_dim / 2;
  for (std::int64_t r = 0; r < rows; ++r) {
    const float* c = cosine + r * half;
    const float* s = sine + r * half;
    for (std::int64_t h = 0; h < heads; ++h) {
      float* a = x + r * row_stride + h * head_dim;
      float* b = a + half;
      for (std::int64_t i = 0; i < half; ++i) {
        const float first = a[i];
        const float second = b[i];
        const float si = direction * s[i];
        a[i] = first * c[i] - second * si;
        b[i] = second * c[i] + first * si;
      }
    }
  }
}

void rotary_interleaved(std::int64_t rows, std::int64_t row_stride, std::int64_t heads, std::int64_t head_dim,
                        std::int64_t rotary_dim, float direction, const float* cosine, const float* sine, float* x) {
  const std::int64_t half = rotary_dim / 2;
  for (std::int64_t r = 0; r < rows; ++r) {
    const float* c = cosine + r * half;
    const float* s = sine + r * half;
    for (std::int64_t h = 0; h < heads; ++h) {
      float* pair = x + r * row_stride + h * head_dim;
      for (std::int64_t i = 0; i < half; ++i, pair += 2) {
        const float first = pair[0];
        const float second = pair[1];
        const float si = direction * s[i];
        pair[0] = first * c[i] - second * si;
        pair[1] = second * c[i] + first * si;
      }
    }
  }
}

void swiglu(std::int64_t rows, std::int64_t width, const float* gate_up, float* out) {
  for (std::int64_t r = 0; r < rows; ++r, gate_up += 2 * width, out += width) {
    std::int64_t i = 0;
    for (; i + vec_width <= width; i += vec_width) {
      const Vec g = load(gate_up + i);
      store(out + i, g / (1.0F + exp(-g)) * load(gate_up + width + i));
    }
    if (const std::int64_t n = width - i; n > 0) {
      const Vec g = load_part(gate_up + i, n);
      store_part(out + i, g / (1.0F + exp(-g)) * load_part(gate_up + width + i, n), n);
    }
  }
}

void swiglu_backward(std::int64_t rows, std::int64_t width, float* gate_up, const float* dout, float* out) {
  for (std::int64_t r = 0; r < rows; ++r, gate_up += 2 * width, out += width, dout += width) {
    for (std::int64_t i = 0; i < width; i += vec_width) {
      const std::int64_t n = width - i < vec_width ? width - i : vec_width;
      float* gate = gate_up + i;
      float* up = gate_up + width + i;
      const Vec g = load_part(gate, n);
      const Vec u = load_part(up, n);
      const Vec d = load_part(dout + i, n);
      const Vec sigmoid = 1.0F / (1.0F + exp(-g));
      const Vec silu = g * sigmoid;
      store_part(out + i, silu * u, n);
      store_part(up, d * silu, n);
      store_part(gate, d * u * (sigmoid * (1.0F + g * (1.0F - sigmoid))), n);
    }
  }
}

// Loshchilov & Hutter, arXiv 1711.05101, in torch.optim's order of operations.
void adamw(std::int64_t n, float* value, const float* grad, float* m, float* v, const AdamWFactors& factors) {
  const AdamWFactors f = factors;
  for (std::int64_t i = 0; i < n; ++i) {
    const float g = grad[i] * f.grad_scale;
    m[i] = m[i] + f.one_minus_beta1 * (g - m[i]);
    v[i] = f.beta2 * v[i] + f.one_minus_beta2 * (g * g);
    const float denominator = std::sqrt(v[i]) / f.bias2_sqrt + f.eps;
    value[i] = value[i] * f.decay - f.step_size * (m[i] / denominator);
  }
}

}  // namespace ilt::ops::cpu::ILT_ISA
