// Google's Gemma 1, 2 and 3 (text): norms that store w - 1, scaled embeddings, gelu gates; then norms behind the
// branches too, windows, caps (Gemma 2), norms of heads and two ropes (Gemma 3).
#include <cmath>

#include "model/families/common.h"
#include "model/families/family.h"

namespace ilt {

namespace {

DecoderSpec read_gemma(const ConfigReader& config) {
  DecoderSpec s = read_decoder(config);
  s.norm.offset = 1.0;
  s.head_norm_spec = s.norm;
  s.tied = config.boolean_or("tie_word_embeddings", true);
  s.qkv_bias = s.output_bias = config.boolean_or("attention_bias", false);
  // transformers rounds the factor to the weights' type, which is fp32 here.
  s.embedding_scale = static_cast<float>(std::sqrt(static_cast<double>(s.hidden)));
  s.activation = config.has("hidden_activation") ? read_activation(config, "hidden_activation", "gelu_pytorch_tanh")
                                                 : read_activation(config, "hidden_act", "gelu_pytorch_tanh");
  if (config.has("use_bidirectional_attention")) config.require("use_bidirectional_attention", false);
  return s;
}

DecoderSpec read_gemma2(const ConfigReader& config) {
  DecoderSpec s = read_gemma(config);
  s.names.attention_post_norm = "model.layers.{}.post_attention_layernorm";
  s.names.mlp_norm = "model.layers.{}.pre_feedforward_layernorm";
  s.names.mlp_post_norm = "model.layers.{}.post_feedforward_layernorm";
  s.attention_scale = 1.0 / std::sqrt(config.number_or("query_pre_attn_scalar", 256.0));
  return s;
}

}  // namespace

DecoderSpec gemma_spec(const ConfigReader& config) {
  return read_gemma(config);
}

DecoderSpec gemma2_spec(const ConfigReader& config) {
  DecoderSpec s = read_gemma2(config);
  const auto cap = [&](const char* key, double fallback) {
    return config.is_null(key) ? 0.0 : config.number_or(key, fallback);
  };
  s.attention_softcap = cap("attn_logit_softcapping", 50.0);
  s.logits_softcap = cap("final_logit_softcapping", 30.0);
  set_windows(config, read_sliding_layers(config, s, [](std::int64_t i) { return i % 2 == 0; }), s);
  return s;
}

DecoderSpec gemma3_spec(const ConfigReader& config) {
  DecoderSpec s = read_gemma2(config);
  s.head_norm = HeadNormKind::shared;
  s.attention_softcap = config.number_or("attn_logit_softcapping", 0.0);
  s.logits_softcap = config.number_or("final_logit_softcapping", 0.0);
  s.ropes = read_local_and_global_ropes(config, s.head_dim, {.theta = 10000.0, .theta_key = "rope_local_base_freq"},
                                        {.theta = 1000000.0});
  const std::int64_t pattern = config.positive_or("sliding_window_pattern", 6);
  const auto sliding = read_sliding_layers(config, s, [&](std::int64_t i) { return (i + 1) % pattern != 0; });
  set_windows(config, sliding, s);
  for (std::size_t i = 0; i < sliding.size(); ++i) s.layer_specs[i].rope = sliding[i] ? 0 : 1;
  return s;
}

}  // namespace ilt
