// The rotary description of a config.json, in either generation of its keys.
#pragma once

#include "model/families/config_reader.h"
#include "model/spec.h"

namespace ilt {

// What a family takes for granted where config.json says nothing.
struct RopeDefaults {
  double theta = 10000.0;
  double partial = 1.0;  // of a head's components, which part turns
  const char* theta_key = "rope_theta";
  const char* partial_key = "partial_rotary_factor";
};

// Reads rope_parameters, or rope_scaling with rope_theta beside it.
RopeSpec read_rope(const ConfigReader& config, std::int64_t head_dim, const RopeDefaults& defaults = {});

// The ropes of layers that see a window (first) and of those that see all: rope_parameters by layer type, or the older
// rope_scaling, which is for the latter alone, with rope_theta and `local_key`.
std::vector<RopeSpec> read_local_and_global_ropes(const ConfigReader& config, std::int64_t head_dim,
                                                  const RopeDefaults& local, const RopeDefaults& global);

}  // namespace ilt
