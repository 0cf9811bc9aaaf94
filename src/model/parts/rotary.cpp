// Rotary frequencies of the known kinds, after transformers' modeling_rope_utils; the papers are named at each.
#include "model/parts/rotary.h"

#include <ATen/ops/empty.h>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace ilt {

namespace {

constexpr double two_pi = 2 * std::numbers::pi;

std::vector<float> base_frequencies(double theta, std::int64_t dim) {
  std::vector<float> f(static_cast<std::size_t>(dim / 2));
  for (std::size_t i = 0; i < f.size(); ++i)
    f[i] = static_cast<float>(1.0 / std::pow(theta, 2.0 * static_cast<double>(i) / static_cast<double>(dim)));
  return f;
}

// NTK-aware scaling of the base for samples longer than the model was trained on (arXiv 2309.00071, section 3.1).
double dynamic_theta(const RopeSpec& rope, std::int64_t dim, std::int64_t length) {
  const double trained = rope.original_max_positions;
  const double n = std::max(static_cast<double>(length), trained);
  const auto d = static_cast<double>(dim);
  return rope.theta * std::pow(rope.factor * n / trained - (rope.factor - 1.0), d / (d - 2.0));
}

// YaRN (Peng et al., arXiv 2309.00071): fast dimensions as they are, slow ones interpolated, a ramp between.
void apply_yarn(const RopeSpec& rope, std::vector<float>& f, std::int64_t dim) {
  const auto correction = [&](double rotations) {
    return static_cast<double>(dim) * std::log(rope.original_max_positions / (rotations * two_pi)) /
           (2.0 * std::log(rope.theta));
  };
  double low = correction(rope.beta_fast);
  double high = correction(rope.beta_slow);
  if (rope.truncate) {
    low = std::floor(low);
    high = std::ceil(high);
  }
  low = std::max(low, 0.0);
  high = std::min(high, static_cast<double>(dim - 1));
  if (low == high) high += 0.001;
  for (std::size_t i = 0; i < f.size(); ++i) {
    const double ramp = std::clamp((static_cast<double>(i) - low) / (high - low), 0.0, 1.0);
    f[i] = static_cast<float>(f[i] / rope.factor * ramp + f[i] * (1.0 - ramp));
  }
}

// Llama 3.1's scaling: long wavelengths divided by the factor, short ones kept, smoothed between.
void apply_llama3(const RopeSpec& rope, std::vector<float>& f) {
  const double long_wave = rope.original_max_positions / rope.low_freq_factor;
  const double short_wave = rope.original_max_positions / rope.high_freq_factor;
  for (float& x : f) {
    const double wave = two_pi / x;
    if (wave < short_wave) continue;
    if (wave > long_wave) {
      x = static_cast<float>(x / rope.factor);
    } else {
      const double smooth =
          (rope.original_max_positions / wave - rope.low_freq_factor) / (rope.high_freq_factor - rope.low_freq_factor);
      x = static_cast<float>((1.0 - smooth) * x / rope.factor + smooth * x);
    }
  }
}

// LongRoPE (Ding et al., arXiv 2402.13753): searched factors, one list for samples of the trained lengths, one beyond.
void apply_longrope(const RopeSpec& rope, std::vector<float>& f, std::int64_t length) {
  const bool is_long = static_cast<double>(length) > rope.original_max_positions;
  const std::vector<double>& factors = is_long ? rope.long_factor : rope.short_factor;
  for (std::size_t i = 0; i < f.size(); ++i) f[i] = static_cast<float>(f[i] / factors[i]);
}

}  // namespace

std::vector<float> rope_frequencies(const RopeSpec& rope, std::int64_t length) {
  const double theta = rope.kind == RopeKind::dynamic ? dynamic_theta(rope, rope.dim, length) : rope.theta;
  std::vector<float> f = base_frequencies(theta, rope.dim);
  if (rope.kind == RopeKind::linear)  // Chen et al., arXiv 2306.15595
    for (float& x : f) x = static_cast<float>(x / rope.factor);
  if (rope.kind == RopeKind::yarn) apply_yarn(rope, f, rope.dim);
  if (rope.kind == RopeKind::llama3) apply_llama3(rope, f);
  if (rope.kind == RopeKind::longrope) apply_longrope(rope, f, length);
  return f;
}

RotaryAngles rotary_angles(const RopeSpec& rope, ops::Segments starts, at::TensorOptions options,
                           std::int64_t first_position) {
  const at::TensorOptions host = at::TensorOptions().dtype(at::kFloat);
  const at::Tensor cosine = at::empty({starts.back(), rope.dim / 2}, host);
  const at::Tensor sine = at::empty_like(cosine);
  float* c = cosine.mutable_data_ptr<float>();
  float* s = sine.mutable_data_ptr<float>();
  for (std::size_t i = 0; i + 1 < starts.size(); ++i) {
    const std::int64_t length = starts[i + 1] - starts[i];
    const std::vector<float> f = rope_frequencies(rope, first_position + length);
    for (std::int64_t t = 0; t < length; ++t) {
      for (const float frequency : f) {
        const float angle = frequency * static_cast<float>(first_position + t);
        *c++ = static_cast<float>(std::cos(static_cast<double>(angle)) * rope.attention_factor);
        *s++ = static_cast<float>(std::sin(static_cast<double>(angle)) * rope.attention_factor);
      }
    }
  }
  const auto pairs = rope.interleaved ? ops::RotaryPairs::neighbours : ops::RotaryPairs::halves;
  return {cosine.to(options), sine.to(options), pairs};
}

Positions make_positions(const std::vector<RopeSpec>& ropes, ops::Segments starts, at::TensorOptions options,
                         std::int64_t first_position) {
  Positions positions{starts, {}};
  for (const RopeSpec& rope : ropes) positions.angles.push_back(rotary_angles(rope, starts, options, first_position));
  return positions;
}

bool angles_change(const std::vector<RopeSpec>& ropes, std::int64_t before, std::int64_t after) {
  return std::any_of(ropes.begin(), ropes.end(), [&](const RopeSpec& rope) {
    return rope.depends_on_length() && rope_frequencies(rope, before) != rope_frequencies(rope, after);
  });
}

}  // namespace ilt
