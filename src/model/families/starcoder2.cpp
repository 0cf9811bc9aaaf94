// StarCoder2: layer norms, biases everywhere, a feed-forward layer without gate.
#include "model/families/common.h"
#include "model/families/family.h"

namespace ilt {

DecoderSpec starcoder2_spec(const ConfigReader& config) {
  DecoderSpec s = read_decoder(config, {}, "norm_epsilon", 1e-5);
  use_layer_norm(s, /*bias=*/true);
  s.tied = config.boolean_or("tie_word_embeddings", true);
  s.qkv_bias = s.output_bias = s.mlp_bias = config.boolean_or("use_bias", true);
  s.gated = false;
  s.activation = read_activation(config, "hidden_act", "gelu_pytorch_tanh");
  s.names.mlp.up = "model.layers.{}.mlp.c_fc";
  s.names.mlp.down = "model.layers.{}.mlp.c_proj";
  read_window(config, s);
  return s;
}

}  // namespace ilt
