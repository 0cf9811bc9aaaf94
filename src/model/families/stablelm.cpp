// Stable LM: layer norms, a quarter of each head turned; side by side branches and norms of heads as options.
#include "model/families/common.h"
#include "model/families/family.h"

namespace ilt {

DecoderSpec stablelm_spec(const ConfigReader& config) {
  DecoderSpec s = read_decoder(config, {.partial = 0.25}, "layer_norm_eps", 1e-5);
  use_layer_norm(s, /*bias=*/true);
  s.qkv_bias = config.boolean_or("use_qkv_bias", false);
  s.parallel = config.boolean_or("use_parallel_residual", false);
  if (s.parallel) s.names.mlp_norm = "";
  if (config.boolean_or("qk_layernorm", false)) {
    s.head_norm = HeadNormKind::per_head;
    s.head_norm_spec = {NormKind::layer, s.norm.eps};
    s.names.q_norm = "model.layers.{}.self_attn.q_layernorm.norms.{head}";
    s.names.k_norm = "model.layers.{}.self_attn.k_layernorm.norms.{head}";
  }
  return s;
}

}  // namespace ilt
