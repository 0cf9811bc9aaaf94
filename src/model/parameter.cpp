// Parameters: making them and their gradients.
#include "model/parameter.h"

#include <ATen/ops/empty.h>
#include <ATen/ops/zeros_like.h>

#include <algorithm>
#include <utility>

namespace ilt {

namespace {

std::int64_t product(const std::vector<std::int64_t>& shape) {
  std::int64_t n = 1;
  for (const std::int64_t size : shape) n *= size;
  return n;
}

}  // namespace

at::Tensor rows_of(const at::Tensor& parameter, const StoredTensor& stored) {
  const std::int64_t row = parameter.numel() / parameter.size(0);
  return parameter.narrow(0, stored.row_begin, product(stored.shape) / row);
}

at::Tensor stored_view(const at::Tensor& parameter, const StoredTensor& stored) {
  const at::Tensor rows = rows_of(parameter, stored);
  if (stored.layout.order.empty()) return rows.view(stored.shape);
  return rows.view(stored.layout.dimensions).permute(stored.layout.order);
}

Parameter& ParameterSet::add(std::vector<StoredTensor> stored) {
  const std::vector<std::int64_t> row(stored.front().shape.begin() + 1, stored.front().shape.end());
  return add(std::move(stored), row);
}

Parameter& ParameterSet::add_buffer(StoredTensor stored) {
  Parameter& p = add({std::move(stored)});
  p.buffer = true;
  p.stored.front().trained = false;
  return p;
}

Parameter& ParameterSet::add(std::vector<StoredTensor> stored, const std::vector<std::int64_t>& row) {
  for (StoredTensor& s : stored) {
    s.name = prefix_ + s.name;
    if (check_) check_(s);
  }
  std::vector<std::int64_t> shape = {0};
  shape.insert(shape.end(), row.begin(), row.end());
  for (StoredTensor& s : stored) {
    s.row_begin = shape[0];
    shape[0] += product(s.shape) / product(row);
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
    for (const StoredTensor& s : p.stored) tensors.push_back({s.name, stored_view(p.value, s)});
  return tensors;
}

std::int64_t ParameterSet::trained_count() const {
  std::int64_t n = 0;
  for (const Parameter& p : parameters_)
    for (const StoredTensor& s : p.stored)
      if (s.trained) n += product(s.shape);
  return n;
}

void ParameterSet::allocate_gradients() {
  for (Parameter& p : parameters_) {
    const bool trained = std::any_of(p.stored.begin(), p.stored.end(), [](const StoredTensor& s) { return s.trained; });
    if (trained && !p.grad.defined()) p.grad = at::zeros_like(p.value);
  }
}

void ParameterSet::zero_gradients() {
  for (Parameter& p : parameters_)
    if (p.grad.defined()) p.grad.zero_();
}

}  // namespace ilt
