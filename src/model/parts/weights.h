// Making the parameters of layers from a family's names.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "model/parts/linear.h"
#include "model/parts/norm.h"

namespace ilt {

// "model.layers.{}.mlp" with the layer in place of {}.
std::string layer_name(std::string_view pattern, std::int64_t layer);

struct LinearRows {
  std::string name;  // without ".weight"
  std::int64_t rows;
};

// One linear layer whose weight (and bias) holds one or several stored ones under each other. What it gives is
// multiplied by `scale`.
Linear add_linear(ParameterSet& parameters, std::int64_t layer, std::int64_t columns, bool bias,
                  const std::vector<LinearRows>& rows, double scale = 1.0);

// A norm whose weight (and bias) is stored in one piece, or in one a head where the name holds "{head}".
Norm add_norm(ParameterSet& parameters, const NormSpec& spec, std::int64_t layer, const std::string& name,
              const std::vector<std::int64_t>& shape);

}  // namespace ilt
