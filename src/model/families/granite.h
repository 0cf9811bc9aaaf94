// What the Granite families have in common.
#pragma once

#include "model/families/common.h"

namespace ilt {

// Multipliers of embeddings, attention scores, residual branches and logits.
void read_granite_scales(const ConfigReader& config, DecoderSpec& spec);

// The experts of GraniteMoe and its kin.
void read_granite_experts(const ConfigReader& config, DecoderSpec& spec);

}  // namespace ilt
