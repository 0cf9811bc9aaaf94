// Norms over rows: the plain forms, and the CPU kernels where they apply.
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

void plain::layer_norm(const Tensor& x, const Tensor& weight, const Tensor& bias, double eps, Tensor y,
                       LayerNormStats stats) {
  stats.mean.copy_(x.mean(-1));
  const Tensor centred = x - stats.mean.unsqueeze(-1);
  stats.rstd.copy_(((centred * centred).mean(-1) + eps).rsqrt());
  y.copy_(centred * stats.rstd.unsqueeze(-1) * weight);
  if (bias.defined()) y.add_(bias);
}

void plain::layer_norm_backward(const Tensor& x, const Tensor& weight, const LayerNormStats& stats, const Tensor& dy,
                                Tensor dx, Tensor dweight, Tensor dbias) {
  const Tensor scale = stats.rstd.unsqueeze(-1);
  const Tensor normed = (x - stats.mean.unsqueeze(-1)) * scale;
  const Tensor g = dy * weight;
  if (dweight.defined()) dweight.add_((dy * normed).sum(0));
  if (dbias.defined()) dbias.add_(dy.sum(0));
  dx.add_(scale * (g - g.mean(-1, true) - normed * (g * normed).mean(-1, true)));
}

namespace {

// A weight's gradient is summed over fixed blocks of rows, so that it does not depend on the number of threads.
constexpr std::int64_t row_block = 128;

// f(first row, rows, block) for each block of rows.
template <typename F>
void over_row_blocks(std::int64_t rows, const F& f) {
  at::parallel_for(0, (rows + row_block - 1) / row_block, 1, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t b = begin; b < end; ++b) f(b * row_block, std::min(row_block, rows - b * row_block), b);
  });
}

// A row for each block to add a weight's gradient to.
Tensor block_sums(const Tensor& x) {
  return at::zeros({(x.size(0) + row_block - 1) / row_block, x.size(1)}, x.options());
}

}  // namespace

void rms_norm(const Tensor& x, const Tensor& weight, double eps, Tensor y, Tensor rstd) {
  if (!has_cpu_kernel({&x, &weight, &y, &rstd}) || x.dim() != 2) return plain::rms_norm(x, weight, eps, y, rstd);
  const std::int64_t width = x.size(1);
  cpu::over_rows(x.size(0), width, [&](std::int64_t begin, std::int64_t end) {
    cpu::kernels().rms_norm(end - begin, width, static_cast<float>(eps), x.const_data_ptr<float>() + begin * width,
                            weight.const_data_ptr<float>(), y.mutable_data_ptr<float>() + begin * width,
                            rstd.mutable_data_ptr<float>() + begin);
  });
}

void rms_norm_backward(const Tensor& x, const Tensor& weight, const Tensor& rstd, const Tensor& dy, Tensor dx,
                       Tensor dweight) {
  if (!has_cpu_kernel({&x, &weight, &rstd, &dy, &dx}) || x.dim() != 2)
    return plain::rms_norm_backward(x, weight, rstd, dy, dx, dweight);
  const std::int64_t width = x.size(1);
  const Tensor sums = block_sums(x);
  over_row_blocks(x.size(0), [&](std::int64_t first, std::int64_t rows, std::int64_t block) {
    cpu::kernels().rms_norm_backward(
        rows, width, x.const_data_ptr<float>() + first * width, weight.const_data_ptr<float>(),
        rstd.const_data_ptr<float>() + first, dy.const_data_ptr<float>() + first * width,
        dx.mutable_data_ptr<float>() + first * width, sums.mutable_data_ptr<float>() + block * width);
  });
  if (dweight.defined()) dweight.add_(sums.sum(0));
}

void layer_norm(const Tensor& x, const Tensor& weight, const Tensor& bias, double eps, Tensor y, LayerNormStats stats) {
  if (!has_cpu_kernel({&x, &weight, &y, &stats.mean, &stats.rstd}) || x.dim() != 2)
    return plain::layer_norm(x, weight, bias, eps, y, stats);
  const std::int64_t width = x.size(1);
  cpu::over_rows(x.size(0), width, [&](std::int64_t begin, std::int64_t end) {
    cpu::kernels().layer_norm(end - begin, width, static_cast<float>(eps), x.const_data_ptr<float>() + begin * width,
                              weight.const_data_ptr<float>(), bias.defined() ? bias.const_data_ptr<float>() : nullptr,
                              y.mutable_data_ptr<float>() + begin * width, stats.mean.mutable_data_ptr<float>() + begin,
                              stats.rstd.mutable_data_ptr<float>() + begin);
  });
}

void layer_norm_backward(const Tensor& x, const Tensor& weight, const LayerNormStats& stats, const Tensor& dy,
                         Tensor dx, Tensor dweight, Tensor dbias) {
  if (!has_cpu_kernel({&x, &weight, &stats.mean, &stats.rstd, &dy, &dx}) || x.dim() != 2)
    return plain::layer_norm_backward(x, weight, stats, dy, dx, dweight, dbias);
  const std::int64_t width = x.size(1);
  const Tensor sums = block_sums(x);
  const Tensor bias_sums = block_sums(x);
  over_row_blocks(x.size(0), [&](std::int64_t first, std::int64_t rows, std::int64_t block) {
    cpu::kernels().layer_norm_backward(
        rows, width, x.const_data_ptr<float>() + first * width, weight.const_data_ptr<float>(),
        stats.mean.const_data_ptr<float>() + first, stats.rstd.const_data_ptr<float>() + first,
        dy.const_data_ptr<float>() + first * width, dx.mutable_data_ptr<float>() + first * width,
        sums.mutable_data_ptr<float>() + block * width, bias_sums.mutable_data_ptr<float>() + block * width);
  });
  if (dweight.defined()) dweight.add_(sums.sum(0));
  if (dbias.defined()) dbias.add_(bias_sums.sum(0));
}

}  // namespace ilt::ops
