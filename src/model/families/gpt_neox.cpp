// GPT-NeoX (Pythia, Dolly): branches side by side with a norm each, or in turn; a part of each head turned.
#include "model/families/common.h"
#include "model/families/family.h"

namespace ilt {

DecoderSpec gpt_neox_spec(const ConfigReader& config) {
  const RopeDefaults rope{.partial = 0.25, .theta_key = "rotary_emb_base", .partial_key = "rotary_pct"};
  DecoderSpec s = read_decoder(config, rope, "layer_norm_eps", 1e-5);
  use_layer_norm(s, /*bias=*/true);
  s.parallel = config.boolean_or("use_parallel_residual", true);
  s.qkv_bias = s.output_bias = config.boolean_or("attention_bias", true);
  s.mlp_bias = true;
  s.gated = false;
  s.activation = read_activation(config, "hidden_act", "gelu");
  s.qkv_storage = QkvStorage::by_head;
  s.names.embeddings = "gpt_neox.embed_in";
  s.names.final_norm = "gpt_neox.final_layer_norm";
  s.names.lm_head = "embed_out";
  s.names.attention_norm = "gpt_neox.layers.{}.input_layernorm";
  s.names.qkv = "gpt_neox.layers.{}.attention.query_key_value";
  s.names.o = "gpt_neox.layers.{}.attention.dense";
  s.names.mlp_norm = "gpt_neox.layers.{}.post_attention_layernorm";
  s.names.mlp = {.up = "gpt_neox.layers.{}.mlp.dense_h_to_4h", .down = "gpt_neox.layers.{}.mlp.dense_4h_to_h"};
  s.ignored = {".attention.bias", ".attention.masked_bias", "rotary_emb.inv_freq"};
  return s;
}

}  // namespace ilt
