// Lion: beta1 mixes the gradient into the step, beta2 into what is kept.
#include "optim/lion.h"

#include <ATen/ops/lerp.h>
#include <ATen/ops/zeros_like.h>

#include "optim/pieces.h"

namespace ilt {

Lion::Lion(const TrainedTensor& tensor, const LionOptions& options)
    : tensor_(tensor), options_(options), mean_(at::zeros_like(tensor.value)) {}

void Lion::update(const UpdateStep& s) {
  over_pieces(tensor_.value, [&](const Piece& piece) {
    const at::Tensor g = piece.of(tensor_.grad) * s.grad_scale;
    const at::Tensor mean = piece.of(mean_);
    const at::Tensor direction = at::lerp(mean, g, 1.0 - options_.beta1).sign_();
    piece.of(tensor_.value).mul_(1.0 - s.lr * tensor_.weight_decay).sub_(direction, s.lr);
    mean.lerp_(g, 1.0 - options_.beta2);
  });
}

std::vector<NamedTensor> Lion::state() const {
  return {{"exp_avg", mean_}};
}

}  // namespace ilt
