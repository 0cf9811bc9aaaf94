// Tensor by tensor: nothing of the whole model's size is made.
#include "optim/optimizer.h"

#include <utility>

namespace ilt {

Optimizer::Optimizer(std::string kind, std::vector<TrainedTensor> tensors, const MakeRule& make_rule)
    : kind_(std::move(kind)), tensors_(std::move(tensors)) {
  for (const TrainedTensor& t : tensors_) rules_.push_back(make_rule(t));
}

void Optimizer::step(double lr, double grad_scale) {
  ++steps_;
  for (std::size_t i = 0; i < tensors_.size(); ++i)
    rules_[i]->update({.lr = lr * tensors_[i].lr_factor, .grad_scale = grad_scale, .step = steps_});
}

std::vector<NamedTensor> Optimizer::state() const {
  std::vector<NamedTensor> all;
  for (std::size_t i = 0; i < tensors_.size(); ++i)
    for (const NamedTensor& s : rules_[i]->state()) all.push_back({s.name + "." + tensors_[i].name, s.value});
  return all;
}

}  // namespace ilt
