// A vector of floats as wide as the instruction set that this file is compiled for, and exp over it.
// Kernels are compiled once an instruction set; ILT_ISA is the namespace that keeps the copies apart.
#pragma once

#include <cstdint>
#include <cstring>

#if defined(__AVX512F__)
#define ILT_VEC_BYTES 64
#elif defined(__AVX2__)
#define ILT_VEC_BYTES 32
#else
#define ILT_VEC_BYTES 16
#endif

namespace ilt::ops::cpu::ILT_ISA {

using Vec [[gnu::vector_size(ILT_VEC_BYTES)]] = float;
using VecInt [[gnu::vector_size(ILT_VEC_BYTES)]] = std::int32_t;
inline constexpr std::int64_t vec_width = ILT_VEC_BYTES / 4;

static inline Vec load(const float* p) {
  Vec v;
  std::memcpy(&v, p, sizeof v);
  return v;
}
static inline void store(float* p, Vec v) {
  std::memcpy(p, &v, sizeof v);
}
static inline Vec splat(float x) {
  return Vec{} + x;
}
// The first n values of p, the rest `fill`.
static inline Vec load_part(const float* p, std::int64_t n, float fill = 0.0F) {
  Vec v = splat(fill);
  std::memcpy(&v, p, static_cast<std::size_t>(n) * sizeof(float));
  return v;
}
static inline void store_part(float* p, Vec v, std::int64_t n) {
  std::memcpy(p, &v, static_cast<std::size_t>(n) * sizeof(float));
}
static inline Vec vmax(Vec a, Vec b) {
  return a > b ? a : b;
}
static inline float sum(Vec v) {
  float s = 0;
  for (int i = 0; i < vec_width; ++i) s += v[i];
  return s;
}
static inline float max(Vec v) {
  float m = v[0];
  for (int i = 1; i < vec_width; ++i) m = v[i] > m ? v[i] : m;
  return m;
}

// exp to about 1 ulp: reduction by powers of two, then the polynomial of Cephes' expf (S. Moshier). Below -87.3, where
// the result would be subnormal, it is 0; NaN stays NaN.
static inline Vec exp(Vec x) {
  const Vec clamped = x > 88.3F ? splat(88.3F) : x;
  const Vec n = (clamped * 1.44269504F + 12582912.0F) - 12582912.0F;
  const Vec r = (clamped - n * 0.693359375F) - n * -2.12194440e-4F;
  Vec p = splat(1.9875691500e-4F);
  p = p * r + 1.3981999507e-3F;
  p = p * r + 8.3334519073e-3F;
  p = p * r + 4.1665795894e-2F;
  p = p * r + 1.6666665459e-1F;
  p = p * r + 5.0000001201e-1F;
  p = p * r * r + r + 1.0F;
  const VecInt exponent = (__builtin_convertvector(n, VecInt) + 127) << 23;
  Vec scale;
  std::memcpy(&scale, &exponent, sizeof scale);
  const Vec result = p * scale;
  return x < -87.3F ? Vec{} : result;
}

// tanh to about 1 ulp: the polynomial of Cephes' tanhf (S. Moshier) below 0.625, 1 - 2 / (exp(2 |x|) + 1) above.
static inline Vec tanh(Vec x) {
  const Vec magnitude = x < 0.0F ? -x : x;
  const Vec far = 1.0F - 2.0F / (exp(magnitude + magnitude) + 1.0F);
  const Vec z = x * x;
  Vec p = splat(-5.70498872745e-3F);
  p = p * z + 2.06390887954e-2F;
  p = p * z - 5.37397155531e-2F;
  p = p * z + 1.33314422036e-1F;
  p = p * z - 3.33332819422e-1F;
  const Vec near = p * z * x + x;
  return magnitude < 0.625F ? near : (x < 0.0F ? -far : far);
}

}  // namespace ilt::ops::cpu::ILT_ISA
