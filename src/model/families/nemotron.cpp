// NVIDIA's Nemotron and Minitron: layer norms that store w - 1, relu squared without gate, half of each head turned.
#include "model/families/common.h"
#include "model/families/family.h"

namespace ilt {

DecoderSpec nemotron_spec(const ConfigReader& config) {
  DecoderSpec s = read_decoder(config, {.partial = 0.5}, "norm_eps", 1e-5);
  use_layer_norm(s, /*bias=*/true);
  s.norm.offset = 1.0;
  s.qkv_bias = s.output_bias = config.boolean_or("attention_bias", false);
  s.mlp_bias = config.boolean_or("mlp_bias", false);
  s.gated = false;
  s.activation = read_activation(config, "hidden_act", "relu2");
  return s;
}

}  // namespace ilt
