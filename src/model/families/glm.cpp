// GLM-4 of 2024 (Glm) and of 2025 (Glm4, with norms behind the branches too): half of each head turned in neighbours.
#include "model/families/common.h"
#include "model/families/family.h"

namespace ilt {

DecoderSpec glm_spec(const ConfigReader& config) {
  DecoderSpec s = read_decoder(config, {.partial = 0.5}, "rms_norm_eps", 1.5625e-7);
  s.qkv_bias = config.boolean_or("attention_bias", true);
  s.ropes[0].interleaved = true;
  s.names.mlp.gate_up = "model.layers.{}.mlp.gate_up_proj";
  return s;
}

DecoderSpec glm4_spec(const ConfigReader& config) {
  DecoderSpec s = glm_spec(config);
  s.names.attention_post_norm = "model.layers.{}.post_self_attn_layernorm";
  s.names.mlp_post_norm = "model.layers.{}.post_mlp_layernorm";
  return s;
}

}  // namespace ilt
