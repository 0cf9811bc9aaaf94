// AllenAI's OLMoE: norms over whole queries and keys, experts in each layer.
#include "model/families/experts.h"
#include "model/families/family.h"

namespace ilt {

DecoderSpec olmoe_spec(const ConfigReader& config) {
  DecoderSpec s = read_decoder(config, {}, "rms_norm_eps", 1e-5);
  s.qkv_bias = s.output_bias = config.boolean_or("attention_bias", false);
  s.head_norm = HeadNormKind::whole;
  config.require("clip_qkv", nullptr);
  ExpertsSpec e = read_experts(config, s, "num_experts", "intermediate_size");
  e.normalise = config.boolean_or("norm_topk_prob", false);
  use_experts(s, e, [](std::int64_t) { return true; });
  return s;
}

}  // namespace ilt
