// Rotary position embedding in place (Su et al., arXiv 2104.09864).
#pragma once

#include "ops/tensor.h"

namespace ilt::ops {

enum class Rotation { forward, backward };
// Which components of a head turn together: i with i + rotary_dim / 2, or 2i with 2i + 1.
enum class RotaryPairs { halves, neighbours };

// Rotates the first `heads` heads of each row of x [rows, *] by the row's angles: cosine, sine [rows, rotary_dim / 2].
// Components of a head behind rotary_dim stay. The backward rotation is the transpose: it undoes the forward one.
void rotary(Tensor x, std::int64_t heads, std::int64_t head_dim, const Tensor& cosine, const Tensor& sine,
            Rotation rotation, RotaryPairs pairs = RotaryPairs::halves);

namespace plain {
void rotary(Tensor x, std::int64_t heads, std::int64_t head_dim, const Tensor& cosine, const Tensor& sine,
            Rotation rotation, RotaryPairs pairs = RotaryPairs::halves);
}

}  // namespace ilt::ops
