// Cohere's Command R (Cohere) and Command R7B, A (Cohere2): one layer norm for both branches, neighbours turn together.
#include "model/families/common.h"
#include "model/families/family.h"

namespace ilt {

namespace {

DecoderSpec read_cohere(const ConfigReader& config, double theta) {
  DecoderSpec s = read_decoder(config, {.theta = theta}, "layer_norm_eps", 1e-5);
  use_layer_norm(s, /*bias=*/false);
  s.parallel = true;
  s.tied = config.boolean_or("tie_word_embeddings", true);
  s.qkv_bias = s.output_bias = config.boolean_or("attention_bias", false);
  s.logits_scale = config.number_or("logit_scale", 0.0625);
  s.names.mlp_norm = "";
  s.ropes[0].interleaved = true;
  return s;
}

}  // namespace

DecoderSpec cohere_spec(const ConfigReader& config) {
  DecoderSpec s = read_cohere(config, 500000.0);
  if (config.boolean_or("use_qk_norm", false)) {
    s.head_norm = HeadNormKind::per_head;
    s.head_norm_spec = s.norm;
  }
  return s;
}

DecoderSpec cohere2_spec(const ConfigReader& config) {
  DecoderSpec s = read_cohere(config, 10000.0);
  const std::int64_t pattern = config.positive_or("sliding_window_pattern", 4);
  const auto sliding = read_sliding_layers(config, s, [&](std::int64_t i) { return (i + 1) % pattern != 0; });
  set_windows(config, sliding, s);
  for (std::size_t i = 0; i < sliding.size(); ++i) s.layer_specs[i].rope = sliding[i] ? 0 : -1;
  return s;
}

}  // namespace ilt
