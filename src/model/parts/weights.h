// Making the parameters of layers from a family's names.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "model/parts/linear.h"

namespace ilt {

// "model.layers.{}.mlp" with the layer in place of {}.
std::string layer_name(std::string_view pattern, std::int64_t layer);

struct LinearRows {
  std::string name;  // without ".weight"
  std::int64_t rows;
};

// One linear layer whose weight (and bias) holds one or several stored ones under each other.
Linear add_linear(ParameterSet& parameters, std::int64_t layer, std::int64_t columns, bool bias,
                  const std::vector<LinearRows>& rows);

}  // namespace ilt
