// AllenAI's OLMo 2 and 3: norms behind the branches alone, norms over whole queries and keys; OLMo 3 with windows.
#include "model/families/common.h"
#include "model/families/family.h"

namespace ilt {

DecoderSpec olmo2_spec(const ConfigReader& config) {
  DecoderSpec s = read_decoder(config, {}, "rms_norm_eps", 1e-5);
  s.qkv_bias = s.output_bias = config.boolean_or("attention_bias", false);
  s.head_norm = HeadNormKind::whole;
  s.names.attention_norm = s.names.mlp_norm = "";
  s.names.attention_post_norm = "model.layers.{}.post_attention_layernorm";
  s.names.mlp_post_norm = "model.layers.{}.post_feedforward_layernorm";
  return s;
}

DecoderSpec olmo3_spec(const ConfigReader& config) {
  DecoderSpec s = olmo2_spec(config);
  s.ropes = read_local_and_global_ropes(config, s.head_dim, {.theta = 500000.0}, {.theta = 500000.0});
  const auto sliding = read_sliding_layers(config, s, [](std::int64_t i) { return (i + 1) % 4 != 0; });
  set_windows(config, sliding, s);
  for (std::size_t i = 0; i < sliding.size(); ++i) s.layer_specs[i].rope = sliding[i] ? 0 : 1;
  return s;
}

}  // namespace ilt
