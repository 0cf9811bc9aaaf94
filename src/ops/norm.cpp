// Root-mean-square norm: the plain form, and the CPU kernel where it applies.
#include "ops/norm.h"

#include <ATen/ops/mul.h>
#include <ATen/ops/rsqrt.h>
#include <ATen/ops/sum.h>
#include <ATen/ops/zeros.h>

#include "ops/cpu/kernels/table.h"
#include "ops/cpu/parallel.h"

namespace ilt::ops {

void plain::rms_norm(const Tensor& x, const Tensor& weight, double eps, Tensor y, Tensor rstd) {
  rstd.copy_(((x * x).mean(-1) + eps).rsqrt());
  y.copy_(x * rstd.unsqueeze(-1) * weight);
}

void plain::rms_norm_backward(const Tensor& x, const Tensor& weight, const Tensor& rstd, const Tensor& dy, Tensor dx,
                              Tensor dweight) {
  const Tensor scale = rstd.unsqueeze(-1);
  const Tensor normed = x * scale;
  const Tensor g = dy * weight;
  if (dweight.defined()) dweight.add_((dy * normed).sum(0));
  dx.add_(scale * (g - normed * (g * normed).mean(-1, true)));
}

void rms_norm(const Tensor& x, const Tensor& weight, double eps, Tensor y, Tensor rstd) {
  if (!has_cpu_kernel({&x, &weight, &y, &rstd})) return plain::rms_norm(x, weight, eps, y, rstd);
  const std::int64_t width = x.size(1);
  cpu::over_rows(x.size(0), width, [&](std::int64_t begin, std::int64_t end) {
    cpu::kernels().rms_norm(end - begin, width, static_cast<float>(eps), x.const_data_ptr<float>() + begin * width,
                            weight.const_data_ptr<float>(), y.mutable_data_ptr<float>() + begin * width,
                            rstd.mutable_data_ptr<float>() + begin);
  });
}

void rms_norm_backward(const Tensor& x, const Tensor& weight, const Tensor& rstd, const Tensor& dy, Tensor dx,
                       Tensor dweight) {
  if (!has_cpu_kernel({&x, &weight, &rstd, &dy, &dx}))
    return plain::rms_norm_backward(x, weight, rstd, dy, dx, dweight);
  const std::int64_t rows = x.size(0);
  const std::int64_t width = x.size(1);
  // The weight's gradient is summed over fixed blocks of rows, so that it does not depend on the number of threads.
  constexpr std::int64_t block = 128;
  const std::int64_t blocks = (rows + block - 1) / block;
  const Tensor partial = at::zeros({blocks, width}, x.options());
  at::parallel_for(0, blocks, 1, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t b = begin; b < end; ++b) {
      const std::int64_t first = b * block;
      cpu::kernels().rms_norm_backward(std::min(block, rows - first), width, x.const_data_ptr<float>() + first * width,
                                       weight.const_data_ptr<float>(), rstd.const_data_ptr<float>() + first,
                                       dy.const_data_ptr<float>() + first * width,
                                       dx.mutable_data_ptr<float>() + first * width,
                                       partial.mutable_data_ptr<float>() + b * width);
    }
  });
  if (dweight.defined()) dweight.add_(partial.sum(0));
}

}  // namespace ilt::ops
