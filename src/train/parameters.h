// A model's tensors one by one, under the names that its files have: described, read and written.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "model/parameter.h"

namespace ilt {

class NamedParameters {
 public:
  // `parameters` stay where they are, and outlive this.
  explicit NamedParameters(const ParameterSet& parameters);

  std::size_t size() const noexcept { return entries_.size(); }
  // Throws invalid_argument.
  const std::string& name(std::size_t index) const;

  // The following throw not_found, with the nearest name.
  Json describe(std::string_view name) const;
  const std::vector<std::int64_t>& shape(std::string_view name) const;
  // The values themselves, in the shape of the file. Throws unsupported where no strides tell their order.
  at::Tensor view(std::string_view name) const;
  at::Tensor copy(std::string_view name) const;
  // `values` have that shape, and any floating-point type.
  void assign(std::string_view name, const at::Tensor& values) const;

 private:
  struct Entry {
    const Parameter* parameter;
    const StoredTensor* stored;
  };
  const Entry& find(std::string_view name) const;

  std::vector<Entry> entries_;  // in the order of the files
};

}  // namespace ilt
