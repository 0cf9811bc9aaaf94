// Rotary angles of a micro-batch: frequencies from the description, cosine and sine for each token.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "model/spec.h"
#include "ops/tensor.h"

namespace ilt {

struct RotaryAngles {
  at::Tensor cosine, sine;  // [tokens, head_dim / 2]
};

// Inverse frequencies of a sample of `length` tokens (only the dynamic kind depends on it), in fp32 as transformers'.
std::vector<float> rope_frequencies(const RopeSpec& rope, std::int64_t head_dim, std::int64_t length);

// Positions restart with each sample; `first_position` offsets those of a single sample that is continued.
RotaryAngles rotary_angles(const RopeSpec& rope, std::int64_t head_dim, std::span<const std::int64_t> starts,
                           at::TensorOptions options, std::int64_t first_position = 0);

}  // namespace ilt
