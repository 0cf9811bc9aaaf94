// AdamW and the sum of squares: the plain forms, and the CPU kernels where they apply.
#include "ops/adamw.h"

#include <ATen/ops/sqrt.h>

#include <cmath>
#include <vector>

#include "ops/cpu/kernels/table.h"
#include "ops/cpu/parallel.h"

namespace ilt::ops {

namespace {

struct Corrections {
  double step_size, bias2_sqrt;
};

Corrections corrections(const AdamWStep& o) {
  const auto t = static_cast<double>(o.step);
  return {o.lr / (1.0 - std::pow(o.beta1, t)), std::sqrt(1.0 - std::pow(o.beta2, t))};
}

constexpr std::int64_t block = 1 << 16;

}  // namespace

void plain::adamw(const AdamWStep& o, Tensor value, const Tensor& grad, Tensor m, Tensor v) {
  const Corrections c = corrections(o);
  const Tensor g = grad * o.grad_scale;
  value.mul_(1.0 - o.lr * o.weight_decay);
  m.add_(g - m, 1.0 - o.beta1);
  v.mul_(o.beta2).addcmul_(g, g, 1.0 - o.beta2);
  value.addcdiv_(m, (v.sqrt() / c.bias2_sqrt).add_(o.eps), -c.step_size);
}

double plain::sum_squares(const Tensor& x) {
  return (x.to(at::kDouble) * x.to(at::kDouble)).sum().item<double>();
}

void adamw(const AdamWStep& o, Tensor value, const Tensor& grad, Tensor m, Tensor v) {
  if (!has_cpu_kernel({&value, &grad, &m, &v})) return plain::adamw(o, value, grad, m, v);
  const Corrections c = corrections(o);
  const cpu::AdamWFactors factors{.grad_scale = static_cast<float>(o.grad_scale),
                                  .one_minus_beta1 = static_cast<float>(1.0 - o.beta1),
                                  .beta2 = static_cast<float>(o.beta2),
                                  .one_minus_beta2 = static_cast<float>(1.0 - o.beta2),
                                  .step_size = static_cast<float>(c.step_size),
                                  .bias2_sqrt = static_cast<float>(c.bias2_sqrt),
                                  .eps = static_cast<float>(o.eps),
                                  .decay = static_cast<float>(1.0 - o.lr * o.weight_decay)};
  at::parallel_for(0, value.numel(), block, [&](std::int64_t begin, std::int64_t end) {
    cpu::kernels().adamw(end - begin, value.mutable_data_ptr<float>() + begin, grad.const_data_ptr<float>() + begin,
                         m.mutable_data_ptr<float>() + begin, v.mutable_data_ptr<float>() + begin, factors);
  });
}

double sum_squares(const Tensor& x) {
  if (!has_cpu_kernel({&x})) return plain::sum_squares(x);
  const std::int64_t n = x.numel();
  std::vector<double> sums(static_cast<std::size_t>((n + block - 1) / block), 0.0);
  at::parallel_for(0, static_cast<std::int64_t>(sums.size()), 1, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t b = begin; b < end; ++b)
      sums[static_cast<std::size_t>(b)] =
          cpu::kernels().sum_squares(std::min(block, n - b * block), x.const_data_ptr<float>() + b * block);
  });
  double total = 0;
  for (const double s : sums) total += s;
  return total;
}

}  // namespace ilt::ops
