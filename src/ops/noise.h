// Noise on embeddings in training (NEFTune: Jain et al., arXiv 2310.05914).
#pragma once

#include <cstdint>
#include <span>

#include "ops/attention.h"
#include "ops/tensor.h"

namespace ilt::ops {

// Adds to each of x [tokens, width] a uniform number in (-m, m), m = alpha / sqrt(length of its sample * width). The
// numbers are a function of the seed, the sample's key and the place in the sample: packing and threads change nothing.
void add_embedding_noise(Tensor x, Segments starts, std::span<const std::uint64_t> keys, double alpha,
                         std::uint64_t seed);

}  // namespace ilt::ops
