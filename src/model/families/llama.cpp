// Llama 1 to 3 and what shares its architecture (SmolLM2, TinyLlama, Yi, ...): transformers' LlamaForCausalLM.
#include "model/families/common.h"
#include "model/families/family.h"

namespace ilt {

DecoderSpec llama_spec(const ConfigReader& config) {
  DecoderSpec s = read_decoder(config);
  s.qkv_bias = s.output_bias = config.boolean_or("attention_bias", false);
  s.mlp_bias = config.boolean_or("mlp_bias", false);
  return s;
}

}  // namespace ilt
