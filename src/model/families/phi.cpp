// Microsoft's Phi 1, 1.5 and 2: layer norms, branches side by side, biases everywhere.
#include "model/families/common.h"
#include "model/families/family.h"

namespace ilt {

DecoderSpec phi_spec(const ConfigReader& config) {
  DecoderSpec s = read_decoder(config, {.partial = 0.5}, "layer_norm_eps", 1e-5);
  use_layer_norm(s, /*bias=*/true);
  s.parallel = true;
  s.qkv_bias = s.output_bias = s.mlp_bias = s.head_bias = true;
  s.gated = false;
  s.activation = read_activation(config, "hidden_act", "gelu_new");
  if (config.boolean_or("qk_layernorm", false)) {
    s.head_norm = HeadNormKind::shared;
    s.head_norm_spec = s.norm;
    s.names.q_norm = "model.layers.{}.self_attn.q_layernorm";
    s.names.k_norm = "model.layers.{}.self_attn.k_layernorm";
  }
  s.names.final_norm = "model.final_layernorm";
  s.names.mlp_norm = "";
  s.names.o = "model.layers.{}.self_attn.dense";
  s.names.mlp.up = "model.layers.{}.mlp.fc1";
  s.names.mlp.down = "model.layers.{}.mlp.fc2";
  return s;
}

}  // namespace ilt
