// Rotary position embedding: the plain form, and the CPU kernel where it applies.
#include "ops/rotary.h"

#include <ATen/ops/cat.h>
#include <ATen/ops/mul.h>

#include <utility>

#include "ops/cpu/kernels/table.h"
#include "ops/cpu/parallel.h"

namespace ilt::ops {

namespace {

// The two components of each pair, [rows, heads, rotary_dim / 2] views.
std::pair<Tensor, Tensor> components(const Tensor& view, std::int64_t half, RotaryPairs pairs) {
  if (pairs == RotaryPairs::halves) return {view.narrow(2, 0, half), view.narrow(2, half, half)};
  const Tensor turned = view.narrow(2, 0, 2 * half);
  return {turned.slice(2, 0, 2 * half, 2), turned.slice(2, 1, 2 * half, 2)};
}

}  // namespace

void plain::rotary(Tensor x, std::int64_t heads, std::int64_t head_dim, const Tensor& cosine, const Tensor& sine,
                   Rotation rotation, RotaryPairs pairs) {
  const Tensor view = x.narrow(1, 0, heads * head_dim).view({x.size(0), heads, head_dim});
  const Tensor c = cosine.unsqueeze(1);
  const Tensor s = rotation == Rotation::forward ? sine.unsqueeze(1) : -sine.unsqueeze(1);
  const auto [a, b] = components(view, cosine.size(1), pairs);
  const Tensor first = a.clone();
  const Tensor second = b.clone();
  a.copy_(first * c - second * s);
  b.copy_(second * c + first * s);
}

void rotary(Tensor x, std::int64_t heads, std::int64_t head_dim, const Tensor& cosine, const Tensor& sine,
            Rotation rotation, RotaryPairs pairs) {
  if (!has_cpu_kernel({&x, &cosine, &sine})) return plain::rotary(x, heads, head_dim, cosine, sine, rotation, pairs);
  const std::int64_t stride = x.size(1);
  const std::int64_t half = cosine.size(1);
  const float direction = rotation == Rotation::forward ? 1.0F : -1.0F;
  const auto kernel = pairs == RotaryPairs::halves ? cpu::kernels().rotary : cpu::kernels().rotary_interleaved;
  cpu::over_rows(x.size(0), heads * head_dim, [&](std::int64_t begin, std::int64_t end) {
    kernel(end - begin, stride, heads, head_dim, 2 * half, direction, cosine.const_data_ptr<float>() + begin * half,
           sine.const_data_ptr<float>() + begin * half, x.mutable_data_ptr<float>() + begin * stride);
  });
}

}  // namespace ilt::ops
