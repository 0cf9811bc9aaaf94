// What most families' config.json share: shapes, activations, windows.
#pragma once

#include <functional>

#include "model/families/config_reader.h"
#include "model/families/rope.h"
#include "model/spec.h"

namespace ilt {

// The shapes and Llama's way of everything else: RMS norms before each branch, gated silu, no bias, one rope.
// `norm_key` names the norms' epsilon.
DecoderSpec read_decoder(const ConfigReader& config, const RopeDefaults& rope = {},
                         const char* norm_key = "rms_norm_eps", double norm_eps = 1e-6);

// Dropout is no part of the function that a model computes: training goes without, and says so.
void report_dropout(const ConfigReader& config);

// The activation under `key`.
ops::Activation read_activation(const ConfigReader& config, const char* key, const char* fallback);

// All layers see sliding_window tokens, where the key is there.
void read_window(const ConfigReader& config, DecoderSpec& spec);

// Which layers see a window: layer_types ("sliding_attention", "full_attention"), or what slides(i) says where the key
// is missing.
std::vector<bool> read_sliding_layers(const ConfigReader& config, const DecoderSpec& spec,
                                      const std::function<bool(std::int64_t)>& slides);
// Sets the windows of those layers.
void set_windows(const ConfigReader& config, const std::vector<bool>& sliding, DecoderSpec& spec);

// Layer norms in all places, with a bias.
void use_layer_norm(DecoderSpec& spec, bool bias);

}  // namespace ilt
