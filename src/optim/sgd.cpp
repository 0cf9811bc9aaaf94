// SGD; weight decay is L2 here, a part of the gradient.
#include "optim/sgd.h"

#include <ATen/ops/zeros_like.h>

#include "optim/pieces.h"

namespace ilt {

Sgd::Sgd(const TrainedTensor& tensor, const SgdOptions& options) : tensor_(tensor), options_(options) {
  if (options.momentum > 0) momentum_ = at::zeros_like(tensor.value);
}

void Sgd::update(const UpdateStep& s) {
  over_pieces(tensor_.value, [&](const Piece& piece) {
    const at::Tensor value = piece.of(tensor_.value);
    at::Tensor g = piece.of(tensor_.grad) * s.grad_scale;
    if (tensor_.weight_decay > 0) g.add_(value, tensor_.weight_decay);
    if (momentum_.defined()) {
      const at::Tensor momentum = piece.of(momentum_);
      momentum.mul_(options_.momentum).add_(g);
      if (options_.nesterov) {
        g.add_(momentum, options_.momentum);
      } else {
        g = momentum;
      }
    }
    value.sub_(g, s.lr);
  });
}

std::vector<NamedTensor> Sgd::state() const {
  if (!momentum_.defined()) return {};
  return {{"momentum_buffer", momentum_}};
}

}  // namespace ilt
