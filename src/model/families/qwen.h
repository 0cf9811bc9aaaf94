// What the Qwen families have in common, for those with experts too.
#pragma once

#include "model/families/common.h"

namespace ilt {

// use_sliding_window, and from which layer on (max_window_layers, or layer_types).
void read_qwen_windows(const ConfigReader& config, DecoderSpec& spec);

}  // namespace ilt
