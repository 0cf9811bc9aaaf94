// The auxiliary loss that spreads tokens over the experts of a mixture.
#pragma once

#include <cstdint>
#include <vector>

#include "ops/attention.h"
#include "ops/tensor.h"

namespace ilt {

// What routers' logits say of the load: of each sample, with f the shares of its choices that fell to each expert and
// p the mean probabilities, loss = experts x sum of f p (Fedus et al., arXiv 2101.03961, equations 4 to 6; over all
// layers and choices at once, as transformers has it). A sample's loss is its own, wherever it is packed, as in
// DeepSeek-V3 (arXiv 2412.19437, equation 17).
struct LoadBalance {
  double loss = 0.0;    // sum over the samples of tokens x loss
  at::Tensor gradient;  // [tokens, experts]: of that sum, by the probabilities of every layer
};

// logits: [tokens, experts], one a layer with experts.
LoadBalance balance_load(const std::vector<at::Tensor>& logits, std::int64_t per_token, ops::Segments starts);

}  // namespace ilt
