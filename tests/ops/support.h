// Helpers of the operations' tests: random tensors, autograd, and the largest difference relative to the largest value.
#pragma once

#include <ATen/ATen.h>
#include <gtest/gtest.h>

namespace ilt::test {

using at::Tensor;

inline Tensor random(at::IntArrayRef shape, std::int64_t seed) {
  auto generator = at::make_generator<at::CPUGeneratorImpl>(static_cast<std::uint64_t>(seed));
  return at::randn(shape, generator, at::TensorOptions().dtype(at::kFloat));
}

// max |a - b| / max |b|, in double.
inline double distance(const Tensor& a, const Tensor& b) {
  const Tensor x = a.detach().to(at::kDouble);
  const Tensor y = b.detach().to(at::kDouble);
  const double scale = y.abs().max().item<double>();
  return (x - y).abs().max().item<double>() / (scale > 0 ? scale : 1.0);
}

inline Tensor leaf(const Tensor& x) {
  return x.detach().to(at::kDouble).clone().set_requires_grad(true);
}

}  // namespace ilt::test
