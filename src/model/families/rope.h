// The rotary description of a config.json, in either generation of its keys.
#pragma once

#include "model/families/config_reader.h"
#include "model/spec.h"

namespace ilt {

// Reads rope_parameters, or rope_scaling with rope_theta beside it. `default_theta` is the family's.
RopeSpec read_rope(const ConfigReader& config, double default_theta);

}  // namespace ilt
