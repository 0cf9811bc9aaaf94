// Parameters: making them and their gradients.
#include "model/parameter.h"

#include <ATen/ops/empty.h>
#include <ATen/ops/zeros_like.h>

#include <utility>

namespace ilt {

Parameter& ParameterSet::add(std::vector<StoredTensor> stored) {
  if (check_)
    for (const StoredTensor& s : stored) check_(s);
  std::vector<std::int64_t> shape = stored.front().shape;
  shape[0] = 0;
  for (StoredTensor& s : stored) {
    s.row_begin = shape[0];
    shape[0] += s.shape[0];
  }
  Parameter p;
  p.name = stored.front().name;
  p.value = at::empty(shape, options_);
  p.stored = std::move(stored);
  return parameters_.emplace_back(std::move(p));
}

std::int64_t ParameterSet::count() const {
  std::int64_t n = 0;
  for (const Parameter& p : parameters_) n += p.value.numel();
  return n;
}

std::int64_t ParameterSet::stored_count() const {
  std::int64_t n = 0;
  for (const Parameter& p : parameters_) n += static_cast<std::int64_t>(p.stored.size());
  return n;
}

std::vector<NamedTensor> ParameterSet::stored_tensors() const {
  std::vector<NamedTensor> tensors;
  for (const Parameter& p : parameters_)
    for (const StoredTensor& s : p.stored) tensors.push_back({s.name, p.value.narrow(0, s.row_begin, s.shape[0])});
  return tensors;
}

void ParameterSet::allocate_gradients() {
  for (Parameter& p : parameters_)
    if (!p.grad.defined()) p.grad = at::zeros_like(p.value);
}

void ParameterSet::zero_gradients() {
  for (Parameter& p : parameters_)
    if (p.grad.defined()) p.grad.zero_();
}

}  // namespace ilt
