// Rotary angles of a micro-batch: frequencies from the description, cosine and sine for each token.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "model/spec.h"
#include "ops/attention.h"
#include "ops/rotary.h"

namespace ilt {

struct RotaryAngles {
  at::Tensor cosine, sine;  // [tokens, rope.dim / 2]
  ops::RotaryPairs pairs = ops::RotaryPairs::halves;
};

// Where the tokens of a micro-batch stand: what its attention layers need to know of it.
struct Positions {
  ops::Segments starts;
  std::vector<RotaryAngles> angles;  // one for each of the decoder's ropes
};

// Inverse frequencies of a sample of `length` tokens (some kinds depend on it), in fp32 as transformers'.
std::vector<float> rope_frequencies(const RopeSpec& rope, std::int64_t length);

// Positions restart with each sample; `first_position` offsets those of a single sample that is continued.
RotaryAngles rotary_angles(const RopeSpec& rope, ops::Segments starts, at::TensorOptions options,
                           std::int64_t first_position = 0);

// `first_position` as above.
Positions make_positions(const std::vector<RopeSpec>& ropes, ops::Segments starts, at::TensorOptions options,
                         std::int64_t first_position = 0);

// Whether tokens turn otherwise in a sample of `after` tokens than in its first `before` ones alone.
bool angles_change(const std::vector<RopeSpec>& ropes, std::int64_t before, std::int64_t after);

}  // namespace ilt
