// IBM Granite 3: Llama with four multipliers.
#include "model/families/granite.h"

#include "model/families/family.h"

namespace ilt {

void read_granite_scales(const ConfigReader& config, DecoderSpec& spec) {
  spec.attention_scale = config.number_or("attention_multiplier", 1.0);
  spec.embedding_scale = config.number_or("embedding_multiplier", 1.0);
  spec.residual_scale = config.number_or("residual_multiplier", 1.0);
  spec.logits_scale = 1.0 / config.number_or("logits_scaling", 1.0);
}

DecoderSpec granite_spec(const ConfigReader& config) {
  DecoderSpec s = read_decoder(config);
  s.qkv_bias = s.output_bias = config.boolean_or("attention_bias", false);
  s.mlp_bias = config.boolean_or("mlp_bias", false);
  read_granite_scales(config, s);
  return s;
}

}  // namespace ilt
