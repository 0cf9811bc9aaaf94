// ByteDance's Seed-OSS: Llama with biases of queries, keys and values.
#include "model/families/common.h"
#include "model/families/family.h"

namespace ilt {

DecoderSpec seed_oss_spec(const ConfigReader& config) {
  DecoderSpec s = read_decoder(config);
  s.qkv_bias = config.boolean_or("attention_bias", true);
  s.output_bias = config.boolean_or("attention_out_bias", false);
  s.mlp_bias = config.boolean_or("mlp_bias", false);
  return s;
}

}  // namespace ilt
