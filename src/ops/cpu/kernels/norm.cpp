// Norms over rows, forward and backward: root mean square (Zhang & Sennrich, arXiv 1910.07467), layer norm (Ba et al.,
// arXiv 1607.06450).
#include <cmath>

#include "ops/cpu/kernels/rows.h"
#include "ops/cpu/kernels/vec.h"

namespace ilt::ops::cpu::ILT_ISA {

namespace {

float dot(std::int64_t n, const float* a, const float* b) {
  Vec s0{};
  Vec s1{};
  std::int64_t i = 0;
  for (; i + 2 * vec_width <= n; i += 2 * vec_width) {
    s0 += load(a + i) * load(b + i);
    s1 += load(a + i + vec_width) * load(b + i + vec_width);
  }
  float s = sum(s0 + s1);
  for (; i < n; ++i) s += a[i] * b[i];
  return s;
}

float total(std::int64_t n, const float* x) {
  Vec acc{};
  std::int64_t i = 0;
  for (; i + vec_width <= n; i += vec_width) acc += load(x + i);
  float s = sum(acc);
  for (; i < n; ++i) s += x[i];
  return s;
}

}  // namespace

void rms_norm(std::int64_t rows, std::int64_t width, float eps, const float* x, const float* weight, float* y,
              float* rstd) {
  for (std::int64_t r = 0; r < rows; ++r, x += width, y += width) {
    const float scale = 1.0F / std::sqrt(dot(width, x, x) / static_cast<float>(width) + eps);
    rstd[r] = scale;
    for (std::int64_t i = 0; i < width; ++i) y[i] = weight[i] * (x[i] * scale);
  }
}

// With g = dy * weight: dx = rstd * (g - x * rstd^2 * mean(g * x)).
void rms_norm_backward(std::int64_t rows, std::int64_t width, const float* x, const float* weight, const float* rstd,
                       const float* dy, float* dx, float* dweight) {
  for (std::int64_t r = 0; r < rows; ++r, x += width, dy += width, dx += width) {
    const float scale = rstd[r];
    float mean = 0;
    for (std::int64_t i = 0; i < width; ++i) dweight[i] += dy[i] * (x[i] * scale);
    Vec acc{};
    std::int64_t i = 0;
    for (; i + vec_width <= width; i += vec_width) acc += load(dy + i) * load(weight + i) * load(x + i);
    mean = sum(acc);
    for (; i < width; ++i) mean += dy[i] * weight[i] * x[i];
    const float shift = mean / static_cast<float>(width) * scale * scale;
    for (std::int64_t j = 0; j < width; ++j) dx[j] += scale * (dy[j] * weight[j] - x[j] * shift);
  }
}

void layer_norm(std::int64_t rows, std::int64_t width, float eps, const float* x, const float* weight,
                const float* bias, float* y, float* mean, float* rstd) {
  const float n = static_cast<float>(width);
  for (std::int64_t r = 0; r < rows; ++r, x += width, y += width) {
    const float centre = total(width, x) / n;
    for (std::int64_t i = 0; i < width; ++i) y[i] = x[i] - centre;
    const float scale = 1.0F / std::sqrt(dot(width, y, y) / n + eps);
    mean[r] = centre;
    rstd[r] = scale;
    for (std::int64_t i = 0; i < width; ++i) y[i] = weight[i] * (y[i] * scale);
    if (bias != nullptr)
      for (std::int64_t i = 0; i < width; ++i) y[i] += bias[i];
  }
}

// With g = dy * weight and n = (x - mean) * rstd: dx = rstd * (g - mean(g) - n * mean(g * n)).
void layer_norm_backward(std::int64_t rows, std::int64_t width, const float* x, const float* weight, const float* mean,
                         const float* rstd, const float* dy, float* dx, float* dweight, float* dbias) {
  for (std::int64_t r = 0; r < rows; ++r, x += width, dy += width, dx += width) {
    const float centre = mean[r];
    const float scale = rstd[r];
    for (std::int64_t i = 0; i < width; ++i) {
      dweight[i] += dy[i] * ((x[i] - centre) * scale);
      dbias[i] += dy[i];
    }
    Vec g_sum{};
    Vec gx_sum{};
    std::int64_t i = 0;
    for (; i + vec_width <= width; i += vec_width) {
      const Vec g = load(dy + i) * load(weight + i);
      g_sum += g;
      gx_sum += g * (load(x + i) - centre);
    }
    float g_mean = sum(g_sum);
    float gx_mean = sum(gx_sum);
    for (; i < width; ++i) {
      g_mean += dy[i] * weight[i];
      gx_mean += dy[i] * weight[i] * (x[i] - centre);
    }
    g_mean /= static_cast<float>(width);
    const float shift = gx_mean / static_cast<float>(width) * scale * scale;
    for (std::int64_t j = 0; j < width; ++j) dx[j] += scale * (dy[j] * weight[j] - g_mean - (x[j] - centre) * shift);
  }
}

double sum_squares(std::int64_t n, const float* x) {
  // Blocks in fp32, their sum in fp64: exact enough for any length.
  constexpr std::int64_t block = 4096;
  double total = 0;
  for (std::int64_t i = 0; i < n; i += block) {
    const std::int64_t count = n - i < block ? n - i : block;
    total += dot(count, x + i, x + i);
  }
  return total;
}

}  // namespace ilt::ops::cpu::ILT_ISA
