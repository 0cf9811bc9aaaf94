// Elementwise work on a tensor in pieces that stay in a core's cache: several operations cost one pass over memory, and
// temporaries are of a piece's size. Pieces do not depend on the number of threads, and so neither do results.
#pragma once

#include <ATen/Parallel.h>

#include <algorithm>
#include <cstdint>

#include "ops/tensor.h"

namespace ilt {

// A range of the values of tensors that have the same number of them.
struct Piece {
  std::int64_t begin, size;
  at::Tensor of(const at::Tensor& t) const { return t.view({-1}).narrow(0, begin, size); }
};

inline constexpr std::int64_t piece_values = 1 << 14;

// f(Piece) over all values of `t`; off the CPU, where an operation costs more than its memory, in one piece.
template <typename F>
void over_pieces(const at::Tensor& t, const F& f) {
  const std::int64_t n = t.numel();
  if (!t.is_cpu()) return f(Piece{0, n});
  at::parallel_for(0, (n + piece_values - 1) / piece_values, 1, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t b = begin; b < end; ++b) f(Piece{b * piece_values, std::min(piece_values, n - b * piece_values)});
  });
}

}  // namespace ilt
