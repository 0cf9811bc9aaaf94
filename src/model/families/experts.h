// What families with experts have in common.
#pragma once

#include <functional>

#include "model/families/common.h"

namespace ilt {

// Numbers of experts, of those that a token visits, and their width, under the keys that the family uses; softmax
// scores. Throws unsupported where config.json asks for an auxiliary loss.
ExpertsSpec read_experts(const ConfigReader& config, const DecoderSpec& spec, const char* count_key,
                         const char* width_key);

// Puts the experts into the layers that `sparse` says.
void use_experts(DecoderSpec& spec, const ExpertsSpec& experts, const std::function<bool(std::int64_t)>& sparse);

}  // namespace ilt
