// How checkpoints hold the matrices of experts.
#pragma once

#include "model/parameter.h"
#include "model/spec.h"

namespace ilt {

// The gate and up projections of all experts under each other, [experts * 2 width, hidden], and their biases (null
// where there are none).
Parameter& add_expert_gate_up(const DecoderSpec& spec, std::int64_t layer, ParameterSet& parameters);
Parameter* add_expert_gate_up_bias(const DecoderSpec& spec, std::int64_t layer, ParameterSet& parameters);
// The down projections, [experts * hidden, width].
Parameter& add_expert_down(const DecoderSpec& spec, std::int64_t layer, ParameterSet& parameters);
Parameter* add_expert_down_bias(const DecoderSpec& spec, std::int64_t layer, ParameterSet& parameters);

}  // namespace ilt
