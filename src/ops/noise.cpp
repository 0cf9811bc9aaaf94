// Noise on embeddings: made on the host, a generator a token.
#include "ops/noise.h"

#include <cmath>

#include "base/rng.h"
#include "ops/cpu/parallel.h"

namespace ilt::ops {

void add_embedding_noise(Tensor x, Segments starts, std::span<const std::uint64_t> keys, double alpha,
                         std::uint64_t seed) {
  const std::int64_t width = x.size(1);
  const Tensor noise = at::empty(x.sizes(), at::TensorOptions().dtype(at::kFloat));
  for (std::size_t s = 0; s + 1 < starts.size(); ++s) {
    const std::int64_t length = starts[s + 1] - starts[s];
    const double most = alpha / std::sqrt(static_cast<double>(length * width));
    const std::uint64_t sample_seed = SplitMix64(seed ^ SplitMix64(keys[s]).next()).next();
    float* const rows = noise.mutable_data_ptr<float>() + starts[s] * width;
    cpu::over_rows(length, width, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t t = begin; t < end; ++t) {
        SplitMix64 rng(SplitMix64(sample_seed + static_cast<std::uint64_t>(t)).next());
        for (std::int64_t i = 0; i < width; ++i)
          rows[t * width + i] = static_cast<float>(most * (2.0 * rng.uniform() - 1.0));
      }
    });
  }
  x.add_(noise.to(x.options()));
}

}  // namespace ilt::ops
