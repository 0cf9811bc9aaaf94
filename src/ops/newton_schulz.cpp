// The quintic iteration X <- a X + (b A + c A A) X with A = X X^T, on the side where A is smaller.
#include "ops/newton_schulz.h"

#include <algorithm>
#include <cmath>

#include "ops/adamw.h"
#include "ops/matmul.h"

namespace ilt::ops {

Tensor newton_schulz(const Tensor& matrix) {
  // Chosen by the authors for the steepest slope at zero that still stays bounded.
  constexpr double a = 3.4445;
  constexpr double b = -4.7750;
  constexpr double c = 2.0315;
  constexpr int iterations = 5;
  constexpr double eps = 1e-7;
  const bool tall = matrix.size(0) > matrix.size(1);
  // The Frobenius norm bounds the largest singular value.
  Tensor x = (tall ? matrix.t() : matrix) / std::max(eps, std::sqrt(sum_squares(matrix)));
  for (int i = 0; i < iterations; ++i) {
    const Tensor gram = at::empty({x.size(0), x.size(0)}, x.options());
    matmul(gram, x, x.t());
    const Tensor polynomial = gram * b;
    matmul(polynomial, gram, gram, /*accumulate=*/true, c);
    const Tensor next = x * a;
    matmul(next, polynomial, x, /*accumulate=*/true);
    x = next;
  }
  return tall ? x.t() : x;
}

}  // namespace ilt::ops
