// Making the parameters of layers from a family's names.
#include "model/parts/weights.h"

namespace ilt {

std::string layer_name(std::string_view pattern, std::int64_t layer) {
  std::string name(pattern);
  if (const auto at = name.find("{}"); at != std::string::npos) name.replace(at, 2, std::to_string(layer));
  return name;
}

Linear add_linear(ParameterSet& parameters, std::int64_t layer, std::int64_t columns, bool bias,
                  const std::vector<LinearRows>& rows) {
  std::vector<StoredTensor> weights;
  std::vector<StoredTensor> biases;
  for (const LinearRows& r : rows) {
    const std::string name = layer_name(r.name, layer);
    weights.push_back({name + ".weight", 0, {r.rows, columns}});
    biases.push_back({name + ".bias", 0, {r.rows}});
  }
  Parameter& weight = parameters.add(std::move(weights));
  return {weight, bias ? &parameters.add(std::move(biases)) : nullptr};
}

}  // namespace ilt
