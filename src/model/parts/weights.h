// Making the parameters of layers from a family's names.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "model/parts/linear.h"
#include "model/parts/norm.h"

namespace ilt {

// The text with the number in place of the mark.
std::string replaced(std::string_view text, std::string_view mark, std::int64_t number);
// "model.layers.{}.mlp" with the layer in place of {}.
std::string layer_name(std::string_view pattern, std::int64_t layer);

struct LinearRows {
  std::string name;  // without ".weight"
  std::int64_t rows;
};

struct LinearOptions {
  double scale = 1.0;        // what the layer gives is multiplied by it
  StoredLayout layout = {};  // of the rows, where they lie in another order in the checkpoint
};

// One linear layer whose weight (and bias) holds one or several stored ones under each other; the checkpoint holds
// weights transposed where the description says so.
Linear add_linear(ParameterSet& parameters, const DecoderSpec& spec, std::int64_t layer, std::int64_t columns,
                  bool bias, const std::vector<LinearRows>& rows, const LinearOptions& options = {});

// A norm whose weight (and bias) is stored in one piece, or in one a head where the name holds "{head}".
Norm add_norm(ParameterSet& parameters, const NormSpec& spec, std::int64_t layer, const std::string& name,
              const std::vector<std::int64_t>& shape);

}  // namespace ilt
