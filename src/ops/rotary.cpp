// Rotary position embedding: the plain form, and the CPU kernel where it applies.
#include "ops/rotary.h"

#include <ATen/ops/cat.h>
#include <ATen/ops/mul.h>

#include "ops/cpu/kernels/table.h"
#include "ops/cpu/parallel.h"

namespace ilt::ops {

void plain::rotary(Tensor x, std::int64_t heads, std::int64_t head_dim, const Tensor& cosine, const Tensor& sine,
                   Rotation rotation) {
  const std::int64_t half = cosine.size(1);
  const Tensor view = x.narrow(1, 0, heads * head_dim).view({x.size(0), heads, head_dim});
  const Tensor c = cosine.unsqueeze(1);
  const Tensor s = rotation == Rotation::forward ? sine.unsqueeze(1) : -sine.unsqueeze(1);
  const Tensor first = view.narrow(2, 0, half).clone();
  const Tensor second = view.narrow(2, half, half).clone();
  view.narrow(2, 0, half).copy_(first * c - second * s);
  view.narrow(2, half, half).copy_(second * c + first * s);
}

void rotary(Tensor x, std::int64_t heads, std::int64_t head_dim, const Tensor& cosine, const Tensor& sine,
            Rotation rotation) {
  if (!has_cpu_kernel({&x, &cosine, &sine})) return plain::rotary(x, heads, head_dim, cosine, sine, rotation);
  const std::int64_t stride = x.size(1);
  const std::int64_t half = cosine.size(1);
  const float direction = rotation == Rotation::forward ? 1.0F : -1.0F;
  cpu::over_rows(x.size(0), heads * head_dim, [&](std::int64_t begin, std::int64_t end) {
    cpu::kernels().rotary(end - begin, stride, heads, head_dim, 2 * half, direction,
                          cosine.const_data_ptr<float>() + begin * half, sine.const_data_ptr<float>() + begin * half,
                          x.mutable_data_ptr<float>() + begin * stride);
  });
}

}  // namespace ilt::ops
