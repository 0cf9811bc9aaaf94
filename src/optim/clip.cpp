// The global gradient norm and clipping by it.
#include "optim/clip.h"

#include <algorithm>
#include <cmath>

#include "ops/adamw.h"

namespace ilt {

double gradient_norm(std::span<const TrainedTensor> tensors) {
  double total = 0;
  for (const TrainedTensor& t : tensors) total += ops::sum_squares(t.grad);
  return std::sqrt(total);
}

double clip_scale(double norm, double max_norm) {
  return max_norm > 0 ? std::min(1.0, max_norm / (norm + 1e-6)) : 1.0;
}

}  // namespace ilt
