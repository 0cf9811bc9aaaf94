// Looking up a model's tensors by name.
#include "train/parameters.h"

#include <ATen/TensorUtils.h>

#include <algorithm>

#include "base/error.h"
#include "base/text.h"

namespace ilt {

NamedParameters::NamedParameters(const ParameterSet& parameters) {
  for (const Parameter& p : parameters.all())
    for (const StoredTensor& s : p.stored) entries_.push_back({&p, &s});
}

const std::string& NamedParameters::name(std::size_t index) const {
  if (index >= entries_.size())
    fail(Status::invalid_argument, "there is no parameter {}: there are {}", index, entries_.size());
  return entries_[index].stored->name;
}

const NamedParameters::Entry& NamedParameters::find(std::string_view name) const {
  const auto it =
      std::find_if(entries_.begin(), entries_.end(), [&](const Entry& entry) { return entry.stored->name == name; });
  if (it != entries_.end()) return *it;
  std::vector<std::string> known;
  for (const Entry& entry : entries_) known.push_back(entry.stored->name);
  Json detail = {{"got", shortened(name)}};
  if (const std::string close = nearest(name, known); !close.empty()) detail["nearest"] = close;
  throw Error(Status::not_found,
              fmt::format("the model has no parameter '{}'{}", shortened(name), nearest_hint(name, known)), detail);
}

Json NamedParameters::describe(std::string_view name) const {
  const auto& [parameter, stored] = find(name);
  const at::Tensor values = stored_view(parameter->value, *stored);
  return {{"name", stored->name},       {"shape", stored->shape},
          {"dtype", "float32"},         {"device", values.device().str()},
          {"trained", stored->trained}, {"bytes", values.nbytes()}};
}

const std::vector<std::int64_t>& NamedParameters::shape(std::string_view name) const {
  return find(name).stored->shape;
}

at::Tensor NamedParameters::view(std::string_view name) const {
  const auto& [parameter, stored] = find(name);
  const at::Tensor values = stored_view(parameter->value, *stored);
  if (values.sizes() == at::IntArrayRef(stored->shape)) return values;
  if (!at::detail::computeStride(values.sizes(), values.strides(), at::IntArrayRef(stored->shape)))
    throw Error(Status::unsupported,
                fmt::format("the values of '{}' lie in an order that no strides tell: ask for a copy", stored->name),
                {{"tensor", stored->name}});
  return values.view(stored->shape);
}

at::Tensor NamedParameters::copy(std::string_view name) const {
  const auto& [parameter, stored] = find(name);
  return stored_view(parameter->value, *stored).clone(at::MemoryFormat::Contiguous).view(stored->shape);
}

void NamedParameters::assign(std::string_view name, const at::Tensor& values) const {
  const auto& [parameter, stored] = find(name);
  at::Tensor into = stored_view(parameter->value, *stored);
  into.copy_(values.reshape(into.sizes()));
}

}  // namespace ilt
